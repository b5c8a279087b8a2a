var searchData=
[
  ['fill_5fbytes_0',['fill_bytes',['../namespacevrt.html#a74ca5ac1e563c671be6788a375827903',1,'vrt']]],
  ['find_5fmodel_1',['find_model',['../namespacevrt.html#a60950e008093536db02ed3ac7a198690',1,'vrt']]],
  ['finish_2',['finish',['../classvrt_1_1Sha256.html#a9a12258dcbdbaedbbada3a9d754ca10c',1,'vrt::Sha256::finish()'],['../classvrt_1_1VideoWriter.html#a5d8b18237e08531864036ca815d236c1',1,'vrt::VideoWriter::finish()']]],
  ['flush_3',['flush',['../classvrt_1_1AtomicFile.html#ae9e3e04c1007180fcde6bbbc17f98ccd',1,'vrt::AtomicFile']]],
  ['from_5fdlpack_4',['from_dlpack',['../namespacevrt.html#a5c41df262c07b76bae034285245e88d9',1,'vrt::from_dlpack(const Stream &amp;stream, DLManagedTensorVersioned *tensor, const std::optional&lt; Stream &gt; &amp;producer=std::nullopt)'],['../namespacevrt.html#a1118ab3dd54a09ae0fc344f0c9034fa2',1,'vrt::from_dlpack(const Stream &amp;stream, DLManagedTensor *tensor, const std::optional&lt; Stream &gt; &amp;producer=std::nullopt)']]]
];
