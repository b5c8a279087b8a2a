var searchData=
[
  ['kernel_0',['Kernel',['../classvrt_1_1Kernel.html',1,'vrt']]],
  ['kernel_3c_20void_28parameters_2e_2e_2e_29_3e_1',['Kernel&lt; void(Parameters...)&gt;',['../classvrt_1_1Kernel_3_01void_07Parameters_8_8_8_08_4.html',1,'vrt']]],
  ['kernelmodule_2',['KernelModule',['../classvrt_1_1KernelModule.html',1,'vrt']]],
  ['kernelsource_3',['KernelSource',['../structvrt_1_1KernelSource.html',1,'vrt']]],
  ['keypoint_4',['Keypoint',['../structvrt_1_1Keypoint.html',1,'vrt']]]
];
