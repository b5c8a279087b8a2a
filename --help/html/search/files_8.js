var searchData=
[
  ['log_2eh_0',['log.h',['../log_8h.html',1,'']]]
];
