var searchData=
[
  ['tensorinfo_0',['TensorInfo',['../structvrt_1_1TensorInfo.html',1,'vrt']]],
  ['tensorview_1',['TensorView',['../classvrt_1_1TensorView.html',1,'vrt']]],
  ['timedevent_2',['TimedEvent',['../classvrt_1_1TimedEvent.html',1,'vrt']]]
];
