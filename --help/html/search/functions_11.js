var searchData=
[
  ['temporary_5fpath_0',['temporary_path',['../classvrt_1_1AtomicFile.html#a2159ecba4a010f290bffac8c423a0242',1,'vrt::AtomicFile']]],
  ['time_1',['time',['../classvrt_1_1Frame.html#a9c68041639c3cbb9917a9b029e135e46',1,'vrt::Frame::time()'],['../classvrt_1_1StageTimes.html#a413a81567072513a4f931355c56f4452',1,'vrt::StageTimes::time()']]],
  ['to_5fdlpack_2',['to_dlpack',['../namespacevrt.html#a49713f8ca74976e6e482d27b2129861a',1,'vrt']]],
  ['to_5fdlpack_5funversioned_3',['to_dlpack_unversioned',['../namespacevrt.html#a9c7d454efc00f7eb19b9ec8a0a8bcb5a',1,'vrt']]],
  ['to_5fstring_4',['to_string',['../namespacevrt.html#a31a95fa648ae5d4e09741438d5115170',1,'vrt::to_string(DType type)'],['../namespacevrt.html#ac04928c4e6747df6835c3d5bbb8e4208',1,'vrt::to_string(ErrorCode code) noexcept'],['../namespacevrt.html#a173359afa34753c3364747a7b44f33ba',1,'vrt::to_string(LogLevel level) noexcept'],['../namespacevrt.html#a7ec8a994a79cdf96c08cd40605e43824',1,'vrt::to_string(const Shape &amp;shape)'],['../namespacevrt.html#a1682bed12b4b8030a91360cff35a19df',1,'vrt::to_string(Device device)'],['../namespacevrt.html#a1f676a18e5750939d0b6abe939d48d01',1,'vrt::to_string(PixelFormat format)']]],
  ['to_5ftarget_5',['to_target',['../structvrt_1_1ResizeMapping.html#a17b4c1d09572e53b0711e13786ca2396',1,'vrt::ResizeMapping']]],
  ['transform_6',['transform',['../namespacevrt.html#a5c766a369f47af71a9459d2f275a54c6',1,'vrt']]]
];
