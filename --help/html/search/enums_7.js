var searchData=
[
  ['resizemode_0',['ResizeMode',['../namespacevrt.html#a026c58b910f63e5033a75046a41f80e6',1,'vrt']]]
];
