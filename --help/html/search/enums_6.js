var searchData=
[
  ['padposition_0',['PadPosition',['../namespacevrt.html#aea2e6ebb2d9d55d2ca84f8d98a42dccf',1,'vrt']]],
  ['performancehint_1',['PerformanceHint',['../namespacevrt.html#aa28d059004b82c13473eb15474c31e1b',1,'vrt']]],
  ['pixelformat_2',['PixelFormat',['../namespacevrt.html#ab8bb1eff3c2f70fc42fcdbd691e18ef9',1,'vrt']]],
  ['precision_3',['Precision',['../namespacevrt.html#a8b7b57b418a4d463de444c32f83df368',1,'vrt']]]
];
