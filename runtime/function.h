// Function: like std::function, but copies share the callable, and the compiler makes three small
// functions for each type, not a dozen: a program has hundreds of them. <functional> is a large
// header besides.
//
// Ownership: copies own the callable together. Threads: as many may call it at once as may call the
// callable. Errors: those of the callable; an empty one must not be called.
#pragma once

#include <cstddef>
#include <memory>
#include <tuple>
#include <type_traits>
#include <utility>

namespace sluice {
namespace detail {

// As std::invoke.
template <class F, class... Args>
decltype(auto) invoke(F&& f, Args&&... args) {
  if constexpr (std::is_member_pointer_v<std::decay_t<F>>) {
    return std::apply(f, std::forward_as_tuple(std::forward<Args>(args)...));
  } else {
    return std::forward<F>(f)(std::forward<Args>(args)...);
  }
}

// Whether a callable can be empty, as pointers and std::function can; and whether it is.
template <class F>
concept may_be_empty = std::is_pointer_v<F> || std::is_member_pointer_v<F> || requires(const F& f) {
  f.operator bool();
};
template <class F>
bool is_empty(const F& f) {
  if constexpr (may_be_empty<F>) {
    return !f;
  } else {
    return false;
  }
}

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
  requires(!std::is_same_v<F, Function> && std::is_invocable_r_v<R, F&, Args...>)
      Function(F f) {  // NOLINT(google-explicit-constructor): as with std::function
    if (!detail::is_empty(f)) *this = Function(std::in_place_type<F>, std::move(f));
  }
  // Makes the callable in its place.
  template <class F, class... From>
  explicit Function(std::in_place_type_t<F>, From&&... from)
      : call_([](void* f, Args... args) -> R {
          if constexpr (std::is_void_v<R>) {
            detail::invoke(*static_cast<F*>(f), std::forward<Args>(args)...);
          } else {
            return detail::invoke(*static_cast<F*>(f), std::forward<Args>(args)...);
          }
        }),
        // One type of deleter for all callables.
        callable_(static_cast<void*>(new F(std::forward<From>(from)...)),
                  static_cast<void (*)(void*)>([](void* f) { delete static_cast<F*>(f); })) {}
  // Calls `call` with `shared`, which the copies share.
  Function(R (*call)(void*, Args...), std::shared_ptr<void> shared)
      : call_(call), callable_(std::move(shared)) {}

  R operator()(Args... args) const { return call_(callable_.get(), std::forward<Args>(args)...); }
  explicit operator bool() const { return call_ != nullptr; }

 private:
  R (*call_)(void*, Args...) = nullptr;
  std::shared_ptr<void> callable_;
};

}  // namespace sluice
