var searchData=
[
  ['preprocessor_2eh_0',['preprocessor.h',['../preprocessor_8h.html',1,'']]]
];
