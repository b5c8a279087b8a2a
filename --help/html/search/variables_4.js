var searchData=
[
  ['family_0',['family',['../structvrt_1_1ModelEntry.html#aedd0e4a9da779dad42f7e8ad4a2e4e1a',1,'vrt::ModelEntry']]],
  ['file_1',['file',['../structvrt_1_1KernelSource.html#a26342328f6de937144da77b2959ab6d1',1,'vrt::KernelSource::file()'],['../structvrt_1_1ModelEntry.html#aff8a5866f4d48984bc04522d95cc8ab3',1,'vrt::ModelEntry::file()']]],
  ['first_2',['first',['../structvrt_1_1Match.html#a79fd413be8d36f339e81dbf6e7dc6ef3',1,'vrt::Match']]],
  ['frame_5fcount_3',['frame_count',['../structvrt_1_1SourceInfo.html#a6014eb22d96a84a5911861531ddd6f24',1,'vrt::SourceInfo']]],
  ['frame_5frate_4',['frame_rate',['../structvrt_1_1SourceInfo.html#ab03cc81c19dedbbb8ed3c0993e70687a',1,'vrt::SourceInfo']]],
  ['frames_5',['frames',['../structvrt_1_1RunProgress.html#acfb188adfbf9491e571005320afc7fed',1,'vrt::RunProgress']]],
  ['frames_5fin_5fflight_6',['frames_in_flight',['../structvrt_1_1SourceOptions.html#a3f79a2b99833488780e1c52518245648',1,'vrt::SourceOptions']]]
];
