var searchData=
[
  ['maskoptions_0',['MaskOptions',['../structvrt_1_1MaskOptions.html',1,'vrt']]],
  ['maskview_1',['MaskView',['../structvrt_1_1MaskView.html',1,'vrt']]],
  ['match_2',['Match',['../structvrt_1_1Match.html',1,'vrt']]],
  ['matcher_3',['Matcher',['../classvrt_1_1Matcher.html',1,'vrt']]],
  ['matcheroptions_4',['MatcherOptions',['../structvrt_1_1MatcherOptions.html',1,'vrt']]],
  ['matchresult_5',['MatchResult',['../classvrt_1_1MatchResult.html',1,'vrt']]],
  ['matchresultoptions_6',['MatchResultOptions',['../structvrt_1_1MatchResultOptions.html',1,'vrt']]],
  ['modelentry_7',['ModelEntry',['../structvrt_1_1ModelEntry.html',1,'vrt']]]
];
