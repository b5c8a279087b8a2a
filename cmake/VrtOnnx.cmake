# vrt_find_onnx(<sources> <libraries>): what reads and changes ONNX files, for the engine layer; called in its folder.
#
# ONNX's own description of its files is compiled by protoc. The package is renamed, and libprotobuf-lite has no registry of
# descriptions, so that other libraries of the process, which have ONNX's messages too, never meet ours. Where protobuf
# or the description is missing, <sources> is a stand-in that says so, and <libraries> is empty.
function(vrt_find_onnx sources libraries)
  set(${libraries} "" PARENT_SCOPE)
  set(${sources} model_preparation_unavailable.cpp PARENT_SCOPE)
  find_package(Protobuf QUIET)
  if(NOT TARGET protobuf::protoc OR NOT TARGET protobuf::libprotobuf-lite OR NOT VRT_ONNX_PROTO)
    message(STATUS "ONNX files: vrt will not read or change them (that needs libprotobuf-dev, protobuf-compiler, and in "
                   "VRT_ONNX_PROTO the path of onnx-ml.proto)")
    return()
  endif()
  message(STATUS "ONNX files: protobuf ${Protobuf_VERSION}, ${VRT_ONNX_PROTO}")
  vrt_generate_onnx_messages()
  set(${libraries} protobuf::libprotobuf-lite PARENT_SCOPE)
  set(files element_types exposed_values external_data float16_convert float16_plan float16_rules graph_index half model model_file
            normalisation order probes signature simplify tensor unique_names utf8)
  list(TRANSFORM files REPLACE "(.+)" "onnx/\\1.cpp")
  set(${sources} model_preparation.cpp float16_ranges.cpp ${files} "${VRT_ONNX_GENERATED}/vrt/engine/onnx/onnx.pb.cc"
      PARENT_SCOPE)
endfunction()

set(VRT_ONNX_GENERATED "${PROJECT_BINARY_DIR}/generated_onnx")

function(vrt_generate_onnx_messages)
  set(base "${VRT_ONNX_GENERATED}/vrt/engine/onnx/onnx")
  file(READ "${VRT_ONNX_PROTO}" text)
  string(REPLACE "\npackage onnx;" "\npackage vrt_onnx;" text "${text}")
  if(NOT text MATCHES "\npackage vrt_onnx;")
    message(FATAL_ERROR "${VRT_ONNX_PROTO} has no line \"package onnx;\": it is not ONNX's description of its files")
  endif()
  if(NOT text MATCHES "\noption optimize_for = LITE_RUNTIME;")
    string(APPEND text "\noption optimize_for = LITE_RUNTIME;\n")
  endif()
  file(CONFIGURE OUTPUT "${base}.proto" CONTENT "${text}" @ONLY)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${VRT_ONNX_PROTO}")
  add_custom_command(OUTPUT "${base}.pb.cc" "${base}.pb.h"
    COMMAND protobuf::protoc "--proto_path=${VRT_ONNX_GENERATED}" "--cpp_out=${VRT_ONNX_GENERATED}" "${base}.proto"
    DEPENDS "${base}.proto" COMMENT "Generating the reader of ONNX files" VERBATIM)
  # Generated code has warnings of its own.
  set_source_files_properties("${base}.pb.cc" PROPERTIES COMPILE_OPTIONS -w)
endfunction()
