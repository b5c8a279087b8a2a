var searchData=
[
  ['scale_5fx_0',['scale_x',['../structvrt_1_1ResizeMapping.html#a797454ecbfca7019aef5fd2a02e4869e',1,'vrt::ResizeMapping']]],
  ['scaled_1',['scaled',['../namespacevrt.html#a605645ab757eacd8b858a7b5114c679c',1,'vrt']]],
  ['session_2',['Session',['../classvrt_1_1Session.html#ae0639502f4a1f1964b6c0e141f04c26d',1,'vrt::Session']]],
  ['set_3',['set',['../classvrt_1_1Canvas.html#a6346f8517162d551b0c037f7e2b68c0c',1,'vrt::Canvas']]],
  ['set_5fbatch_4',['set_batch',['../classvrt_1_1Session.html#ac99982be22cb32a52deb6f48eb5a4005',1,'vrt::Session']]],
  ['set_5flog_5flevel_5',['set_log_level',['../namespacevrt.html#a393188b7cdd5d33c4cc96b480893da48',1,'vrt']]],
  ['set_5flog_5fsink_6',['set_log_sink',['../namespacevrt.html#a2af2679f381fcea0fb1a66b7d6ad0655',1,'vrt']]],
  ['sha256_5fof_5ffile_7',['sha256_of_file',['../namespacevrt.html#ac61d31a8c1c9744540ef3d53f9d98306',1,'vrt']]],
  ['shape_8',['Shape',['../classvrt_1_1Shape.html#ab0dec247058fae3eb3565dc1b3a542c8',1,'vrt::Shape::Shape()=default'],['../classvrt_1_1Shape.html#a0b3bf7a62191c99f2980f1b8c5f889c7',1,'vrt::Shape::Shape(std::initializer_list&lt; std::int64_t &gt; extents)']]],
  ['size_5fbytes_9',['size_bytes',['../namespacevrt.html#ac632862bd7bc269b00c93fa4823699bf',1,'vrt']]],
  ['source_10',['source',['../classvrt_1_1Frame.html#a5c304c350cf56da305d74863d2580805',1,'vrt::Frame']]],
  ['source_11',['Source',['../classvrt_1_1Source.html#a252a08233d8872740c75184bbacaaba2',1,'vrt::Source']]],
  ['span_12',['span',['../classvrt_1_1PinnedBuffer.html#a913d9c8fc59fc2dff713767c0755b5ba',1,'vrt::PinnedBuffer']]],
  ['stream_13',['Stream',['../classvrt_1_1Stream.html#a81c976c0437645dc9ea0d3d263817f29',1,'vrt::Stream']]],
  ['stream_14',['stream',['../classvrt_1_1DeviceBuffer.html#a36bd0dd6efbf750146a78f0d563aa2c6',1,'vrt::DeviceBuffer']]],
  ['strides_15',['strides',['../classvrt_1_1DlpackTensor.html#a9e6519bd9c0c278345ee707bffa35c3d',1,'vrt::DlpackTensor']]],
  ['submit_16',['submit',['../classvrt_1_1XFeat.html#ae3e9b8b581b9506f3ef4595e7c8d6c46',1,'vrt::XFeat::submit()'],['../classvrt_1_1Yolo.html#a052cb4eba49b693c16666de67673c3f9',1,'vrt::Yolo::submit()'],['../classvrt_1_1Matcher.html#a8ec82c50fb7cc273450d866ed0eba17d',1,'vrt::Matcher::submit()'],['../classvrt_1_1RfDetrSeg.html#a01790bbedcc8f8cd3836e9ee3c1373b0',1,'vrt::RfDetrSeg::submit()'],['../classvrt_1_1RfDetrKeypoints.html#ae70cded5ba161b3aceb0c9484f7aaff2',1,'vrt::RfDetrKeypoints::submit()'],['../classvrt_1_1RfDetr.html#a125b9b4ae5e0f56ce451b8d25b20cf38',1,'vrt::RfDetr::submit()'],['../classvrt_1_1OsNet.html#a799bb277b9862791ec70793bfc4fd90b',1,'vrt::OsNet::submit(const ImageView &amp;image, DeviceSpan&lt; const CropBox &gt; boxes, DeviceSpan&lt; const std::int32_t &gt; count, EmbeddingResult &amp;result)'],['../classvrt_1_1OsNet.html#ae43f77efc79ae8abb453a27a25678655',1,'vrt::OsNet::submit(const ImageView &amp;image, std::span&lt; const Box &gt; boxes, EmbeddingResult &amp;result)'],['../classvrt_1_1BasicDepthAnything.html#acd3418a5dd237adab32e36be2db8f704',1,'vrt::BasicDepthAnything::submit()'],['../classvrt_1_1ImageClassifier.html#ac3ffa55d51d3de1442baaac79b78fb64',1,'vrt::ImageClassifier::submit()'],['../classvrt_1_1CenterFace.html#a0ae95e44eeddea27d1fb686af90a1ff6',1,'vrt::CenterFace::submit()'],['../classvrt_1_1Preprocessor.html#a953a869d62934f729c337341d7ac3e23',1,'vrt::Preprocessor::submit()'],['../classvrt_1_1Session.html#af01c94244d8ef5a95151af076543b0f0',1,'vrt::Session::submit()']]],
  ['submit_5fbatch_17',['submit_batch',['../classvrt_1_1Preprocessor.html#aa66ab35753534c134608c1741cc65a82',1,'vrt::Preprocessor']]],
  ['submit_5fcrops_18',['submit_crops',['../classvrt_1_1Preprocessor.html#a2c69755719ac49a80d023485f7614cfb',1,'vrt::Preprocessor']]],
  ['summary_19',['summary',['../classvrt_1_1StageTimes.html#ac238a6db9d349389eabd7b6aa54cd629',1,'vrt::StageTimes']]],
  ['synchronize_20',['synchronize',['../classvrt_1_1Event.html#ac44f371b407520d2023bb435209acaa3',1,'vrt::Event::synchronize()'],['../classvrt_1_1Stream.html#a155707212cf058654268dd9c45b64528',1,'vrt::Stream::synchronize()']]]
];
