# Placeholder until the kernel build lands: see docs/design.md, "Kernels: one source, two machines".
function(vrt_add_kernels target layer)
endfunction()
