// SharedFunction: like std::function, but copies share the callable, and the compiler makes three
// small functions for each type, not a dozen. Steps hold such: a program has hundreds of them.
//
// Ownership: copies own the callable together. Threads: any number at once may call it, since it is
// called as const. Errors: those of the callable; an empty one must not be called.
#pragma once

#include <memory>
#include <type_traits>
#include <utility>

namespace sluice::detail {

template <class Signature>
class SharedFunction;
template <class R, class... Args>
class SharedFunction<R(Args...)> {
 public:
  SharedFunction() = default;
  template <class F>
  requires(!std::is_same_v<F, SharedFunction>)
      SharedFunction(F f) {  // NOLINT(google-explicit-constructor): as with std::function
    if constexpr (std::is_pointer_v<F>) {
      if (f == nullptr) return;
    } else if constexpr (requires { f.operator bool(); }) {
      if (!f) return;  // an empty std::function makes an empty one
    }
    *this = SharedFunction(std::in_place_type<F>, std::move(f));
  }
  // Makes the callable in its place.
  template <class F, class... From>
  explicit SharedFunction(std::in_place_type_t<F>, From&&... from)
      : call_([](const void* f, Args... args) -> R {
          return (*static_cast<const F*>(f))(std::forward<Args>(args)...);
        }),
        // One type of deleter for all callables.
        callable_(static_cast<const void*>(new F(std::forward<From>(from)...)),
                  static_cast<void (*)(const void*)>(
                      [](const void* f) { delete static_cast<const F*>(f); })) {}
  // Calls `call` with `shared`, which the copies share.
  SharedFunction(R (*call)(const void*, Args...), std::shared_ptr<const void> shared)
      : call_(call), callable_(std::move(shared)) {}

  R operator()(Args... args) const { return call_(callable_.get(), std::forward<Args>(args)...); }
  explicit operator bool() const { return call_ != nullptr; }

 private:
  R (*call_)(const void*, Args...) = nullptr;
  std::shared_ptr<const void> callable_;
};

}  // namespace sluice::detail
