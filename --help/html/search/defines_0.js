var searchData=
[
  ['vrt_5fapi_0',['VRT_API',['../export_8h.html#a09034ea2accc224bdff9eaa599571e13',1,'export.h']]]
];
