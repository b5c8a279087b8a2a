// Internal: For tests: whether a function that vrt declares is called like the vendor's.
#pragma once

#include <cstddef>
#include <type_traits>

namespace vrt::cuda::testing {

/// True if values of the two types are passed alike and mean alike: the same type, or an enumeration where vrt has an int, or
/// integers of one size, or structs of one size (their members are compared apart), or pointers to such.
template <typename Ours, typename Theirs>
constexpr bool passes_alike() {
  if constexpr (std::is_same_v<Ours, Theirs>) {
    return true;
  } else if constexpr (std::is_pointer_v<Ours> && std::is_pointer_v<Theirs>) {
    using OurTarget = std::remove_pointer_t<Ours>;
    using TheirTarget = std::remove_pointer_t<Theirs>;
    return std::is_const_v<OurTarget> == std::is_const_v<TheirTarget> &&
           passes_alike<std::remove_cv_t<OurTarget>, std::remove_cv_t<TheirTarget>>();
  } else if constexpr (std::is_integral_v<Ours> && (std::is_integral_v<Theirs> || std::is_enum_v<Theirs>)) {
    return sizeof(Ours) == sizeof(Theirs);
  } else if constexpr (requires { sizeof(Ours) == sizeof(Theirs); } && std::is_class_v<Ours> &&
                       std::is_class_v<Theirs>) {
    return sizeof(Ours) == sizeof(Theirs) && alignof(Ours) == alignof(Theirs);
  } else {
    return false;
  }
}

template <typename Ours, typename Theirs>
struct IsCalledAlike : std::false_type {};
template <typename R1, typename... Ours, typename R2, typename... Theirs>
  requires(sizeof...(Ours) == sizeof...(Theirs))
struct IsCalledAlike<R1(Ours...), R2(Theirs...)>
    : std::bool_constant<passes_alike<R1, R2>() && (passes_alike<Ours, Theirs>() && ...)> {};

}  // namespace vrt::cuda::testing
