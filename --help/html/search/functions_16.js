var searchData=
[
  ['yolo_0',['Yolo',['../classvrt_1_1Yolo.html#af039389d0ce33b6508bafb74655e1898',1,'vrt::Yolo']]]
];
