var searchData=
[
  ['class_5fagnostic_0',['class_agnostic',['../structvrt_1_1YoloOptions.html#adddc8e36accbcf72f3f14574ca194013',1,'vrt::YoloOptions']]],
  ['colors_1',['colors',['../structvrt_1_1DepthResultOptions.html#a40c997a68d184b08bdbc97cecb9e6550',1,'vrt::DepthResultOptions']]],
  ['concurrent_5fsessions_2',['concurrent_sessions',['../structvrt_1_1EngineOptions.html#a087cd61a12b12c6c781e34d510de994f',1,'vrt::EngineOptions']]],
  ['context_5fcreate_3',['context_create',['../structVrtBackendTable.html#a70e31b4e9fa88bb05e4a1db04055b6ea',1,'VrtBackendTable']]],
  ['context_5flibrary_4',['context_library',['../structVrtBackendTable.html#a2d7b01d1c28e73c2de7e6f4909312e8a',1,'VrtBackendTable']]],
  ['context_5fsupports_5',['context_supports',['../structVrtBackendTable.html#ac1aba0719d5fcba5a5652f6c235182cb',1,'VrtBackendTable']]],
  ['copies_6',['copies',['../structvrt_1_1DeviceCounters.html#ab5b8847150ccda6321d9947bc52e4e70',1,'vrt::DeviceCounters']]],
  ['cosine_7',['cosine',['../structvrt_1_1OutputAccuracy.html#ae9989e67a158dfce16f28d1f658b9e67',1,'vrt::OutputAccuracy']]]
];
