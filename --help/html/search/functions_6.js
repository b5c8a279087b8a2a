var searchData=
[
  ['get_0',['get',['../classvrt_1_1PendingKernels.html#ad4ff4237b3e62d77d5cbca9bd9a451ae',1,'vrt::PendingKernels::get()'],['../classvrt_1_1KernelModule.html#acf8d5d49043cf0c2633a6f9dbebc9d8b',1,'vrt::KernelModule::get()']]],
  ['grid_5f1d_1',['grid_1d',['../namespacevrt.html#a4c12bca10614e1f0dea8bc2d5b21bbad',1,'vrt']]],
  ['grid_5f2d_2',['grid_2d',['../namespacevrt.html#ab19a557495dc2c55a91ad1a596d51035',1,'vrt']]],
  ['grid_5fper_5fitem_3',['grid_per_item',['../namespacevrt.html#a59a91fc29df7b1056579984c092f73b8',1,'vrt']]]
];
