var searchData=
[
  ['onnx_5fmetadata_2eh_0',['onnx_metadata.h',['../onnx__metadata_8h.html',1,'']]],
  ['osnet_2eh_1',['osnet.h',['../osnet_8h.html',1,'']]]
];
