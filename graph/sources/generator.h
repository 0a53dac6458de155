// generator<T>: a function that gives one value after the other, written with co_yield.
//
//   generator<std::string> lines_of(std::string file) {
//     std::ifstream in(file);
//     for (std::string line; std::getline(in, line);) co_yield line;
//   }
//   for (std::string& line : lines_of("list.txt")) use(line);
//
// It is a range that is gone through once; the function runs up to its next co_yield when the next
// value is asked for. What stands behind co_yield is a T: a temporary is given as it is, and may be
// moved from; anything else is copied. Parameters of the function should be objects, since it
// begins to run when the caller may be gone; so should the captures of a lambda be its parameters.
//
// Ownership: move-only; owns what the function has on its way, which is destroyed with it. Threads:
// one at a time. Errors: what the function throws is thrown to whoever asks for the next value; it
// is over then.
#pragma once

#include <coroutine>
#include <cstddef>
#include <exception>
#include <iterator>
#include <memory>
#include <type_traits>
#include <utility>

namespace sluice {

template <class T>
class [[nodiscard]] generator {
  static_assert(std::is_object_v<T> && std::is_same_v<T, std::remove_cv_t<T>>,
                "generator<T>: T is void, const or a reference: name the type of an object");

 public:
  class promise_type {
   public:
    generator get_return_object() {
      return generator(std::coroutine_handle<promise_type>::from_promise(*this));
    }
    std::suspend_always initial_suspend() const noexcept { return {}; }
    std::suspend_always final_suspend() const noexcept { return {}; }
    std::suspend_always yield_value(T&& value) noexcept {
      value_ = std::addressof(value);
      return {};
    }
    // Keeps a copy until the function goes on.
    struct Copied : std::suspend_always {
      explicit Copied(const T& value) : copy(value) {}
      void await_suspend(std::coroutine_handle<promise_type> of) noexcept {
        of.promise().value_ = std::addressof(copy);
      }
      T copy;
    };
    Copied yield_value(const T& value) requires std::is_copy_constructible_v<T> {
      return Copied(value);
    }
    void await_transform() = delete;  // nobody is waited for
    void return_void() const noexcept {}
    void unhandled_exception() { error_ = std::current_exception(); }

   private:
    friend class generator;
    T* value_ = nullptr;
    std::exception_ptr error_;
  };

  class iterator {
   public:
    using iterator_concept = std::input_iterator_tag;
    using value_type = T;
    using difference_type = std::ptrdiff_t;
    T&& operator*() const { return std::move(*of_->value()); }
    iterator& operator++() {
      of_->go_on();
      return *this;
    }
    void operator++(int) { ++*this; }
    friend bool operator==(const iterator& at, std::default_sentinel_t) { return at.over(); }

   private:
    friend class generator;
    explicit iterator(const generator& of) : of_(&of) {}
    bool over() const { return of_->done(); }
    const generator* of_;
  };

  generator(generator&& other) noexcept : handle_(std::exchange(other.handle_, {})) {}
  generator& operator=(generator&& other) noexcept {
    if (this != &other) {
      destroy();
      handle_ = std::exchange(other.handle_, {});
    }
    return *this;
  }
  ~generator() { destroy(); }

  // Runs the function up to its first co_yield. The generator stays where it is from then on.
  iterator begin() {
    go_on();
    return iterator(*this);
  }
  std::default_sentinel_t end() const noexcept { return {}; }

 private:
  explicit generator(std::coroutine_handle<promise_type> handle) : handle_(handle) {}
  void destroy() noexcept {
    if (handle_) handle_.destroy();
  }
  bool done() const { return !handle_ || handle_.done(); }
  T* value() const { return handle_.promise().value_; }
  void go_on() const {
    if (done()) return;
    handle_.resume();
    if (handle_.promise().error_ != nullptr)
      std::rethrow_exception(std::exchange(handle_.promise().error_, nullptr));
  }

  std::coroutine_handle<promise_type> handle_;
};

}  // namespace sluice
