var searchData=
[
  ['accuracyoptions_0',['AccuracyOptions',['../structvrt_1_1AccuracyOptions.html',1,'vrt']]],
  ['accuracyreport_1',['AccuracyReport',['../structvrt_1_1AccuracyReport.html',1,'vrt']]],
  ['atomicfile_2',['AtomicFile',['../classvrt_1_1AtomicFile.html',1,'vrt']]]
];
