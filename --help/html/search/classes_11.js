var searchData=
[
  ['yolo_0',['Yolo',['../classvrt_1_1Yolo.html',1,'vrt']]],
  ['yolooptions_1',['YoloOptions',['../structvrt_1_1YoloOptions.html',1,'vrt']]],
  ['yoloresult_2',['YoloResult',['../classvrt_1_1YoloResult.html',1,'vrt']]],
  ['yoloresultoptions_3',['YoloResultOptions',['../structvrt_1_1YoloResultOptions.html',1,'vrt']]]
];
