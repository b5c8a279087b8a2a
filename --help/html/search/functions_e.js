var searchData=
[
  ['packed_0',['packed',['../structvrt_1_1ImageView.html#a0a2086366f2a51c6d2a498503cc11e86',1,'vrt::ImageView::packed()'],['../structvrt_1_1ImageBatch.html#a11d59e99a92c85fa00b9972a66ed5fd0',1,'vrt::ImageBatch::packed()']]],
  ['packed_5fbytes_1',['packed_bytes',['../namespacevrt.html#a2a045ffdb735bc7108af7d2f9fe9afc0',1,'vrt']]],
  ['parse_2',['parse',['../classvrt_1_1Device.html#ab4a8466fe9eecf0d5c4739fcaaa27779',1,'vrt::Device']]],
  ['parse_5fcoco_5frle_5ftext_3',['parse_coco_rle_text',['../namespacevrt.html#a789432688777b1363d0f91d3bc127ef6',1,'vrt']]],
  ['percentile_4',['percentile',['../classvrt_1_1DurationHistogram.html#a425870eea73dca5c59b1aaac39dea418',1,'vrt::DurationHistogram']]],
  ['picture_5',['picture',['../classvrt_1_1BasicDepthResult.html#abfaf709fb324bf7c72976ad24bcdef0c',1,'vrt::BasicDepthResult']]],
  ['pinnedbuffer_6',['PinnedBuffer',['../classvrt_1_1PinnedBuffer.html#a9effc1222d21f82d24655b9b65f4cb73',1,'vrt::PinnedBuffer']]],
  ['plane_5fcount_7',['plane_count',['../namespacevrt.html#a0281f55ff6981b7d2fa3b91c0d97cb5b',1,'vrt']]],
  ['preprocessor_8',['Preprocessor',['../classvrt_1_1Preprocessor.html#a45cd402c4684629e7e115adf9454757a',1,'vrt::Preprocessor']]]
];
