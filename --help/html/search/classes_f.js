var searchData=
[
  ['vec3_0',['Vec3',['../structvrt_1_1Vec3.html',1,'vrt']]],
  ['videowriter_1',['VideoWriter',['../classvrt_1_1VideoWriter.html',1,'vrt']]],
  ['vrtbackendcontextoptions_2',['VrtBackendContextOptions',['../structVrtBackendContextOptions.html',1,'']]],
  ['vrtbackendengineoptions_3',['VrtBackendEngineOptions',['../structVrtBackendEngineOptions.html',1,'']]],
  ['vrtbackenderror_4',['VrtBackendError',['../structVrtBackendError.html',1,'']]],
  ['vrtbackendinputshape_5',['VrtBackendInputShape',['../structVrtBackendInputShape.html',1,'']]],
  ['vrtbackendsessionoptions_6',['VrtBackendSessionOptions',['../structVrtBackendSessionOptions.html',1,'']]],
  ['vrtbackendtable_7',['VrtBackendTable',['../structVrtBackendTable.html',1,'']]],
  ['vrtbackendtensor_8',['VrtBackendTensor',['../structVrtBackendTensor.html',1,'']]]
];
