# Code compiled for a newer processor must not be visible to the linker under a name that other objects use as well: it would
# take either copy for all. Fails if a host build of kernels defines a shared function whose name does not contain its own
# namespace, as template instances of its own lambdas and types do.
#   cmake -DNM=nm "-DOBJECTS=a.o;b.o" -P check_kernel_objects.cmake
set(checked 0)
set(offending "")
foreach(object IN LISTS OBJECTS)
  if(NOT object MATCHES "_(v3|baseline)\\.cpp\\.o$")
    continue()
  endif()
  execute_process(COMMAND "${NM}" --defined-only --extern-only --format=posix "${object}" OUTPUT_VARIABLE symbols
                  COMMAND_ERROR_IS_FATAL ANY)
  math(EXPR checked "${checked} + 1")
  string(REPLACE "\n" ";" symbols "${symbols}")
  foreach(symbol IN LISTS symbols)
    if(symbol MATCHES "^[^ ]+ [TWi] " AND NOT symbol MATCHES "vrt_host_")  # Code; data is the same on every processor.
      string(APPEND offending "  ${symbol} in ${object}\n")
    endif()
  endforeach()
endforeach()
if(checked EQUAL 0)
  message(FATAL_ERROR "no host builds of kernels among: ${OBJECTS}")
endif()
if(offending)
  message(FATAL_ERROR "kernels must use no shared inline function (a std:: template that was not inlined?):\n${offending}")
endif()
message("${checked} objects checked")
