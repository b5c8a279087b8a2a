var searchData=
[
  ['errorcode_0',['ErrorCode',['../namespacevrt.html#adf870a27dade7a8a13ad5906c70bc293',1,'vrt']]]
];
