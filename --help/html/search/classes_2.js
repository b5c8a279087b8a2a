var searchData=
[
  ['canvas_0',['Canvas',['../classvrt_1_1Canvas.html',1,'vrt']]],
  ['captureoptions_1',['CaptureOptions',['../structvrt_1_1CaptureOptions.html',1,'vrt']]],
  ['centerface_2',['CenterFace',['../classvrt_1_1CenterFace.html',1,'vrt']]],
  ['centerfaceoptions_3',['CenterFaceOptions',['../structvrt_1_1CenterFaceOptions.html',1,'vrt']]],
  ['centerfaceresult_4',['CenterFaceResult',['../classvrt_1_1CenterFaceResult.html',1,'vrt']]],
  ['classification_5',['Classification',['../structvrt_1_1Classification.html',1,'vrt']]],
  ['classnames_6',['ClassNames',['../classvrt_1_1ClassNames.html',1,'vrt']]],
  ['colorspace_7',['ColorSpace',['../structvrt_1_1ColorSpace.html',1,'vrt']]],
  ['compileoptions_8',['CompileOptions',['../structvrt_1_1CompileOptions.html',1,'vrt']]],
  ['cropbox_9',['CropBox',['../structvrt_1_1CropBox.html',1,'vrt']]]
];
