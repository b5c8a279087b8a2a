var searchData=
[
  ['loglevel_0',['LogLevel',['../namespacevrt.html#ad92ffb80b35535190b639f4c525dd8a4',1,'vrt']]]
];
