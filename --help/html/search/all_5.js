var searchData=
[
  ['family_0',['family',['../structvrt_1_1ModelEntry.html#aedd0e4a9da779dad42f7e8ad4a2e4e1a',1,'vrt::ModelEntry']]],
  ['featureresultoptions_1',['FeatureResultOptions',['../structvrt_1_1FeatureResultOptions.html',1,'vrt']]],
  ['file_2',['file',['../structvrt_1_1KernelSource.html#a26342328f6de937144da77b2959ab6d1',1,'vrt::KernelSource::file()'],['../structvrt_1_1ModelEntry.html#aff8a5866f4d48984bc04522d95cc8ab3',1,'vrt::ModelEntry::file()']]],
  ['fill_5fbytes_3',['fill_bytes',['../namespacevrt.html#a74ca5ac1e563c671be6788a375827903',1,'vrt']]],
  ['find_5fmodel_4',['find_model',['../namespacevrt.html#a60950e008093536db02ed3ac7a198690',1,'vrt']]],
  ['finish_5',['finish',['../classvrt_1_1Sha256.html#a9a12258dcbdbaedbbada3a9d754ca10c',1,'vrt::Sha256::finish()'],['../classvrt_1_1VideoWriter.html#a5d8b18237e08531864036ca815d236c1',1,'vrt::VideoWriter::finish()']]],
  ['first_6',['first',['../structvrt_1_1Match.html#a79fd413be8d36f339e81dbf6e7dc6ef3',1,'vrt::Match']]],
  ['flush_7',['flush',['../classvrt_1_1AtomicFile.html#ae9e3e04c1007180fcde6bbbc17f98ccd',1,'vrt::AtomicFile']]],
  ['foreignmemory_8',['ForeignMemory',['../structvrt_1_1ForeignMemory.html',1,'vrt']]],
  ['frame_9',['Frame',['../classvrt_1_1Frame.html',1,'vrt']]],
  ['frame_5fcount_10',['frame_count',['../structvrt_1_1SourceInfo.html#a6014eb22d96a84a5911861531ddd6f24',1,'vrt::SourceInfo']]],
  ['frame_5frate_11',['frame_rate',['../structvrt_1_1SourceInfo.html#ab03cc81c19dedbbb8ed3c0993e70687a',1,'vrt::SourceInfo']]],
  ['framerecord_12',['FrameRecord',['../structvrt_1_1FrameRecord.html',1,'vrt']]],
  ['frames_13',['frames',['../structvrt_1_1RunProgress.html#acfb188adfbf9491e571005320afc7fed',1,'vrt::RunProgress']]],
  ['frames_5fin_5fflight_14',['frames_in_flight',['../structvrt_1_1SourceOptions.html#a3f79a2b99833488780e1c52518245648',1,'vrt::SourceOptions']]],
  ['from_5fdlpack_15',['from_dlpack',['../classvrt_1_1DlpackTensor.html#aa2c11bcb3ebc38b04bbbd7c5b4dbb056',1,'vrt::DlpackTensor::from_dlpack()'],['../classvrt_1_1DlpackTensor.html#ad1486c9ce1914e7def17738dc3167e26',1,'vrt::DlpackTensor::from_dlpack()'],['../namespacevrt.html#a5c41df262c07b76bae034285245e88d9',1,'vrt::from_dlpack(const Stream &amp;stream, DLManagedTensorVersioned *tensor, const std::optional&lt; Stream &gt; &amp;producer=std::nullopt)'],['../namespacevrt.html#a1118ab3dd54a09ae0fc344f0c9034fa2',1,'vrt::from_dlpack(const Stream &amp;stream, DLManagedTensor *tensor, const std::optional&lt; Stream &gt; &amp;producer=std::nullopt)']]]
];
