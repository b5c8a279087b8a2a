var searchData=
[
  ['write_0',['write',['../classvrt_1_1AtomicFile.html#a47a67fde83dc9e77a5ce74c5b26ec427',1,'vrt::AtomicFile::write()'],['../classvrt_1_1VideoWriter.html#a0e5f5716336fc2cffa264b398fb4bedd',1,'vrt::VideoWriter::write()']]],
  ['write_5fpicture_1',['write_picture',['../namespacevrt.html#a0a6691712976ba802b2bbe851ee14ca6',1,'vrt']]]
];
