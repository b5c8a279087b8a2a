var searchData=
[
  ['logsink_0',['LogSink',['../namespacevrt.html#ab08887c99eb93c1a34c04f58f1592619',1,'vrt']]]
];
