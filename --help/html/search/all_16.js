var searchData=
[
  ['xfeat_0',['XFeat',['../classvrt_1_1XFeat.html',1,'vrt::XFeat'],['../classvrt_1_1XFeat.html#a230f542d562e06a70e76af5812f4d8f6',1,'vrt::XFeat::XFeat()']]],
  ['xfeat_2eh_1',['xfeat.h',['../xfeat_8h.html',1,'']]],
  ['xfeatoptions_2',['XFeatOptions',['../structvrt_1_1XFeatOptions.html',1,'vrt']]],
  ['xfeatresult_3',['XFeatResult',['../classvrt_1_1XFeatResult.html',1,'vrt']]]
];
