var searchData=
[
  ['backendinfo_0',['BackendInfo',['../structvrt_1_1BackendInfo.html',1,'vrt']]],
  ['basicdepthanything_1',['BasicDepthAnything',['../classvrt_1_1BasicDepthAnything.html',1,'vrt']]],
  ['basicdepthresult_2',['BasicDepthResult',['../classvrt_1_1BasicDepthResult.html',1,'vrt']]],
  ['batchrange_3',['BatchRange',['../structvrt_1_1BatchRange.html',1,'vrt']]],
  ['box_4',['Box',['../structvrt_1_1Box.html',1,'vrt']]],
  ['buildprogress_5',['BuildProgress',['../structvrt_1_1BuildProgress.html',1,'vrt']]]
];
