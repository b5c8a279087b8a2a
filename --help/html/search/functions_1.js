var searchData=
[
  ['backend_0',['backend',['../classvrt_1_1Stream.html#a01ab41c43c11fa227e4495f17b2a5f07',1,'vrt::Stream']]],
  ['backend_5fname_1',['backend_name',['../classvrt_1_1Engine.html#afc887805be13a056e7ae989ec3154c84',1,'vrt::Engine']]],
  ['backend_5fversion_2',['backend_version',['../classvrt_1_1Engine.html#aa12aff7313e57b5940a1bd1e5a72ad25',1,'vrt::Engine']]],
  ['basicdepthanything_3',['BasicDepthAnything',['../classvrt_1_1BasicDepthAnything.html#a46c1594d626f3d2e08dabae638414257',1,'vrt::BasicDepthAnything']]],
  ['best_5fdevice_4',['best_device',['../classvrt_1_1Engine.html#a140fced778cc3e2051f0e5b03fba1eb4',1,'vrt::Engine']]]
];
