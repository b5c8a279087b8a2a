var searchData=
[
  ['read_5fback_0',['read_back',['../structvrt_1_1MaskOptions.html#a145cad3ed23719fb9d147fe99a6812cf',1,'vrt::MaskOptions::read_back()'],['../structvrt_1_1DepthResultOptions.html#a82b2b8a9deb5b914c8d2937d16085f11',1,'vrt::DepthResultOptions::read_back()'],['../structvrt_1_1EmbeddingResultOptions.html#a7bb0720735ee266f4f54c7ec6fdc8f35',1,'vrt::EmbeddingResultOptions::read_back()'],['../structvrt_1_1MatchResultOptions.html#ae097576ec1c689d155c10fb0628882ce',1,'vrt::MatchResultOptions::read_back()'],['../structvrt_1_1FeatureResultOptions.html#a4e40e406be8b622ae79d60213f380857',1,'vrt::FeatureResultOptions::read_back()']]],
  ['read_5fback_5fappearance_1',['read_back_appearance',['../structvrt_1_1RfDetrSegResultOptions.html#aa04a93866fcf6af6ac2b07b892a63cf0',1,'vrt::RfDetrSegResultOptions']]],
  ['reference_2',['reference',['../structvrt_1_1AccuracyReport.html#a3a5c291c3e5d0a497b2c116e21616cc8',1,'vrt::AccuracyReport']]]
];
