var searchData=
[
  ['pinnedspan_0',['PinnedSpan',['../namespacevrt.html#a66b22ef72fd9fb7d8f38c18ac83a87bf',1,'vrt']]]
];
