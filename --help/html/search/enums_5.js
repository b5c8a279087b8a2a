var searchData=
[
  ['matchprecision_0',['MatchPrecision',['../namespacevrt.html#af5e262048d97a184bf9d813c42ee6e98',1,'vrt']]]
];
