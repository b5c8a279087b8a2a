var searchData=
[
  ['on_5fnoise_0',['on_noise',['../structvrt_1_1AccuracyReport.html#a00e23623ac44f806598d652390816b83',1,'vrt::AccuracyReport']]],
  ['onnx_5fmetadata_2eh_1',['onnx_metadata.h',['../onnx__metadata_8h.html',1,'']]],
  ['open_2',['open',['../classvrt_1_1Engine.html#a6580773201bec564b82d78e85e4021f0',1,'vrt::Engine']]],
  ['open_5fengine_3',['open_engine',['../classvrt_1_1Yolo.html#a6691f657db9daa50995c6c65f4339f86',1,'vrt::Yolo::open_engine()'],['../classvrt_1_1XFeat.html#a8b0fba86815c83f93c8d337ab997774a',1,'vrt::XFeat::open_engine()'],['../classvrt_1_1RfDetrSeg.html#a1a1cf95c6e1f33094a602a117af9499d',1,'vrt::RfDetrSeg::open_engine()'],['../classvrt_1_1CenterFace.html#afef2c5ce4c982b08bfc43d1ccb88a9fc',1,'vrt::CenterFace::open_engine()'],['../classvrt_1_1BasicDepthAnything.html#a1b4d097f45f3c82cde8e8ccb412c775b',1,'vrt::BasicDepthAnything::open_engine()'],['../classvrt_1_1OsNet.html#a905f6b0d652239dff78d376c6b285741',1,'vrt::OsNet::open_engine()'],['../classvrt_1_1RfDetr.html#ac6d1e96f04cdd5041fe92bb99ea4547e',1,'vrt::RfDetr::open_engine()'],['../classvrt_1_1RfDetrKeypoints.html#af24b7bb7a2a4e33078663c42c1c26177',1,'vrt::RfDetrKeypoints::open_engine()']]],
  ['operator_2d_4',['operator-',['../namespacevrt.html#ab45ae6247baeddfcd9a34a37a449dd92',1,'vrt']]],
  ['operator_3d_3d_5',['operator==',['../classvrt_1_1Stream.html#a846e54ae7a317e64a14df619a870d019',1,'vrt::Stream']]],
  ['operator_5b_5d_6',['operator[]',['../classvrt_1_1Shape.html#a955722619254c701940cc186b92c1eff',1,'vrt::Shape::operator[]()'],['../classvrt_1_1ClassNames.html#aea6f91b59e57d544bb714056480d1a54',1,'vrt::ClassNames::operator[]()']]],
  ['optimization_5flevel_7',['optimization_level',['../structvrt_1_1EngineOptions.html#a014160495620c761fad4c30a0323daef',1,'vrt::EngineOptions']]],
  ['order_5fafter_8',['order_after',['../classvrt_1_1Stream.html#a8c70aa222a1e2a9749b538cd3515c51f',1,'vrt::Stream']]],
  ['ordinal_9',['ordinal',['../classvrt_1_1Device.html#a122aa2b5b11c5457627d0a97727cbc8d',1,'vrt::Device']]],
  ['osnet_10',['OsNet',['../classvrt_1_1OsNet.html#ac09f94fe2c3ef5b4fb5847dea444706b',1,'vrt::OsNet::OsNet()'],['../classvrt_1_1OsNet.html',1,'vrt::OsNet']]],
  ['osnet_2eh_11',['osnet.h',['../osnet_8h.html',1,'']]],
  ['osnetoptions_12',['OsNetOptions',['../structvrt_1_1OsNetOptions.html',1,'vrt']]],
  ['outputaccuracy_13',['OutputAccuracy',['../structvrt_1_1OutputAccuracy.html',1,'vrt']]]
];
