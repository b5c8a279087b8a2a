var searchData=
[
  ['keypoints_0',['keypoints',['../classvrt_1_1XFeatResult.html#add419daf6259ca05553fb200acacaaaf',1,'vrt::XFeatResult']]],
  ['known_5fmodels_1',['known_models',['../namespacevrt.html#a0850da9160fbbee867a172d9ed5631de',1,'vrt']]]
];
