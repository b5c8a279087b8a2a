var searchData=
[
  ['cache_5fpaths_2eh_0',['cache_paths.h',['../cache__paths_8h.html',1,'']]],
  ['camera_2eh_1',['camera.h',['../camera_8h.html',1,'']]],
  ['centerface_2eh_2',['centerface.h',['../centerface_8h.html',1,'']]],
  ['class_5fnames_2eh_3',['class_names.h',['../class__names_8h.html',1,'']]],
  ['counters_2eh_4',['counters.h',['../counters_8h.html',1,'']]]
];
