var searchData=
[
  ['relativedepthanything_0',['RelativeDepthAnything',['../namespacevrt.html#a6a080772d5d4be0ce007de58c564a8ba',1,'vrt']]],
  ['relativedepthresult_1',['RelativeDepthResult',['../namespacevrt.html#ac9d956246c04deaa57c98cac951ad76b',1,'vrt']]]
];
