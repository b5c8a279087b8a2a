var searchData=
[
  ['yolo_0',['Yolo',['../classvrt_1_1Yolo.html',1,'vrt::Yolo'],['../classvrt_1_1Yolo.html#af039389d0ce33b6508bafb74655e1898',1,'vrt::Yolo::Yolo()']]],
  ['yolo_2eh_1',['yolo.h',['../yolo_8h.html',1,'']]],
  ['yololayout_2',['YoloLayout',['../namespacevrt.html#a6c66592c6234ffdb2a09c0cddac44c0a',1,'vrt']]],
  ['yolooptions_3',['YoloOptions',['../structvrt_1_1YoloOptions.html',1,'vrt']]],
  ['yoloresult_4',['YoloResult',['../classvrt_1_1YoloResult.html',1,'vrt']]],
  ['yoloresultoptions_5',['YoloResultOptions',['../structvrt_1_1YoloResultOptions.html',1,'vrt']]],
  ['yolotask_6',['YoloTask',['../namespacevrt.html#acd93332df0bb93246af8f4f8dfe4ee3a',1,'vrt']]],
  ['yuvmatrix_7',['YuvMatrix',['../namespacevrt.html#aa9d0e218b2439f068a4c6d189cc640a3',1,'vrt']]],
  ['yuvrange_8',['YuvRange',['../namespacevrt.html#af0a01f3495e5d45b5915d4a40654beef',1,'vrt']]]
];
