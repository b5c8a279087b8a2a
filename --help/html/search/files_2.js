var searchData=
[
  ['depth_5fanything_2eh_0',['depth_anything.h',['../depth__anything_8h.html',1,'']]],
  ['depth_5fmap_2eh_1',['depth_map.h',['../depth__map_8h.html',1,'']]],
  ['detection_2eh_2',['detection.h',['../detection_8h.html',1,'']]],
  ['device_2eh_3',['device.h',['../device_8h.html',1,'']]],
  ['distribution_2eh_4',['distribution.h',['../distribution_8h.html',1,'']]],
  ['dlpack_2eh_5',['dlpack.h',['../dlpack_8h.html',1,'']]],
  ['dtype_2eh_6',['dtype.h',['../dtype_8h.html',1,'']]]
];
