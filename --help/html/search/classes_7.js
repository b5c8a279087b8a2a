var searchData=
[
  ['imagebatch_0',['ImageBatch',['../structvrt_1_1ImageBatch.html',1,'vrt']]],
  ['imageclassifier_1',['ImageClassifier',['../classvrt_1_1ImageClassifier.html',1,'vrt']]],
  ['imageclassifieroptions_2',['ImageClassifierOptions',['../structvrt_1_1ImageClassifierOptions.html',1,'vrt']]],
  ['imageclassifierresult_3',['ImageClassifierResult',['../classvrt_1_1ImageClassifierResult.html',1,'vrt']]],
  ['imageplane_4',['ImagePlane',['../structvrt_1_1ImagePlane.html',1,'vrt']]],
  ['imageview_5',['ImageView',['../structvrt_1_1ImageView.html',1,'vrt']]],
  ['intrinsics_6',['Intrinsics',['../structvrt_1_1Intrinsics.html',1,'vrt']]]
];
