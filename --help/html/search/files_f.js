var searchData=
[
  ['vector_5ftypes_2eh_0',['vector_types.h',['../vector__types_8h.html',1,'']]]
];
