var searchData=
[
  ['depthkind_0',['DepthKind',['../namespacevrt.html#af51a74586f76cba7fadf92e981a9a21e',1,'vrt']]],
  ['dtype_1',['DType',['../namespacevrt.html#a319fd8b919249233d0354c7710ec35f6',1,'vrt']]]
];
