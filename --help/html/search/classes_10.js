var searchData=
[
  ['xfeat_0',['XFeat',['../classvrt_1_1XFeat.html',1,'vrt']]],
  ['xfeatoptions_1',['XFeatOptions',['../structvrt_1_1XFeatOptions.html',1,'vrt']]],
  ['xfeatresult_2',['XFeatResult',['../classvrt_1_1XFeatResult.html',1,'vrt']]]
];
