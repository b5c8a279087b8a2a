var searchData=
[
  ['json_5fline_2eh_0',['json_line.h',['../json__line_8h.html',1,'']]]
];
