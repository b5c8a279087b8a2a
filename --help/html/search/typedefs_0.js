var searchData=
[
  ['depthanything_0',['DepthAnything',['../namespacevrt.html#aa70a97fe7d4c75b8144f39a64316c46a',1,'vrt']]],
  ['depthresult_1',['DepthResult',['../namespacevrt.html#a3661efe77b1aaf12f79813f77c377790',1,'vrt']]],
  ['devicespan_2',['DeviceSpan',['../namespacevrt.html#a07e89408e678350e2caf44c95d5cde6f',1,'vrt']]],
  ['dlpackstream_3',['DlpackStream',['../namespacevrt.html#a0c725cfdf58b8162bf2e6a22bc6b1ae6',1,'vrt']]]
];
