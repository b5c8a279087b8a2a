var searchData=
[
  ['validate_0',['validate',['../structvrt_1_1ImageView.html#a8370fcd6ab541c99b079d5d6e838c6b2',1,'vrt::ImageView::validate()'],['../structvrt_1_1ImageBatch.html#afc2d36c3086a40315bbb66e3ca520c05',1,'vrt::ImageBatch::validate()']]],
  ['videowriter_1',['VideoWriter',['../classvrt_1_1VideoWriter.html#ad8657b39fa6cf7d51192d2fa08530a64',1,'vrt::VideoWriter']]],
  ['view_2',['view',['../classvrt_1_1Canvas.html#a8408c8937218399a918de9c4e8cde149',1,'vrt::Canvas']]]
];
