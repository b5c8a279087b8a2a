var searchData=
[
  ['accuracy_0',['accuracy',['../classvrt_1_1Engine.html#ac26518831455c074d06ffc9b1697831d',1,'vrt::Engine']]],
  ['adopt_1',['adopt',['../classvrt_1_1Stream.html#aa391b473c81bb40424178d359fe79d13',1,'vrt::Stream']]],
  ['all_2',['all',['../classvrt_1_1Device.html#a7c5beafdf9891dd60601c353905f72e9',1,'vrt::Device']]],
  ['allocate_5fresult_3',['allocate_result',['../classvrt_1_1Matcher.html#a4f77f9c9390116ad68a1684f670bd73c',1,'vrt::Matcher::allocate_result()'],['../classvrt_1_1Yolo.html#a558863087b251ab8f1f38f022de255ca',1,'vrt::Yolo::allocate_result()'],['../classvrt_1_1XFeat.html#ad54192896ac8d449d500900eabdd5942',1,'vrt::XFeat::allocate_result()'],['../classvrt_1_1RfDetrSeg.html#a0f0fa73baa1b9f593e96f3554f7a2af0',1,'vrt::RfDetrSeg::allocate_result()'],['../classvrt_1_1RfDetrKeypoints.html#a5f4f28b50be189dbfd51ceee3e198f5e',1,'vrt::RfDetrKeypoints::allocate_result()'],['../classvrt_1_1RfDetr.html#a4ba6bacb79a38605f5ca04066cd1fd56',1,'vrt::RfDetr::allocate_result()'],['../classvrt_1_1OsNet.html#a3047d69c980b35f9d4c86cffa1291592',1,'vrt::OsNet::allocate_result()'],['../classvrt_1_1BasicDepthAnything.html#a4b85a39e4101a33f64c38363c9a06192',1,'vrt::BasicDepthAnything::allocate_result()'],['../classvrt_1_1ImageClassifier.html#a637845380f8a21c04b45c29f4b13e24b',1,'vrt::ImageClassifier::allocate_result()'],['../classvrt_1_1CenterFace.html#a84c3771a15c2e91cc009823eb812591a',1,'vrt::CenterFace::allocate_result()']]],
  ['appearance_4',['appearance',['../classvrt_1_1RfDetrSegResult.html#a49c6a1c4471031275516cee2346f7938',1,'vrt::RfDetrSegResult']]],
  ['append_5fjson_5fline_5',['append_json_line',['../namespacevrt.html#a47813f6b0930d46ecba58210ceb682f6',1,'vrt']]],
  ['area_6',['area',['../namespacevrt.html#a2c2e4fb5669392d02a22558629be9809',1,'vrt']]],
  ['as_7',['as',['../classvrt_1_1DlpackTensor.html#ad67f209efe5fac47845361e073f1813f',1,'vrt::DlpackTensor::as()'],['../classvrt_1_1TensorView.html#a52c2e1a577ca377a8d1d8c8eaa373ca5',1,'vrt::TensorView::as()']]],
  ['as_5fmutable_8',['as_mutable',['../classvrt_1_1DlpackTensor.html#a7f08b0219d89ad0de97832652e5d98d4',1,'vrt::DlpackTensor']]],
  ['atomicfile_9',['AtomicFile',['../classvrt_1_1AtomicFile.html#abd9031497ce045cb673d7bfaa778eaf1',1,'vrt::AtomicFile']]]
];
