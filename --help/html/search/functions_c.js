var searchData=
[
  ['native_5fhandle_0',['native_handle',['../classvrt_1_1Stream.html#a9eeba44aab2a66992e857de54a93ca66',1,'vrt::Stream']]],
  ['nearest_5frank_1',['nearest_rank',['../namespacevrt.html#a6da40e92e701f6a2428dfdb550bafeb8',1,'vrt']]],
  ['next_2',['next',['../classvrt_1_1Source.html#adef6582ecd1dff34b19a9e64f5e7b7e8',1,'vrt::Source']]]
];
