var searchData=
[
  ['yololayout_0',['YoloLayout',['../namespacevrt.html#a6c66592c6234ffdb2a09c0cddac44c0a',1,'vrt']]],
  ['yolotask_1',['YoloTask',['../namespacevrt.html#acd93332df0bb93246af8f4f8dfe4ee3a',1,'vrt']]],
  ['yuvmatrix_2',['YuvMatrix',['../namespacevrt.html#aa9d0e218b2439f068a4c6d189cc640a3',1,'vrt']]],
  ['yuvrange_3',['YuvRange',['../namespacevrt.html#af0a01f3495e5d45b5915d4a40654beef',1,'vrt']]]
];
