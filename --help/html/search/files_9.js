var searchData=
[
  ['mask_2eh_0',['mask.h',['../mask_8h.html',1,'']]],
  ['mask_5foptions_2eh_1',['mask_options.h',['../mask__options_8h.html',1,'']]],
  ['mask_5frle_2eh_2',['mask_rle.h',['../mask__rle_8h.html',1,'']]],
  ['matcher_2eh_3',['matcher.h',['../matcher_8h.html',1,'']]],
  ['media_5flibrary_2eh_4',['media_library.h',['../media__library_8h.html',1,'']]],
  ['memory_2eh_5',['memory.h',['../memory_8h.html',1,'']]]
];
