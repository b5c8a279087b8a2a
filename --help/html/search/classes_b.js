var searchData=
[
  ['pendingkernels_0',['PendingKernels',['../classvrt_1_1PendingKernels.html',1,'vrt']]],
  ['pinnedbuffer_1',['PinnedBuffer',['../classvrt_1_1PinnedBuffer.html',1,'vrt']]],
  ['pointf_2',['PointF',['../structvrt_1_1PointF.html',1,'vrt']]],
  ['pose_3',['Pose',['../structvrt_1_1Pose.html',1,'vrt']]],
  ['preprocessoptions_4',['PreprocessOptions',['../structvrt_1_1PreprocessOptions.html',1,'vrt']]],
  ['preprocessor_5',['Preprocessor',['../classvrt_1_1Preprocessor.html',1,'vrt']]]
];
