var searchData=
[
  ['session_0',['Session',['../classvrt_1_1Session.html',1,'vrt']]],
  ['sha256_1',['Sha256',['../classvrt_1_1Sha256.html',1,'vrt']]],
  ['shape_2',['Shape',['../classvrt_1_1Shape.html',1,'vrt']]],
  ['size_3',['Size',['../structvrt_1_1Size.html',1,'vrt']]],
  ['source_4',['Source',['../classvrt_1_1Source.html',1,'vrt']]],
  ['sourceinfo_5',['SourceInfo',['../structvrt_1_1SourceInfo.html',1,'vrt']]],
  ['sourceoptions_6',['SourceOptions',['../structvrt_1_1SourceOptions.html',1,'vrt']]],
  ['stagesummary_7',['StageSummary',['../structvrt_1_1StageSummary.html',1,'vrt']]],
  ['stagetimes_8',['StageTimes',['../classvrt_1_1StageTimes.html',1,'vrt']]],
  ['stream_9',['Stream',['../classvrt_1_1Stream.html',1,'vrt']]]
];
