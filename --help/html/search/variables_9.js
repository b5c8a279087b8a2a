var searchData=
[
  ['label_0',['label',['../structvrt_1_1Classification.html#a75dc37860cfeea028fdcf768d8f932ae',1,'vrt::Classification::label()'],['../structvrt_1_1Detection.html#a9d25e02f6fff7bf3e191ed5a14234dde',1,'vrt::Detection::label()']]],
  ['largest_1',['largest',['../structvrt_1_1BatchRange.html#a05b5c839f893a445ea648aa302949338',1,'vrt::BatchRange']]],
  ['largest_5fdifference_2',['largest_difference',['../structvrt_1_1AccuracyOptions.html#a743c7d7f848eb76d7de455a5db3a0dbe',1,'vrt::AccuracyOptions::largest_difference()'],['../structvrt_1_1OutputAccuracy.html#a17a7d0f08815180f9bd4d87c08504bf2',1,'vrt::OutputAccuracy::largest_difference()'],['../structvrt_1_1RunOptions.html#a8f9834d9ed374717c77ee275a861d504',1,'vrt::RunOptions::largest_difference()']]],
  ['launches_3',['launches',['../structvrt_1_1DeviceCounters.html#a02c856e12041c38015b81a5ce8596e4c',1,'vrt::DeviceCounters']]],
  ['least_5fcosine_4',['least_cosine',['../structvrt_1_1AccuracyOptions.html#aa63d74c9814531467a2fc9fc0f1fa3e8',1,'vrt::AccuracyOptions']]],
  ['location_5',['location',['../structvrt_1_1BackendInfo.html#aa803cac6e196a3d58060052f615d83f2',1,'vrt::BackendInfo']]]
];
