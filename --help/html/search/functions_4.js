var searchData=
[
  ['elapsed_0',['elapsed',['../namespacevrt.html#a66b59fe191e04835d93c484d4e6a41b7',1,'vrt']]],
  ['element_5fcount_1',['element_count',['../classvrt_1_1Shape.html#a375cb65cc093f62403c6da445e76efc5',1,'vrt::Shape']]],
  ['embeddings_2',['embeddings',['../classvrt_1_1EmbeddingResult.html#a5d762eddfeb54ccc8efba5cffffa3718',1,'vrt::EmbeddingResult']]],
  ['enlargement_5ffor_3',['enlargement_for',['../classvrt_1_1Canvas.html#af200111fe4f2c9781e0ad9b1e573ca2f',1,'vrt::Canvas']]],
  ['enqueue_5fhost_4',['enqueue_host',['../classvrt_1_1Stream.html#abc66a623d112b0095ccccb17f2150563',1,'vrt::Stream']]],
  ['error_5',['Error',['../classvrt_1_1Error.html#ad5b38db8c8bfe247932c7fae3d676ccf',1,'vrt::Error']]]
];
