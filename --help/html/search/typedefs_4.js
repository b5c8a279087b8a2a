var searchData=
[
  ['sampleinputs_0',['SampleInputs',['../namespacevrt.html#a204f3bc449a1cb3e99c1a06f50fa3013',1,'vrt']]]
];
