var searchData=
[
  ['temporary_5fpath_0',['temporary_path',['../classvrt_1_1AtomicFile.html#a2159ecba4a010f290bffac8c423a0242',1,'vrt::AtomicFile']]],
  ['tensor_5fimage_2eh_1',['tensor_image.h',['../tensor__image_8h.html',1,'']]],
  ['tensor_5fview_2eh_2',['tensor_view.h',['../tensor__view_8h.html',1,'']]],
  ['tensorinfo_3',['TensorInfo',['../structvrt_1_1TensorInfo.html',1,'vrt']]],
  ['tensorlayout_4',['TensorLayout',['../namespacevrt.html#aae2e97ec375f1f4ed3b9970640cbd5ac',1,'vrt']]],
  ['tensorview_5',['TensorView',['../classvrt_1_1TensorView.html',1,'vrt']]],
  ['text_6',['text',['../structvrt_1_1KernelSource.html#a7cc3870b04352ff4eb5795634de4cee2',1,'vrt::KernelSource']]],
  ['threads_7',['threads',['../structvrt_1_1EngineOptions.html#aa8833cbfbfa5989def0adb9f6e66481a',1,'vrt::EngineOptions']]],
  ['threshold_8',['threshold',['../structvrt_1_1XFeatOptions.html#a2611571b497e06e4874344aa57157c41',1,'vrt::XFeatOptions']]],
  ['time_9',['time',['../classvrt_1_1StageTimes.html#a413a81567072513a4f931355c56f4452',1,'vrt::StageTimes::time()'],['../classvrt_1_1Frame.html#a9c68041639c3cbb9917a9b029e135e46',1,'vrt::Frame::time()'],['../structvrt_1_1FrameRecord.html#ac2f3ae056fc9519dc975d01a7ee170b9',1,'vrt::FrameRecord::time()']]],
  ['timedevent_10',['TimedEvent',['../classvrt_1_1TimedEvent.html',1,'vrt']]],
  ['to_5fdlpack_11',['to_dlpack',['../namespacevrt.html#a49713f8ca74976e6e482d27b2129861a',1,'vrt']]],
  ['to_5fdlpack_5funversioned_12',['to_dlpack_unversioned',['../namespacevrt.html#a9c7d454efc00f7eb19b9ec8a0a8bcb5a',1,'vrt']]],
  ['to_5fstring_13',['to_string',['../namespacevrt.html#a1f676a18e5750939d0b6abe939d48d01',1,'vrt::to_string(PixelFormat format)'],['../namespacevrt.html#a1682bed12b4b8030a91360cff35a19df',1,'vrt::to_string(Device device)'],['../namespacevrt.html#a31a95fa648ae5d4e09741438d5115170',1,'vrt::to_string(DType type)'],['../namespacevrt.html#ac04928c4e6747df6835c3d5bbb8e4208',1,'vrt::to_string(ErrorCode code) noexcept'],['../namespacevrt.html#a173359afa34753c3364747a7b44f33ba',1,'vrt::to_string(LogLevel level) noexcept'],['../namespacevrt.html#a7ec8a994a79cdf96c08cd40605e43824',1,'vrt::to_string(const Shape &amp;shape)']]],
  ['to_5ftarget_14',['to_target',['../structvrt_1_1ResizeMapping.html#a17b4c1d09572e53b0711e13786ca2396',1,'vrt::ResizeMapping']]],
  ['top_5fk_15',['top_k',['../structvrt_1_1ImageClassifierOptions.html#a09a3c10dade8335a64d6fb230eedc7ab',1,'vrt::ImageClassifierOptions']]],
  ['total_16',['total',['../structvrt_1_1RunProgress.html#ab44a48336af1b92260b3931cf43cefe6',1,'vrt::RunProgress']]],
  ['transform_17',['transform',['../namespacevrt.html#a5c766a369f47af71a9459d2f275a54c6',1,'vrt']]],
  ['typical_18',['typical',['../structvrt_1_1BatchRange.html#abc67ef03fdc8411aeaa3b1816a5373ed',1,'vrt::BatchRange']]]
];
