var searchData=
[
  ['tensorlayout_0',['TensorLayout',['../namespacevrt.html#aae2e97ec375f1f4ed3b9970640cbd5ac',1,'vrt']]]
];
