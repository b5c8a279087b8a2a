var searchData=
[
  ['version_0',['version',['../structvrt_1_1BackendInfo.html#a9790388bb6b28736e039eb4e03c98359',1,'vrt::BackendInfo']]]
];
