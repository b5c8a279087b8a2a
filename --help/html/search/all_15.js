var searchData=
[
  ['waits_0',['waits',['../structvrt_1_1DeviceCounters.html#ab538c7127f84f6b0cc50673d8c9d3c4e',1,'vrt::DeviceCounters']]],
  ['warm_5fup_1',['warm_up',['../structvrt_1_1CaptureOptions.html#a595d12ac3cfeadebb5f79010cb6afca3',1,'vrt::CaptureOptions']]],
  ['weights_5fbytes_2',['weights_bytes',['../structvrt_1_1EngineDetails.html#a6675fb31e2cd966c4e3e8471b3bfe1ad',1,'vrt::EngineDetails']]],
  ['workspace_5fbytes_3',['workspace_bytes',['../structvrt_1_1EngineOptions.html#a8a292a0354dfc136a49bf572787033ff',1,'vrt::EngineOptions']]],
  ['write_4',['write',['../classvrt_1_1AtomicFile.html#a47a67fde83dc9e77a5ce74c5b26ec427',1,'vrt::AtomicFile::write()'],['../classvrt_1_1VideoWriter.html#a0e5f5716336fc2cffa264b398fb4bedd',1,'vrt::VideoWriter::write()']]],
  ['write_5fpicture_5',['write_picture',['../namespacevrt.html#a0a6691712976ba802b2bbe851ee14ca6',1,'vrt']]]
];
