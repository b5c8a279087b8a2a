var searchData=
[
  ['make_0',['make',['../structvrt_1_1ResizeMapping.html#ae098bc731e35c69cd5d90f878868e051',1,'vrt::ResizeMapping']]],
  ['make_5fprivate_5ffolder_1',['make_private_folder',['../namespacevrt.html#a339555d4535f3c354f2f8e92e5db6ac7',1,'vrt']]],
  ['mask_2',['mask',['../classvrt_1_1RfDetrSegResult.html#a005c7813a35ca95447064614d7d75536',1,'vrt::RfDetrSegResult::mask()'],['../classvrt_1_1YoloResult.html#acecd261069a560c91aeeae47e328e940',1,'vrt::YoloResult::mask()']]],
  ['mask_5fcount_3',['mask_count',['../classvrt_1_1RfDetrSegResult.html#aa031cbc85464b6c5508a93595e489eb6',1,'vrt::RfDetrSegResult::mask_count()'],['../classvrt_1_1YoloResult.html#ab786104aa9d9726d820503ed1274ce74',1,'vrt::YoloResult::mask_count()']]],
  ['mask_5fof_5frun_5flengths_4',['mask_of_run_lengths',['../namespacevrt.html#a9a513f34044af20108673c00957c1279',1,'vrt']]],
  ['mask_5fwords_5',['mask_words',['../namespacevrt.html#ac16d3742e4d0ff4f64f200c132a32224',1,'vrt']]],
  ['mask_5fwords_5fper_5frow_6',['mask_words_per_row',['../namespacevrt.html#a424971724701fae135959ac1ea03e1af',1,'vrt']]],
  ['matcher_7',['Matcher',['../classvrt_1_1Matcher.html#a350670461e8baf115582b6a3b5ab2d83',1,'vrt::Matcher']]],
  ['matches_8',['matches',['../classvrt_1_1MatchResult.html#a222dc4e01e26ff07c30f5188997fcf95',1,'vrt::MatchResult']]],
  ['mean_9',['mean',['../classvrt_1_1DurationHistogram.html#a9c0b8ae452bd0230c6cee0b549e478a9',1,'vrt::DurationHistogram']]],
  ['media_5flibrary_10',['media_library',['../namespacevrt.html#aae9b283928d36cd8343e694897d3a66b',1,'vrt']]],
  ['message_11',['message',['../classvrt_1_1Error.html#ab0b4f915028d7c317218b4e1f0e39d2d',1,'vrt::Error']]],
  ['metres_12',['metres',['../classvrt_1_1BasicDepthResult.html#abbd98240595b3ecfa822badcdb827fc0',1,'vrt::BasicDepthResult']]],
  ['model_13',['model',['../classvrt_1_1Engine.html#ade522a5dd8483e60899b4c080d83aa0a',1,'vrt::Engine']]],
  ['model_5fplaces_14',['model_places',['../namespacevrt.html#a74b4e9199568792a87a52eccb2919513',1,'vrt']]]
];
