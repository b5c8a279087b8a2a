var searchData=
[
  ['kernel_2eh_0',['kernel.h',['../kernel_8h.html',1,'']]]
];
