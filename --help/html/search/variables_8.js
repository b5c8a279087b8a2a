var searchData=
[
  ['keypoints_0',['keypoints',['../structvrt_1_1YoloOptions.html#ae1054bb80688388ca6665a62a7dcf3ee',1,'vrt::YoloOptions']]],
  ['kmaxclasses_1',['kMaxClasses',['../classvrt_1_1ImageClassifier.html#a3dd6fab4d352b7d460877235da90a470',1,'vrt::ImageClassifier']]],
  ['kpatch_2',['kPatch',['../classvrt_1_1BasicDepthAnything.html#a475f4a1e4646b48271fbdad4df01b5c6',1,'vrt::BasicDepthAnything']]]
];
