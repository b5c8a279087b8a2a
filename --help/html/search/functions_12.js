var searchData=
[
  ['uninitialized_0',['uninitialized',['../classvrt_1_1DeviceBuffer.html#a9acbfb955a4ba6f803332d94f441b8d0',1,'vrt::DeviceBuffer']]],
  ['update_1',['update',['../classvrt_1_1Kernel_3_01void_07Parameters_8_8_8_08_4.html#a30d7235ac780d35d61ba2c7d24db493e',1,'vrt::Kernel&lt; void(Parameters...)&gt;::update()'],['../classvrt_1_1Preprocessor.html#a867af80a5fd4067712264028398064d5',1,'vrt::Preprocessor::update()'],['../classvrt_1_1CenterFace.html#a2c8604e90437264771f50be60d06b146',1,'vrt::CenterFace::update()']]],
  ['upload_2',['upload',['../namespacevrt.html#a87002be41408ce6d45e36d9d2fd181b8',1,'vrt']]],
  ['upload_5fblocking_3',['upload_blocking',['../namespacevrt.html#a96109aa90861f44c2e5ef87b4bcc0fde',1,'vrt']]]
];
