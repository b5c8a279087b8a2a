var searchData=
[
  ['last_5fnode_0',['last_node',['../classvrt_1_1Graph.html#adf2fa122b93d196ea7aae0b1d22ca0ae',1,'vrt::Graph']]],
  ['launch_1',['launch',['../classvrt_1_1Graph.html#a60fdec70e4cefb2f5a340a02d8d2a8c0',1,'vrt::Graph::launch()'],['../classvrt_1_1Kernel_3_01void_07Parameters_8_8_8_08_4.html#acae6458f2c5c0a097c095fa06ad8a398',1,'vrt::Kernel&lt; void(Parameters...)&gt;::launch()']]],
  ['list_5fbackends_2',['list_backends',['../namespacevrt.html#a30c5adb8c73c53038967fcfdd702c822',1,'vrt']]],
  ['load_3',['load',['../classvrt_1_1KernelModule.html#aeeb33e300f129ee0cb2ef3ebc3a26443',1,'vrt::KernelModule']]],
  ['load_5fasync_4',['load_async',['../classvrt_1_1KernelModule.html#aff981a5c5485984e1a19627e129e2088',1,'vrt::KernelModule']]],
  ['locate_5fmodel_5',['locate_model',['../namespacevrt.html#a23311225b648ca110ebd1e9aedb2e0eb',1,'vrt']]],
  ['log_6',['log',['../namespacevrt.html#a03270762d21738ebb3c290eefd212500',1,'vrt']]],
  ['log_5fenabled_7',['log_enabled',['../namespacevrt.html#a41f89e0c147b7b23ddc810907ceaba4a',1,'vrt']]]
];
