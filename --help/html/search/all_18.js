var searchData=
[
  ['zeros_0',['zeros',['../classvrt_1_1DeviceBuffer.html#a433acbc9df9735580195ad8d9d5e7360',1,'vrt::DeviceBuffer']]]
];
