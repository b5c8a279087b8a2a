var searchData=
[
  ['input_5fshapes_0',['input_shapes',['../structvrt_1_1EngineOptions.html#a901249341385a95cb0a3216b0dab9b79',1,'vrt::EngineOptions']]],
  ['interpolation_1',['interpolation',['../structvrt_1_1RfDetrOptions.html#aca4daebbd00576e6ba26fa84d77feb71',1,'vrt::RfDetrOptions']]]
];
