var searchData=
[
  ['operator_3d_3d_0',['operator==',['../classvrt_1_1Stream.html#a846e54ae7a317e64a14df619a870d019',1,'vrt::Stream']]]
];
