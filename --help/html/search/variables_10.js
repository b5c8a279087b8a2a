var searchData=
[
  ['text_0',['text',['../structvrt_1_1KernelSource.html#a7cc3870b04352ff4eb5795634de4cee2',1,'vrt::KernelSource']]],
  ['threads_1',['threads',['../structvrt_1_1EngineOptions.html#aa8833cbfbfa5989def0adb9f6e66481a',1,'vrt::EngineOptions']]],
  ['threshold_2',['threshold',['../structvrt_1_1XFeatOptions.html#a2611571b497e06e4874344aa57157c41',1,'vrt::XFeatOptions']]],
  ['time_3',['time',['../structvrt_1_1FrameRecord.html#ac2f3ae056fc9519dc975d01a7ee170b9',1,'vrt::FrameRecord']]],
  ['top_5fk_4',['top_k',['../structvrt_1_1ImageClassifierOptions.html#a09a3c10dade8335a64d6fb230eedc7ab',1,'vrt::ImageClassifierOptions']]],
  ['total_5',['total',['../structvrt_1_1RunProgress.html#ab44a48336af1b92260b3931cf43cefe6',1,'vrt::RunProgress']]],
  ['typical_6',['typical',['../structvrt_1_1BatchRange.html#abc67ef03fdc8411aeaa3b1816a5373ed',1,'vrt::BatchRange']]]
];
