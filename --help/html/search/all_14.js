var searchData=
[
  ['validate_0',['validate',['../structvrt_1_1ImageBatch.html#afc2d36c3086a40315bbb66e3ca520c05',1,'vrt::ImageBatch::validate()'],['../structvrt_1_1ImageView.html#a8370fcd6ab541c99b079d5d6e838c6b2',1,'vrt::ImageView::validate()']]],
  ['vec3_1',['Vec3',['../structvrt_1_1Vec3.html',1,'vrt']]],
  ['vector_5ftypes_2eh_2',['vector_types.h',['../vector__types_8h.html',1,'']]],
  ['version_3',['version',['../structvrt_1_1BackendInfo.html#a9790388bb6b28736e039eb4e03c98359',1,'vrt::BackendInfo']]],
  ['videowriter_4',['VideoWriter',['../classvrt_1_1VideoWriter.html#ad8657b39fa6cf7d51192d2fa08530a64',1,'vrt::VideoWriter::VideoWriter()'],['../classvrt_1_1VideoWriter.html',1,'vrt::VideoWriter']]],
  ['view_5',['view',['../classvrt_1_1Canvas.html#a8408c8937218399a918de9c4e8cde149',1,'vrt::Canvas']]],
  ['vrt_6',['vrt',['../namespacevrt.html',1,'']]],
  ['vrt_5fapi_7',['VRT_API',['../export_8h.html#a09034ea2accc224bdff9eaa599571e13',1,'export.h']]],
  ['vrtbackendcontextoptions_8',['VrtBackendContextOptions',['../structVrtBackendContextOptions.html',1,'']]],
  ['vrtbackendengineoptions_9',['VrtBackendEngineOptions',['../structVrtBackendEngineOptions.html',1,'']]],
  ['vrtbackenderror_10',['VrtBackendError',['../structVrtBackendError.html',1,'']]],
  ['vrtbackendinputshape_11',['VrtBackendInputShape',['../structVrtBackendInputShape.html',1,'']]],
  ['vrtbackendsessionoptions_12',['VrtBackendSessionOptions',['../structVrtBackendSessionOptions.html',1,'']]],
  ['vrtbackendtable_13',['VrtBackendTable',['../structVrtBackendTable.html',1,'']]],
  ['vrtbackendtensor_14',['VrtBackendTensor',['../structVrtBackendTensor.html',1,'']]]
];
