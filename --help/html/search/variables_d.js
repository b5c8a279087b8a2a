var searchData=
[
  ['pad_5fvalue_0',['pad_value',['../structvrt_1_1PreprocessOptions.html#a9e91d2c7e72ec35bd9d72d6cbe757b60',1,'vrt::PreprocessOptions']]],
  ['pairs_1',['pairs',['../structvrt_1_1DeviceMatches.html#a7e7d04fe8a4a5a43238bd3f3fac94643',1,'vrt::DeviceMatches']]],
  ['parallel_5funits_2',['parallel_units',['../structvrt_1_1DeviceInfo.html#af0e63e50fdb0861ce7ea79cc2ec1fadd',1,'vrt::DeviceInfo']]],
  ['phase_3',['phase',['../structvrt_1_1BuildProgress.html#ada878f11dbc140ec7f0ae2f524733c04',1,'vrt::BuildProgress']]],
  ['precision_4',['precision',['../structvrt_1_1EngineLayer.html#a768242c44501fb519671febdad6fc778',1,'vrt::EngineLayer']]],
  ['preprocessing_5',['preprocessing',['../structvrt_1_1ImageClassifierOptions.html#a080f631aaa7c742de4ab54e8fdbf3723',1,'vrt::ImageClassifierOptions']]],
  ['problem_6',['problem',['../structvrt_1_1BackendInfo.html#a353e4948ef77677d39240f2f62e03559',1,'vrt::BackendInfo']]],
  ['progress_7',['progress',['../structvrt_1_1EngineOptions.html#ac2ac573ea8540660afbefe9dfb7605f2',1,'vrt::EngineOptions::progress()'],['../structvrt_1_1RunHooks.html#a56cbaf7e1ed8715277d828f7e257db8e',1,'vrt::RunHooks::progress()']]]
];
