var searchData=
[
  ['graph_2eh_0',['graph.h',['../graph_8h.html',1,'']]]
];
