var searchData=
[
  ['annotate_2eh_0',['annotate.h',['../annotate_8h.html',1,'']]],
  ['atomic_5ffile_2eh_1',['atomic_file.h',['../atomic__file_8h.html',1,'']]]
];
