var searchData=
[
  ['json_0',['json',['../structvrt_1_1RunOptions.html#a15d35cf18e8d67f94ded5d5c1189dedd',1,'vrt::RunOptions']]],
  ['json_5fline_2eh_1',['json_line.h',['../json__line_8h.html',1,'']]]
];
