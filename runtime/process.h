// HomeProcess: the process in which an object was made, for objects that fork() copies without the
// threads and the locks that belong to them.
//
// A child of fork() has one thread. A lock that another thread held stays locked there for ever,
// and nobody does the work that other threads did. An object with such parts holds a HomeProcess
// and leaves them alone once here() is false.
//
// Threads: all. Errors: std::bad_alloc when the first HomeProcess of a program is made. A child
// made by the system call itself, past fork(), is not noticed.
#pragma once

#include <string>

namespace sluice {

class HomeProcess {
 public:
  HomeProcess() : generation_(generation()) {}
  // False in children of fork(), and in theirs.
  bool here() const noexcept;
  // Throws Error, which begins with `what`, unless here().
  void require(const std::string& what) const;
  // How many calls of fork() lie between the first process and this one, counted from the first
  // use of this class on.
  static unsigned generation();

 private:
  unsigned generation_;
};

}  // namespace sluice
