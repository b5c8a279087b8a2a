var searchData=
[
  ['name_0',['name',['../structvrt_1_1DeviceInfo.html#a4904069cc4dfed699501042ac95fd67d',1,'vrt::DeviceInfo::name()'],['../structvrt_1_1BackendInfo.html#a660a3fb341be6a405d35d7fc33f7ee23',1,'vrt::BackendInfo::name()'],['../structvrt_1_1ModelEntry.html#afa1a4406adc6dbef8fa21cff729a5226',1,'vrt::ModelEntry::name()']]],
  ['names_1',['names',['../structvrt_1_1ImageClassifierOptions.html#a37fa34032a345fb24dd42a302858899d',1,'vrt::ImageClassifierOptions::names()'],['../structvrt_1_1RfDetrOptions.html#a7265ffefeb24e6f50fe01303623ea003',1,'vrt::RfDetrOptions::names()']]],
  ['network_5finput_2',['network_input',['../structvrt_1_1RunReport.html#ab1b06fccf99d83ad125f5a5254483abf',1,'vrt::RunReport']]],
  ['nms_5fthreshold_3',['nms_threshold',['../structvrt_1_1CenterFaceOptions.html#a95d0c30447de2a866257882a72e3d5b9',1,'vrt::CenterFaceOptions::nms_threshold()'],['../structvrt_1_1YoloOptions.html#af77c63450dd320e410e380808db987a3',1,'vrt::YoloOptions::nms_threshold()']]]
];
