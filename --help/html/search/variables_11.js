var searchData=
[
  ['use_5fcache_0',['use_cache',['../structvrt_1_1EngineOptions.html#a306ac5c14aeb03c6cf9c12e789a001c4',1,'vrt::EngineOptions']]]
];
