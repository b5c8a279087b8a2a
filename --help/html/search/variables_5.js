var searchData=
[
  ['hardware_5fcompatible_0',['hardware_compatible',['../structvrt_1_1EngineOptions.html#a56ec1871791419c424cfd1919d4f73d7',1,'vrt::EngineOptions']]],
  ['host_5fbaseline_1',['host_baseline',['../structvrt_1_1KernelSource.html#a47f36c6e9bc5e78cd325bc42064f128d',1,'vrt::KernelSource']]],
  ['host_5fv3_2',['host_v3',['../structvrt_1_1KernelSource.html#a83ccaa01dcd71e51b067598eecf0c7f7',1,'vrt::KernelSource']]],
  ['how_5fto_5fget_3',['how_to_get',['../structvrt_1_1ModelEntry.html#aa2fdb5c779b222004c5d434aca410cde',1,'vrt::ModelEntry']]]
];
