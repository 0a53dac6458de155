// Function: a std::function whose copies share one callable, which they call as const. It replaces
// std::function because each callable compiles to 3 small functions in place of about 12, and
// because <functional> is a large header.
//
// Ownership: copies own the callable together. Threads: concurrent calls are safe if concurrent
// calls of the callable are. Errors: those of the callable; std::bad_function_call for an empty
// one.
#pragma once

#include <cstddef>
#include <memory>
#include <tuple>
#include <type_traits>
#include <utility>

namespace sluice {
namespace detail {

// Same as std::invoke, which is in <functional>; std::apply calls members for us.
template <class F, class... Args>
decltype(auto) invoke(F&& f, Args&&... args) {
  if constexpr (std::is_member_pointer_v<std::decay_t<F>>) {
    return std::apply(f, std::forward_as_tuple(std::forward<Args>(args)...));
  } else {
    return std::forward<F>(f)(std::forward<Args>(args)...);
  }
}

// Types of callables with an empty state: pointers, std::function, Function and their like.
template <class F>
concept may_be_empty = std::is_pointer_v<F> || std::is_member_pointer_v<F> ||
    (std::is_constructible_v<F, std::nullptr_t>&& std::is_constructible_v<bool, const F&>);
template <class F>
bool is_empty(const F& f) {
  if constexpr (may_be_empty<F>) {
    return !f;
  } else {
    return false;
  }
}

[[noreturn]] void throw_bad_function_call();

}  // namespace detail

template <class Signature>
class Function;
template <class R, class... Args>
class Function<R(Args...)> {
 public:
  Function() = default;
  Function(std::nullptr_t) {}  // NOLINT(google-explicit-constructor)
  // An empty callable makes an empty Function.
  template <class F>
  requires(!std::is_same_v<F, Function> && std::is_invocable_r_v<R, const F&, Args...>)
      Function(F f) {  // NOLINT(google-explicit-constructor): as with std::function
    if (!detail::is_empty(f)) *this = Function(std::in_place_type<F>, std::move(f));
  }
  // Constructs an F from `from`.
  template <class F, class... From>
  explicit Function(std::in_place_type_t<F>, From&&... from)
      : call_([](const void* f, Args... args) -> R {
          if constexpr (std::is_void_v<R>) {
            detail::invoke(*static_cast<const F*>(f), std::forward<Args>(args)...);
          } else {
            return detail::invoke(*static_cast<const F*>(f), std::forward<Args>(args)...);
          }
        }),
        // The deleter is a plain pointer, so that all callables share one type of control block.
        callable_(static_cast<const void*>(new F(std::forward<From>(from)...)),
                  static_cast<void (*)(const void*)>(
                      [](const void* f) { delete static_cast<const F*>(f); })) {}
  // Calls `call` with `shared`, which the copies share.
  Function(R (*call)(const void*, Args...), std::shared_ptr<const void> shared)
      : call_(call), callable_(std::move(shared)) {}
  Function(const Function&) = default;
  Function(Function&& other) noexcept
      : call_(std::exchange(other.call_, nullptr)), callable_(std::move(other.callable_)) {}
  Function& operator=(const Function&) = default;
  Function& operator=(Function&& other) noexcept {
    call_ = std::exchange(other.call_, nullptr);
    callable_ = std::move(other.callable_);
    return *this;
  }
  ~Function() = default;

  R operator()(Args... args) const {
    if (call_ == nullptr) detail::throw_bad_function_call();
    return call_(callable_.get(), std::forward<Args>(args)...);
  }
  explicit operator bool() const { return call_ != nullptr; }
  friend bool operator==(const Function& f, std::nullptr_t) { return !f; }

 private:
  R (*call_)(const void*, Args...) = nullptr;
  std::shared_ptr<const void> callable_;
};

}  // namespace sluice
