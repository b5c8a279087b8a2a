var searchData=
[
  ['backend_0',['backend',['../structvrt_1_1EngineOptions.html#a48d2e3d5a28d3fd9facf560a329f4a5e',1,'vrt::EngineOptions::backend()'],['../structvrt_1_1RunReport.html#aeb7c0cb69345a93929fbfc3880fe7cec',1,'vrt::RunReport::backend()']]],
  ['background_5fcolumn_1',['background_column',['../structvrt_1_1RfDetrOptions.html#a9f5f5c55cb3037b93eccb6854b844d4e',1,'vrt::RfDetrOptions']]],
  ['batched_2',['batched',['../structvrt_1_1TensorInfo.html#a7a07be300c546f75c14aa0736207311f',1,'vrt::TensorInfo']]]
];
