var searchData=
[
  ['masks_0',['masks',['../structvrt_1_1YoloResultOptions.html#a6956dd0f195c3b458d89114af9df5eb2',1,'vrt::YoloResultOptions']]],
  ['max_5fboxes_1',['max_boxes',['../structvrt_1_1OsNetOptions.html#a3bc5e173f444aa18123eec38ce053213',1,'vrt::OsNetOptions']]],
  ['max_5fdescriptors_2',['max_descriptors',['../structvrt_1_1MatcherOptions.html#aef872491b3912799cc2db2739b82dc0a',1,'vrt::MatcherOptions']]],
  ['max_5fdetections_3',['max_detections',['../structvrt_1_1RfDetrOptions.html#ad556be6ff437dec186fc6affdf01beca',1,'vrt::RfDetrOptions::max_detections()'],['../structvrt_1_1YoloOptions.html#a205d264e8589739dbbd2711646f01c9b',1,'vrt::YoloOptions::max_detections()']]],
  ['max_5fframes_4',['max_frames',['../structvrt_1_1RunOptions.html#a67c5837891aac5c6efdec164c99b75c3',1,'vrt::RunOptions']]],
  ['max_5fkeypoints_5',['max_keypoints',['../structvrt_1_1XFeatOptions.html#a0fd69dd77bbf56b7c57369828bdcab18',1,'vrt::XFeatOptions']]],
  ['memory_5fbytes_6',['memory_bytes',['../structvrt_1_1DeviceInfo.html#a555c4675e6a883caec0988852b4fb467',1,'vrt::DeviceInfo']]],
  ['min_5fsimilarity_7',['min_similarity',['../structvrt_1_1MatcherOptions.html#acb8d0bffaa6ec98e599138dfcb2e3dbd',1,'vrt::MatcherOptions']]],
  ['model_8',['model',['../structvrt_1_1RunOptions.html#a2217834c5cebaea7eb40fc5268fa388f',1,'vrt::RunOptions']]],
  ['most_9',['most',['../structvrt_1_1MaskOptions.html#ad0719b70680585b8d33761e9baeedd9f',1,'vrt::MaskOptions']]]
];
