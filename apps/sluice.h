// All of Sluice's public interface in one header. Includes neither oneTBB nor CUDA.
#pragma once

#include <sluice/runtime/bytes.h>
#include <sluice/runtime/cpu_count.h>
#include <sluice/runtime/error.h>
#include <sluice/runtime/half.h>
#include <sluice/runtime/image.h>
#include <sluice/runtime/random.h>
#include <sluice/runtime/tensor.h>
#include <sluice/graph/pipeline.h>
