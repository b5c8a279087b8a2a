var searchData=
[
  ['tensor_5fimage_2eh_0',['tensor_image.h',['../tensor__image_8h.html',1,'']]],
  ['tensor_5fview_2eh_1',['tensor_view.h',['../tensor__view_8h.html',1,'']]]
];
