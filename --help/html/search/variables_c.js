var searchData=
[
  ['on_5fnoise_0',['on_noise',['../structvrt_1_1AccuracyReport.html#a00e23623ac44f806598d652390816b83',1,'vrt::AccuracyReport']]],
  ['optimization_5flevel_1',['optimization_level',['../structvrt_1_1EngineOptions.html#a014160495620c761fad4c30a0323daef',1,'vrt::EngineOptions']]]
];
