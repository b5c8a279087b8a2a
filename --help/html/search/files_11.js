var searchData=
[
  ['yolo_2eh_0',['yolo.h',['../yolo_8h.html',1,'']]]
];
