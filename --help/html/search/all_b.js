var searchData=
[
  ['label_0',['label',['../structvrt_1_1Classification.html#a75dc37860cfeea028fdcf768d8f932ae',1,'vrt::Classification::label()'],['../structvrt_1_1Detection.html#a9d25e02f6fff7bf3e191ed5a14234dde',1,'vrt::Detection::label()']]],
  ['largest_1',['largest',['../structvrt_1_1BatchRange.html#a05b5c839f893a445ea648aa302949338',1,'vrt::BatchRange']]],
  ['largest_5fdifference_2',['largest_difference',['../structvrt_1_1AccuracyOptions.html#a743c7d7f848eb76d7de455a5db3a0dbe',1,'vrt::AccuracyOptions::largest_difference()'],['../structvrt_1_1OutputAccuracy.html#a17a7d0f08815180f9bd4d87c08504bf2',1,'vrt::OutputAccuracy::largest_difference()'],['../structvrt_1_1RunOptions.html#a8f9834d9ed374717c77ee275a861d504',1,'vrt::RunOptions::largest_difference()']]],
  ['last_5fnode_3',['last_node',['../classvrt_1_1Graph.html#adf2fa122b93d196ea7aae0b1d22ca0ae',1,'vrt::Graph']]],
  ['launch_4',['launch',['../classvrt_1_1Graph.html#a60fdec70e4cefb2f5a340a02d8d2a8c0',1,'vrt::Graph::launch()'],['../classvrt_1_1Kernel_3_01void_07Parameters_8_8_8_08_4.html#acae6458f2c5c0a097c095fa06ad8a398',1,'vrt::Kernel&lt; void(Parameters...)&gt;::launch()']]],
  ['launches_5',['launches',['../structvrt_1_1DeviceCounters.html#a02c856e12041c38015b81a5ce8596e4c',1,'vrt::DeviceCounters']]],
  ['least_5fcosine_6',['least_cosine',['../structvrt_1_1AccuracyOptions.html#aa63d74c9814531467a2fc9fc0f1fa3e8',1,'vrt::AccuracyOptions']]],
  ['list_5fbackends_7',['list_backends',['../namespacevrt.html#a30c5adb8c73c53038967fcfdd702c822',1,'vrt']]],
  ['load_8',['load',['../classvrt_1_1KernelModule.html#aeeb33e300f129ee0cb2ef3ebc3a26443',1,'vrt::KernelModule']]],
  ['load_5fasync_9',['load_async',['../classvrt_1_1KernelModule.html#aff981a5c5485984e1a19627e129e2088',1,'vrt::KernelModule']]],
  ['locate_5fmodel_10',['locate_model',['../namespacevrt.html#a23311225b648ca110ebd1e9aedb2e0eb',1,'vrt']]],
  ['location_11',['location',['../structvrt_1_1BackendInfo.html#aa803cac6e196a3d58060052f615d83f2',1,'vrt::BackendInfo']]],
  ['log_12',['log',['../namespacevrt.html#a03270762d21738ebb3c290eefd212500',1,'vrt']]],
  ['log_2eh_13',['log.h',['../log_8h.html',1,'']]],
  ['log_5fenabled_14',['log_enabled',['../namespacevrt.html#a41f89e0c147b7b23ddc810907ceaba4a',1,'vrt']]],
  ['loglevel_15',['LogLevel',['../namespacevrt.html#ad92ffb80b35535190b639f4c525dd8a4',1,'vrt']]],
  ['logsink_16',['LogSink',['../namespacevrt.html#ab08887c99eb93c1a34c04f58f1592619',1,'vrt']]]
];
