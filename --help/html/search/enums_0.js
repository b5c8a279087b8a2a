var searchData=
[
  ['channelorder_0',['ChannelOrder',['../namespacevrt.html#a96745619571cd54cc9f587e7b656a2da',1,'vrt']]]
];
