# A document that shows files must show them as they are. A file is shown as a code block after a line
#   <!-- file: path/from/root -->
# and the block's text is the whole file.
#   cmake -DDOCUMENT=docs/x.md -DSOURCE_DIR=… -P check_shown_files.cmake
cmake_minimum_required(VERSION 3.22)
file(READ "${SOURCE_DIR}/${DOCUMENT}" document)
string(REGEX MATCHALL "<!-- file: [^ ]+ -->" markers "${document}")
if(NOT markers)
  message(FATAL_ERROR "${DOCUMENT} shows no file")
endif()
foreach(marker IN LISTS markers)
  string(REGEX REPLACE "<!-- file: ([^ ]+) -->" "\\1" path "${marker}")
  file(READ "${SOURCE_DIR}/${path}" text)
  foreach(language cpp cuda)
    string(FIND "${document}" "${marker}\n```${language}\n${text}```\n" found_${language})
  endforeach()
  if(found_cpp EQUAL -1 AND found_cuda EQUAL -1)
    message(FATAL_ERROR "${DOCUMENT} does not show ${path} as it is: copy the file into the block below its marker")
  endif()
endforeach()
message("shown files are as they are: ${markers}")
