var searchData=
[
  ['backend_0',['backend',['../structvrt_1_1EngineOptions.html#a48d2e3d5a28d3fd9facf560a329f4a5e',1,'vrt::EngineOptions::backend()'],['../structvrt_1_1RunReport.html#aeb7c0cb69345a93929fbfc3880fe7cec',1,'vrt::RunReport::backend()'],['../classvrt_1_1Stream.html#a01ab41c43c11fa227e4495f17b2a5f07',1,'vrt::Stream::backend()']]],
  ['backend_5fname_1',['backend_name',['../classvrt_1_1Engine.html#afc887805be13a056e7ae989ec3154c84',1,'vrt::Engine']]],
  ['backend_5fversion_2',['backend_version',['../classvrt_1_1Engine.html#aa12aff7313e57b5940a1bd1e5a72ad25',1,'vrt::Engine']]],
  ['backendinfo_3',['BackendInfo',['../structvrt_1_1BackendInfo.html',1,'vrt']]],
  ['background_5fcolumn_4',['background_column',['../structvrt_1_1RfDetrOptions.html#a9f5f5c55cb3037b93eccb6854b844d4e',1,'vrt::RfDetrOptions']]],
  ['basicdepthanything_5',['BasicDepthAnything',['../classvrt_1_1BasicDepthAnything.html#a46c1594d626f3d2e08dabae638414257',1,'vrt::BasicDepthAnything::BasicDepthAnything()'],['../classvrt_1_1BasicDepthAnything.html',1,'vrt::BasicDepthAnything&lt; kKind &gt;']]],
  ['basicdepthresult_6',['BasicDepthResult',['../classvrt_1_1BasicDepthResult.html',1,'vrt']]],
  ['batched_7',['batched',['../structvrt_1_1TensorInfo.html#a7a07be300c546f75c14aa0736207311f',1,'vrt::TensorInfo']]],
  ['batchrange_8',['BatchRange',['../structvrt_1_1BatchRange.html',1,'vrt']]],
  ['best_5fdevice_9',['best_device',['../classvrt_1_1Engine.html#a140fced778cc3e2051f0e5b03fba1eb4',1,'vrt::Engine']]],
  ['box_10',['Box',['../structvrt_1_1Box.html',1,'vrt']]],
  ['buildprogress_11',['BuildProgress',['../structvrt_1_1BuildProgress.html',1,'vrt']]]
];
