var searchData=
[
  ['featureresultoptions_0',['FeatureResultOptions',['../structvrt_1_1FeatureResultOptions.html',1,'vrt']]],
  ['foreignmemory_1',['ForeignMemory',['../structvrt_1_1ForeignMemory.html',1,'vrt']]],
  ['frame_2',['Frame',['../classvrt_1_1Frame.html',1,'vrt']]],
  ['framerecord_3',['FrameRecord',['../structvrt_1_1FrameRecord.html',1,'vrt']]]
];
