var searchData=
[
  ['embeddingresult_0',['EmbeddingResult',['../classvrt_1_1EmbeddingResult.html',1,'vrt']]],
  ['embeddingresultoptions_1',['EmbeddingResultOptions',['../structvrt_1_1EmbeddingResultOptions.html',1,'vrt']]],
  ['engine_2',['Engine',['../classvrt_1_1Engine.html',1,'vrt']]],
  ['enginedetails_3',['EngineDetails',['../structvrt_1_1EngineDetails.html',1,'vrt']]],
  ['enginelayer_4',['EngineLayer',['../structvrt_1_1EngineLayer.html',1,'vrt']]],
  ['engineoptions_5',['EngineOptions',['../structvrt_1_1EngineOptions.html',1,'vrt']]],
  ['error_6',['Error',['../classvrt_1_1Error.html',1,'vrt']]],
  ['event_7',['Event',['../classvrt_1_1Event.html',1,'vrt']]]
];
