// SignalsBlocked: blocks all signals on the calling thread while it lives. A thread that it makes
// meanwhile never takes any: the program's signals are for its own threads. Internal: users do not
// include it.
//
// Threads: destroyed on the thread that made it. No errors.
#pragma once

#include <csignal>

#include <pthread.h>

namespace sluice {

class SignalsBlocked {
 public:
  SignalsBlocked() {
    sigset_t all;
    ::sigfillset(&all);
    (void)::pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~SignalsBlocked() { (void)::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  SignalsBlocked(const SignalsBlocked&) = delete;
  SignalsBlocked& operator=(const SignalsBlocked&) = delete;

 private:
  sigset_t before_{};
};

}  // namespace sluice
