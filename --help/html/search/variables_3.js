var searchData=
[
  ['engine_0',['engine',['../structvrt_1_1RunOptions.html#a4dd8d301c7dee9eac907c2abd53693aa',1,'vrt::RunOptions']]],
  ['engine_5fcreate_1',['engine_create',['../structVrtBackendTable.html#a179d65247affdee74213132b229d070d',1,'VrtBackendTable']]],
  ['engine_5fdescribe_2',['engine_describe',['../structVrtBackendTable.html#a5c8f53f8a80d72da6aafb508a7a0776d',1,'VrtBackendTable']]],
  ['engine_5fload_3',['engine_load',['../structVrtBackendTable.html#af73e62cb7d6b4c5a71fa22fbf793cbf9',1,'VrtBackendTable']]],
  ['engine_5fserialize_4',['engine_serialize',['../structVrtBackendTable.html#ae409a5ae2dbac30695b715b9ab992477',1,'VrtBackendTable']]],
  ['extra_5',['extra',['../structvrt_1_1CompileOptions.html#a99d112e7828adc652ba26d3a479140a0',1,'vrt::CompileOptions']]]
];
