var searchData=
[
  ['xfeat_2eh_0',['xfeat.h',['../xfeat_8h.html',1,'']]]
];
