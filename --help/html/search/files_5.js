var searchData=
[
  ['image_2eh_0',['image.h',['../image_8h.html',1,'']]],
  ['image_5fclassifier_2eh_1',['image_classifier.h',['../image__classifier_8h.html',1,'']]]
];
