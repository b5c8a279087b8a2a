var searchData=
[
  ['xfeat_0',['XFeat',['../classvrt_1_1XFeat.html#a230f542d562e06a70e76af5812f4d8f6',1,'vrt::XFeat']]]
];
