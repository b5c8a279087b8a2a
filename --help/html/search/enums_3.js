var searchData=
[
  ['interpolation_0',['Interpolation',['../namespacevrt.html#ab2479cd70ecf32b780d40825b2dece57',1,'vrt']]]
];
