var searchData=
[
  ['registry_2eh_0',['registry.h',['../registry_8h.html',1,'']]],
  ['resize_2eh_1',['resize.h',['../resize_8h.html',1,'']]],
  ['rfdetr_2eh_2',['rfdetr.h',['../rfdetr_8h.html',1,'']]],
  ['rfdetr_5fkeypoints_2eh_3',['rfdetr_keypoints.h',['../rfdetr__keypoints_8h.html',1,'']]],
  ['rfdetr_5fseg_2eh_4',['rfdetr_seg.h',['../rfdetr__seg_8h.html',1,'']]],
  ['run_2eh_5',['run.h',['../run_8h.html',1,'']]]
];
