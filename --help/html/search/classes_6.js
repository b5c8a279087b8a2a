var searchData=
[
  ['graph_0',['Graph',['../classvrt_1_1Graph.html',1,'vrt']]],
  ['graphnode_1',['GraphNode',['../structvrt_1_1GraphNode.html',1,'vrt']]]
];
