#include "vrt/device/cuda/testing/forward/thunks.h"

namespace vrt::cuda::forward {

#define VRT_DRIVER_NAME(name) #name,
extern const char* const kKnownNames[] = {
#include "vrt/device/cuda/testing/forward/driver_names.inc"
    "cuGetProcAddress", "cuGetProcAddress_v2"};
#undef VRT_DRIVER_NAME
extern const std::size_t kKnownCount = sizeof(kKnownNames) / sizeof(kKnownNames[0]);

// Each thunk is 16 bytes: it passes its number to the common part, which saves every register that can hold an argument, asks
// vrt_forward_enter where to go, restores them and jumps there. Arguments on the stack, the return address and the result are
// never touched, so one thunk fits every signature.
extern "C" const char vrt_forward_thunks[];

#if defined(__x86_64__)
#define VRT_THUNK_BODY \
  "  endbr64\n"        \
  "  pushq $vrt_i\n"   \
  "  jmp .Lvrt_common\n"
#define VRT_COMMON_BODY                                                                                             \
  "  subq $208, %rsp\n" /* The stack is aligned to 16 here: return address and number are above. */                 \
  "  movq %rdi, (%rsp)\n  movq %rsi, 8(%rsp)\n  movq %rdx, 16(%rsp)\n  movq %rcx, 24(%rsp)\n  movq %r8, 32(%rsp)\n" \
  "  movq %r9, 40(%rsp)\n  movq %rax, 48(%rsp)\n  movq %r10, 56(%rsp)\n"                                            \
  "  movups %xmm0, 64(%rsp)\n  movups %xmm1, 80(%rsp)\n  movups %xmm2, 96(%rsp)\n  movups %xmm3, 112(%rsp)\n"       \
  "  movups %xmm4, 128(%rsp)\n  movups %xmm5, 144(%rsp)\n  movups %xmm6, 160(%rsp)\n  movups %xmm7, 176(%rsp)\n"    \
  "  movq 208(%rsp), %rdi\n"                                                                                        \
  "  call vrt_forward_enter\n"                                                                                      \
  "  movq %rax, %r11\n"                                                                                             \
  "  movq (%rsp), %rdi\n  movq 8(%rsp), %rsi\n  movq 16(%rsp), %rdx\n  movq 24(%rsp), %rcx\n  movq 32(%rsp), %r8\n" \
  "  movq 40(%rsp), %r9\n  movq 48(%rsp), %rax\n  movq 56(%rsp), %r10\n"                                            \
  "  movups 64(%rsp), %xmm0\n  movups 80(%rsp), %xmm1\n  movups 96(%rsp), %xmm2\n  movups 112(%rsp), %xmm3\n"       \
  "  movups 128(%rsp), %xmm4\n  movups 144(%rsp), %xmm5\n  movups 160(%rsp), %xmm6\n  movups 176(%rsp), %xmm7\n"    \
  "  addq $216, %rsp\n"                                                                                             \
  "  jmp *%r11\n"
#elif defined(__aarch64__)
// Assembled by Clang, never run.
#define VRT_THUNK_BODY       \
  "  hint #34\n" /* bti c */ \
  "  mov w17, #vrt_i\n"      \
  "  b .Lvrt_common\n"
#define VRT_COMMON_BODY                                                                                     \
  "  stp x29, x30, [sp, #-224]!\n  mov x29, sp\n"                                                           \
  "  stp x0, x1, [sp, #16]\n  stp x2, x3, [sp, #32]\n  stp x4, x5, [sp, #48]\n  stp x6, x7, [sp, #64]\n"    \
  "  str x8, [sp, #80]\n"                                                                                   \
  "  stp q0, q1, [sp, #96]\n  stp q2, q3, [sp, #128]\n  stp q4, q5, [sp, #160]\n  stp q6, q7, [sp, #192]\n" \
  "  mov x0, x17\n"                                                                                         \
  "  bl vrt_forward_enter\n"                                                                                \
  "  mov x16, x0\n"                                                                                         \
  "  ldp x0, x1, [sp, #16]\n  ldp x2, x3, [sp, #32]\n  ldp x4, x5, [sp, #48]\n  ldp x6, x7, [sp, #64]\n"    \
  "  ldr x8, [sp, #80]\n"                                                                                   \
  "  ldp q0, q1, [sp, #96]\n  ldp q2, q3, [sp, #128]\n  ldp q4, q5, [sp, #160]\n  ldp q6, q7, [sp, #192]\n" \
  "  ldp x29, x30, [sp], #224\n"                                                                            \
  "  br x16\n"
#else
#error "the forwarding library has thunks for x86-64 and aarch64 only; write VRT_THUNK_BODY and VRT_COMMON_BODY"
#endif

// clang-format off: one assembly text, so that the thunks stay in the order of the names.
#define VRT_DRIVER_NAME(name) "vrt_named_thunk " #name "\n"
asm(
  ".pushsection .text.vrt_forward, \"ax\", %progbits\n"
  ".set vrt_i, 0\n"
  ".macro vrt_thunk\n"
  "  .balign 16\n"
  VRT_THUNK_BODY
  "  .set vrt_i, vrt_i + 1\n"
  ".endm\n"
  ".macro vrt_named_thunk name\n"
  "  .balign 16\n"
  "  .globl \\name\n"
  "  .type \\name, %function\n"
  "\\name:\n"
  "  vrt_thunk\n"
  ".endm\n"
  ".balign 16\n"
  ".globl vrt_forward_thunks\n"
  ".hidden vrt_forward_thunks\n"
  "vrt_forward_thunks:\n"
#include "vrt/device/cuda/testing/forward/driver_names.inc"
  ".rept 2048 - vrt_i\n"
  "  vrt_thunk\n"
  ".endr\n"
  ".balign 16\n"
  ".Lvrt_common:\n"
  VRT_COMMON_BODY
  ".popsection\n");
#undef VRT_DRIVER_NAME
// clang-format on

static_assert(kThunkCount == 2048, "the assembly counts the same");

void* thunk(std::size_t index) {
  constexpr std::size_t kThunkBytes = 16;
  return const_cast<char*>(vrt_forward_thunks) + index * kThunkBytes;
}

}  // namespace vrt::cuda::forward
