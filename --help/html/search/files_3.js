var searchData=
[
  ['engine_2eh_0',['engine.h',['../engine_8h.html',1,'']]],
  ['error_2eh_1',['error.h',['../error_8h.html',1,'']]],
  ['event_2eh_2',['event.h',['../event_8h.html',1,'']]],
  ['export_2eh_3',['export.h',['../export_8h.html',1,'']]]
];
