var searchData=
[
  ['activation_5fbytes_0',['activation_bytes',['../structvrt_1_1EngineDetails.html#a9c5fe2945fe456780559b01ace2f84c8',1,'vrt::EngineDetails']]],
  ['appearance_1',['appearance',['../structvrt_1_1RfDetrSegResultOptions.html#a8f5406dd946a7c1ac89cbe5dd8087be6',1,'vrt::RfDetrSegResultOptions']]],
  ['architecture_2',['architecture',['../structvrt_1_1DeviceInfo.html#a12473f7314108be4d1a1e25c6ceb4af9',1,'vrt::DeviceInfo']]]
];
