var searchData=
[
  ['get_0',['get',['../classvrt_1_1PendingKernels.html#ad4ff4237b3e62d77d5cbca9bd9a451ae',1,'vrt::PendingKernels::get()'],['../classvrt_1_1KernelModule.html#acf8d5d49043cf0c2633a6f9dbebc9d8b',1,'vrt::KernelModule::get()']]],
  ['graph_1',['Graph',['../classvrt_1_1Graph.html',1,'vrt']]],
  ['graph_2eh_2',['graph.h',['../graph_8h.html',1,'']]],
  ['graphnode_3',['GraphNode',['../structvrt_1_1GraphNode.html',1,'vrt']]],
  ['grid_5f1d_4',['grid_1d',['../namespacevrt.html#a4c12bca10614e1f0dea8bc2d5b21bbad',1,'vrt']]],
  ['grid_5f2d_5',['grid_2d',['../namespacevrt.html#ab19a557495dc2c55a91ad1a596d51035',1,'vrt']]],
  ['grid_5fper_5fitem_6',['grid_per_item',['../namespacevrt.html#a59a91fc29df7b1056579984c092f73b8',1,'vrt']]]
];
