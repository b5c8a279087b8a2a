var searchData=
[
  ['from_5fdlpack_0',['from_dlpack',['../classvrt_1_1DlpackTensor.html#aa2c11bcb3ebc38b04bbbd7c5b4dbb056',1,'vrt::DlpackTensor::from_dlpack()'],['../classvrt_1_1DlpackTensor.html#ad1486c9ce1914e7def17738dc3167e26',1,'vrt::DlpackTensor::from_dlpack()']]]
];
