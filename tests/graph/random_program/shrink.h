// Makes a failing program smaller, for as long as it still fails.
#pragma once

#include "tests/graph/random_program/program.h"

#include <functional>

namespace sluice::random_program {

// Calls `fails` with smaller and smaller programs, at most `attempts` times. Returns the last one
// that failed. Every program makes sense: it uses only what is in scope.
Program shrink(Program program, const std::function<bool(const Program&)>& fails,
               int attempts = 5000);

}  // namespace sluice::random_program
