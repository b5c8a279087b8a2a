var searchData=
[
  ['sourcekind_0',['SourceKind',['../namespacevrt.html#a570038339315efed617b730e882547f0',1,'vrt']]],
  ['stage_1',['Stage',['../namespacevrt.html#a5d03f7579d282b4aab2ff981ec436560',1,'vrt']]]
];
