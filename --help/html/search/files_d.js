var searchData=
[
  ['sha256_2eh_0',['sha256.h',['../sha256_8h.html',1,'']]],
  ['shape_2eh_1',['shape.h',['../shape_8h.html',1,'']]],
  ['sink_2eh_2',['sink.h',['../sink_8h.html',1,'']]],
  ['source_2eh_3',['source.h',['../source_8h.html',1,'']]],
  ['stage_5ftimes_2eh_4',['stage_times.h',['../stage__times_8h.html',1,'']]],
  ['stream_2eh_5',['stream.h',['../stream_8h.html',1,'']]]
];
