var searchData=
[
  ['osnet_0',['OsNet',['../classvrt_1_1OsNet.html',1,'vrt']]],
  ['osnetoptions_1',['OsNetOptions',['../structvrt_1_1OsNetOptions.html',1,'vrt']]],
  ['outputaccuracy_2',['OutputAccuracy',['../structvrt_1_1OutputAccuracy.html',1,'vrt']]]
];
