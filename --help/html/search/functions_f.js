var searchData=
[
  ['read_5fback_0',['read_back',['../namespacevrt.html#abccf92804cdf40bc23a60f675b26730f',1,'vrt']]],
  ['read_5fback_5fblocking_1',['read_back_blocking',['../namespacevrt.html#a52ba90fdeb620177f23f3fc398151d77',1,'vrt']]],
  ['read_5fonnx_5fmetadata_2',['read_onnx_metadata',['../namespacevrt.html#aafba9e3897a7d9ab303f79e5d003ecdd',1,'vrt']]],
  ['record_3',['record',['../classvrt_1_1Event.html#a1bd02efa5330dce277db7b45d178c567',1,'vrt::Event']]],
  ['rfdetr_4',['RfDetr',['../classvrt_1_1RfDetr.html#a633853fa1ce60031f5200225eda0014f',1,'vrt::RfDetr']]],
  ['rfdetrkeypoints_5',['RfDetrKeypoints',['../classvrt_1_1RfDetrKeypoints.html#ad9ebe1971cc28a75f89e126a88c8e7b8',1,'vrt::RfDetrKeypoints']]],
  ['rfdetrseg_6',['RfDetrSeg',['../classvrt_1_1RfDetrSeg.html#a1aa7cc0069ead66f9dd4997cf03355bb',1,'vrt::RfDetrSeg']]],
  ['rotate_7',['rotate',['../namespacevrt.html#ab1a1a7914234f3fc3a5928c82e035878',1,'vrt']]],
  ['row_5fbytes_8',['row_bytes',['../namespacevrt.html#a8d51cced92091e80d2acb0636654760c',1,'vrt']]],
  ['row_5fcount_9',['row_count',['../namespacevrt.html#ad2c25e48d766edde30054ab8599638d7',1,'vrt']]],
  ['run_5fdetection_10',['run_detection',['../namespacevrt.html#a0e0fa66178bca016520ea3682d918eed',1,'vrt']]]
];
