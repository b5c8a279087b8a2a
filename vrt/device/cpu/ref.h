// Internal: an owning pointer whose copies order no memory.
#pragma once

#include <atomic>
#include <cstdint>
#include <utility>

namespace vrt::cpu {

/// Base of what Ref owns.
class RefCounted {
 public:
  RefCounted() = default;
  RefCounted(const RefCounted&) noexcept {}
  RefCounted& operator=(const RefCounted&) noexcept { return *this; }

 private:
  template <typename T>
  friend class Ref;
  mutable std::atomic<std::uint32_t> owners_{0};
};

/// Like std::shared_ptr, but copying is a relaxed increment: submitting the same graph twice must not order the caller
/// behind the worker that has let go of the first (std::shared_ptr does, and hides missed waits from TSan).
template <typename T>
class Ref {
 public:
  Ref() noexcept = default;
  explicit Ref(T* object) noexcept : object_(object) { acquire(); }
  Ref(const Ref& other) noexcept : object_(other.object_) { acquire(); }
  Ref(Ref&& other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
  ~Ref() { release(); }
  Ref& operator=(const Ref& other) noexcept {  // NOLINT(bugprone-unhandled-self-assignment): the next line does
    if (object_ != other.object_) Ref(other).swap(*this);
    return *this;
  }
  Ref& operator=(Ref&& other) noexcept {
    Ref(std::move(other)).swap(*this);
    return *this;
  }

  [[nodiscard]] T* get() const noexcept { return object_; }
  T& operator*() const noexcept { return *object_; }
  T* operator->() const noexcept { return object_; }
  explicit operator bool() const noexcept { return object_ != nullptr; }
  void reset() noexcept { Ref().swap(*this); }
  void swap(Ref& other) noexcept { std::swap(object_, other.object_); }

  /// True if nobody else owns the object; what the others did with it has then happened before.
  [[nodiscard]] bool is_only_owner() const noexcept { return object_->owners_.load(std::memory_order_acquire) == 1; }

  friend bool operator==(const Ref& a, const Ref& b) noexcept { return a.object_ == b.object_; }

 private:
  void acquire() const noexcept {
    if (object_ != nullptr) object_->owners_.fetch_add(1, std::memory_order_relaxed);
  }
  void release() const noexcept {
    if (object_ != nullptr && object_->owners_.fetch_sub(1, std::memory_order_acq_rel) == 1) delete object_;
  }

  T* object_ = nullptr;
};

template <typename T, typename... Arguments>
[[nodiscard]] Ref<T> make_ref(Arguments&&... arguments) {
  return Ref<T>(new T(std::forward<Arguments>(arguments)...));
}

}  // namespace vrt::cpu
