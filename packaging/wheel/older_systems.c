// Lets wheels run with glibc 2.34 and the libstdc++ of GCC 11, such as on Red Hat 9, although they are
// linked with newer ones. Of these functions, newer libraries have a new version that Sluice does not
// need. The linker's --wrap turns calls to them into calls of the functions here, which name the old
// version. packaging/wheel/build checks the result.

// glibc 2.35: no longer sets errno
double old_hypot(double x, double y);
double __wrap_hypot(double x, double y);
__asm__(".symver old_hypot, hypot@" OLD_GLIBC);  // the processor's first
double __wrap_hypot(double x, double y) { return old_hypot(x, y); }

// std::condition_variable::wait(std::unique_lock<std::mutex>&). GCC 12: declared noexcept
void old_wait(void* condition, void* lock);
void __wrap__ZNSt18condition_variable4waitERSt11unique_lockISt5mutexE(void* condition, void* lock);
__asm__(
    ".symver old_wait, "
    "_ZNSt18condition_variable4waitERSt11unique_lockISt5mutexE@GLIBCXX_3.4.11");
void __wrap__ZNSt18condition_variable4waitERSt11unique_lockISt5mutexE(void* condition, void* lock) {
  old_wait(condition, lock);
}
