var searchData=
[
  ['hardware_5fcompatible_0',['hardware_compatible',['../structvrt_1_1EngineOptions.html#a56ec1871791419c424cfd1919d4f73d7',1,'vrt::EngineOptions']]],
  ['has_5fappearance_1',['has_appearance',['../classvrt_1_1RfDetrSeg.html#a8757d896828a36bfa84ed03fc2da6b61',1,'vrt::RfDetrSeg']]],
  ['host_2',['host',['../classvrt_1_1PinnedBuffer.html#accddaa8ffaf4e007e7b80da3c939c26b',1,'vrt::PinnedBuffer']]],
  ['host_5fbaseline_3',['host_baseline',['../structvrt_1_1KernelSource.html#a47f36c6e9bc5e78cd325bc42064f128d',1,'vrt::KernelSource']]],
  ['host_5fdescriptors_4',['host_descriptors',['../classvrt_1_1XFeatResult.html#ab4d71b4ae369f00925831abf8c2be396',1,'vrt::XFeatResult']]],
  ['host_5fimage_5',['host_image',['../classvrt_1_1Frame.html#a2dd6ae8ce710340c2c6c858363798f67',1,'vrt::Frame']]],
  ['host_5fpicture_6',['host_picture',['../classvrt_1_1BasicDepthResult.html#a0effa45a32aca8ddaa5e95faa23a5bd4',1,'vrt::BasicDepthResult']]],
  ['host_5fv3_7',['host_v3',['../structvrt_1_1KernelSource.html#a83ccaa01dcd71e51b067598eecf0c7f7',1,'vrt::KernelSource']]],
  ['how_5fto_5fget_8',['how_to_get',['../structvrt_1_1ModelEntry.html#aa2fdb5c779b222004c5d434aca410cde',1,'vrt::ModelEntry']]]
];
