var searchData=
[
  ['has_5fappearance_0',['has_appearance',['../classvrt_1_1RfDetrSeg.html#a8757d896828a36bfa84ed03fc2da6b61',1,'vrt::RfDetrSeg']]],
  ['host_1',['host',['../classvrt_1_1PinnedBuffer.html#accddaa8ffaf4e007e7b80da3c939c26b',1,'vrt::PinnedBuffer']]],
  ['host_5fdescriptors_2',['host_descriptors',['../classvrt_1_1XFeatResult.html#ab4d71b4ae369f00925831abf8c2be396',1,'vrt::XFeatResult']]],
  ['host_5fimage_3',['host_image',['../classvrt_1_1Frame.html#a2dd6ae8ce710340c2c6c858363798f67',1,'vrt::Frame']]],
  ['host_5fpicture_4',['host_picture',['../classvrt_1_1BasicDepthResult.html#a0effa45a32aca8ddaa5e95faa23a5bd4',1,'vrt::BasicDepthResult']]]
];
