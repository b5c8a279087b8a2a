var indexSectionsWithContent =
{
  0: "abcdefghijklmnoprstuvwxyz",
  1: "abcdefgikmoprstvxy",
  2: "v",
  3: "acdegijklmoprstvxy",
  4: "abcdefghiklmnoprstuvwxyz",
  5: "abcefhijklmnoprstuvw",
  6: "dlprs",
  7: "cdeilmprsty",
  8: "k",
  9: "fo",
  10: "v"
};

var indexSectionNames =
{
  0: "all",
  1: "classes",
  2: "namespaces",
  3: "files",
  4: "functions",
  5: "variables",
  6: "typedefs",
  7: "enums",
  8: "enumvalues",
  9: "related",
  10: "defines"
};

var indexSectionLabels =
{
  0: "All",
  1: "Classes",
  2: "Namespaces",
  3: "Files",
  4: "Functions",
  5: "Variables",
  6: "Typedefs",
  7: "Enumerations",
  8: "Enumerator",
  9: "Friends",
  10: "Macros"
};

