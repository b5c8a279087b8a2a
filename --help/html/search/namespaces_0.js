var searchData=
[
  ['vrt_0',['vrt',['../namespacevrt.html',1,'']]]
];
