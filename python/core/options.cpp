#include "options.h"

#include "memory.h"
#include "text.h"
#include "values.h"
#include <sluice/cuda/gpu.h>
#include <sluice/cuda/host_device.h>
#include <sluice/graph/checkpoint.h>
#include <sluice/graph/exec/thread_pool.h>
#include <sluice/graph/plan/number_types.h>
#include <sluice/graph/sampling/sampler.h>
#include <sluice/io/readers/environment.h>
#include <sluice/runtime/device.h>
#include <sluice/runtime/error.h>
#include <sluice/runtime/text.h>

#include <array>
#include <functional>
#include <limits>
#include <map>
#include <string>
#include <string_view>
#include <typeinfo>
#include <utility>

#include <fmt/format.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

namespace sluice::python {
namespace {

// Joins a name and its error: "must be ..." and "cannot be ..." follow the name, other texts a
// colon.
BuildError error_of(const char* what, const std::string& name, std::string_view error) {
  const bool follows = error.starts_with("must ") || error.starts_with("cannot ");
  return BuildError(fmt::format("{}: {}{} {}", what, name, follows ? "" : ":", error));
}

// Passes the value to the setter, whose exceptions become errors of the option.
void take_option(const char* what, const std::string& name, nb::handle value,
                 const std::function<void(nb::handle)>& setter) {
  try {
    setter(value);
  } catch (const std::invalid_argument& error) {
    throw error_of(what, name, error.what());
  } catch (const std::bad_cast&) {
    throw error_of(what, name, "cannot be " + message_of(nb::repr(value)));
  } catch (const nb::python_error& error) {
    throw error_of(what, name, message_of(error.value()));
  }
}

using Setters = std::map<std::string_view, std::function<void(nb::handle)>>;

void set_all(const char* what, const nb::dict& options, const Setters& setters) {
  for (const auto& [key, value] : options) {
    const std::string name = message_of(key);
    const auto setter = setters.find(name);
    if (setter == setters.end()) {
      std::string known;
      nb::list names;
      for (const auto& [one, set] : setters) {
        known += (known.empty() ? "" : ", ") + std::string(one);
        names.append(to_str(one));
      }
      const nb::object near = nb::module_::import_("sluice._arguments").attr("near")(key, names);
      throw BuildError(
          fmt::format("{} has no option '{}'; it has {}{}", what, name, known, message_of(near)));
    }
    if (value.is_none()) continue;
    take_option(what, name, value, setter->second);
  }
}

template <class T>
T as(nb::handle value, std::string_view type) {
  return std::get<detail::Number>(constant_of(type, value)).as<T>();
}
template <class T>
std::function<void(nb::handle)> set(T& field) {
  return [&field](nb::handle value) {
    if constexpr (std::is_same_v<T, bool>)
      field = as<bool>(value, "bool");
    else if constexpr (std::is_same_v<T, int>)
      field = as<std::int32_t>(value, "i32");
    else if constexpr (std::is_same_v<T, std::int64_t>)
      field = as<std::int64_t>(value, "i64");
    else if constexpr (std::is_same_v<T, std::uint64_t>)
      field = as<std::uint64_t>(value, "u64");
    else if constexpr (std::is_same_v<T, double>)
      field = as<double>(value, "f64");
    else if constexpr (std::is_same_v<T, std::string>)
      field = path_of(value);
    else
      field = nb::cast<T>(value);
  };
}

template <class E, std::size_t N>
std::function<void(nb::handle)> set_choice(E& field,
                                           std::array<std::pair<std::string_view, E>, N> choices) {
  return [&field, choices](nb::handle value) {
    std::string names;
    for (const auto& [name, one] : choices) {
      if (nb::isinstance<nb::str>(value) && message_of(value) == name) {
        field = one;
        return;
      }
      names += fmt::format("{}'{}'", names.empty() ? "" : ", ", name);
    }
    throw std::invalid_argument(
        fmt::format("must be one of {}, not {}", names, message_of(nb::repr(value))));
  };
}
template <class E>
using Named = std::pair<std::string_view, E>;

std::shared_ptr<Device> device_of(nb::handle value) {
  if (nb::isinstance<nb::str>(value)) {
    const std::string name = message_of(value);
    if (name == "cpu") return nullptr;
    if (name == "gpu") return gpu(0);
    if (name == "stand-in") return std::make_shared<device::HostDevice>();
    throw std::invalid_argument(fmt::format(
        "must be 'cpu', 'gpu', the number of a GPU, or 'stand-in', not '{}'{}", name,
        name.starts_with("cuda") ? "; sluice.torch.Loader(to='cuda') copies batches to a GPU"
                                 : ""));
  }
  return gpu(as<std::int32_t>(value, "i32"));
}

}  // namespace

PipelineOptions pipeline_options_of(const nb::dict& options) {
  PipelineOptions all;
  std::int64_t max_errors = all.on_error.max_errors;
  double max_rate = all.on_error.max_rate;
  std::string checkpoint;
  using Policy = OnError::Policy;
  const Setters setters{
      {"batch_size", set(all.batch_size)},
      {"seed", set(all.seed)},
      {"threads", set(all.threads)},
      {"thread_pool",
       [&](nb::handle value) {
         if (!nb::isinstance<ThreadPool>(value)) {
           throw std::invalid_argument(fmt::format(
               "must be a ThreadPool, not {}; sluice.ThreadPool(8) makes one of 8 threads",
               message_of(nb::repr(value))));
         }
         all.thread_pool = nb::cast<std::shared_ptr<ThreadPool>>(value);
       }},
      {"io_threads", set(all.io_threads)},
      {"prefetch", set(all.prefetch)},
      {"window", set(all.window)},
      {"device", [&](nb::handle value) { all.device = device_of(value); }},
      {"deliver_on_device", set(all.deliver_on_device)},
      {"max_device_bytes", set(all.max_device_bytes)},
      {"max_image_bytes", set(all.max_image_bytes)},
      {"decoder", set_choice(all.decoder, std::array{Named<Decoder>{"exact", Decoder::exact},
                                                     Named<Decoder>{"any", Decoder::any}})},
      {"last_batch",
       set_choice(all.last_batch, std::array{Named<LastBatch>{"partial", LastBatch::partial},
                                             Named<LastBatch>{"drop", LastBatch::drop},
                                             Named<LastBatch>{"fill", LastBatch::fill}})},
      {"compact", set(all.compact)},
      {"compose", set(all.compose)},
      {"on_error",
       set_choice(all.on_error.policy, std::array{Named<Policy>{"fail", Policy::fail},
                                                  Named<Policy>{"skip", Policy::skip},
                                                  Named<Policy>{"replace", Policy::replace}})},
      {"max_errors", set(max_errors)},
      {"max_error_rate", set(max_rate)},
      {"stall_timeout", set(all.stall_timeout)},
      {"profile", set(all.profile)},
      {"trace", set(all.trace.file)},
      {"output_memory",
       [&](nb::handle value) {
         if (nb::isinstance<nb::list>(value) || nb::isinstance<nb::tuple>(value)) {
           for (const nb::handle one : value) all.output_memory.push_back(memory_of(one));
         } else {
           all.output_memory.push_back(memory_of(value));
         }
       }},
      {"resume",
       [&](nb::handle value) {
         if (!nb::isinstance<nb::str>(value)) {
           throw std::invalid_argument(
               fmt::format("must be the str that state_dict()['checkpoint'] is, not {}",
                           message_of(nb::repr(value))));
         }
         checkpoint = message_of(value);
         if (checkpoint.empty()) throw std::invalid_argument("must not be an empty str");
       }},
  };
  set_all("a pipeline", options, setters);
  all.on_error = all.on_error.within(max_errors, max_rate);
  if (!checkpoint.empty()) all.resume = Checkpoint::from_json(checkpoint);
  return all;
}

namespace {

std::function<void(nb::handle)> set_shard(Shard& shard) {
  return [&shard](nb::handle value) {
    if (nb::isinstance<nb::str>(value) && message_of(value) == "environment") {
      shard = shard_of_environment();
      return;
    }
    constexpr const char* kWanted =
        "(index, count), (0, 4) for the first of four parts, or 'environment'";
    if (nb::isinstance<nb::str>(value)) refuse_list(value, kWanted);
    const auto part = numbers_of<std::int64_t>(value, kWanted);
    if (part.size() != 2) refuse_list(value, kWanted);
    shard = {part[0], part[1]};
  };
}

UserOrder order_of(Description& self, nb::handle value) {
  if (!PyCallable_Check(value.ptr())) {
    throw std::invalid_argument(
        fmt::format("must be a function of an epoch's number that returns indices, not {}; "
                    "subset=[...] has the same indices in each epoch",
                    message_of(nb::repr(value))));
  }
  const nb::object name =
      nb::getattr(value, "__qualname__", nb::getattr(value.type(), "__qualname__"));
  const auto function = nb::borrow(value);
  if (self.order == nullptr) {
    self.order = std::make_shared<PythonOrder>(message_of(name), Function(self.py_refs, function));
  } else if (!self.order->calls(function)) {
    throw std::invalid_argument(fmt::format(
        "is another function ('{}') than that of the source before ('{}'); pass the same function "
        "to all sources, because all samples of an epoch have one order",
        message_of(name), self.order->name()));
  }
  return self.order->user_order();
}

}  // namespace

SourceOptions source_options_of(Description& self, const nb::dict& options) {
  SourceOptions all;
  Sampler& sampler = all.sampler;
  const Setters setters{
      {"shuffle", set(sampler.shuffle)},
      {"seed", [&](nb::handle value) { sampler.seed = as<std::uint64_t>(value, "u64"); }},
      {"window", set(sampler.window)},
      {"replacement", set(sampler.replacement)},
      {"weights",
       [&](nb::handle value) {
         sampler.weights = Weights(numbers_of<double>(value, "one number for each sample"));
       }},
      {"draws", set(sampler.draws)},
      {"subset",
       [&](nb::handle value) {
         sampler.subset = Indices(numbers_of<std::int64_t>(
             value, "indices of samples; numpy.flatnonzero(mask) gives those of a mask"));
       }},
      {"order", [&](nb::handle value) { sampler.order = order_of(self, value); }},
      {"shard", set_shard(sampler.shard)},
      {"stick_to_shard", set(sampler.stick_to_shard)},
      {"uneven",
       set_choice(sampler.uneven,
                  std::array{Named<UnevenShards>{"keep", UnevenShards::keep},
                             Named<UnevenShards>{"repeat_last", UnevenShards::repeat_last},
                             Named<UnevenShards>{"wrap", UnevenShards::wrap},
                             Named<UnevenShards>{"drop", UnevenShards::drop}})},
      {"threads", set(all.threads)},
  };
  set_all("a source", options, setters);
  return all;
}

void bind_thread_pool(nb::module_& module) {
  nb::class_<ThreadPool> bound(
      module, "ThreadPool",
      "A limit on the samples that several pipelines work on at once, such as those of training "
      "and validation: pass the same pool as their option `thread_pool`.\n\n"
      "Together they work on at most `threads` samples at once, plus one for each pipeline after "
      "the first. A pipeline without work leaves all to the others.");
  bound
      .def(
          "__init__",
          [](ThreadPool* self, nb::handle threads) {
            int number = 0;
            take_option("ThreadPool", "threads", threads, set(number));
            new (self) ThreadPool(number);
          },
          nb::arg("threads") = 0,
          "threads: the number of threads; 0: as many as the CPUs that the process may use")
      .def_prop_ro("threads", &ThreadPool::threads, "The number of threads.")
      .def("__repr__",
           [](const ThreadPool& self) {
             return fmt::format("<ThreadPool of {}>", counted(self.threads(), "thread"));
           })
      .def("__reduce__", [](const ThreadPool&) -> nb::object {
        throw nb::type_error(
            "a ThreadPool belongs to its process and cannot be pickled or copied; make one in each "
            "process");
      });
  bound.attr("__module__") = "sluice";
}

HttpOptions http_options_of(const nb::dict& options) {
  HttpOptions all;
  const Setters setters{
      {"connections", set(all.connections)}, {"retries", set(all.retries)},
      {"backoff_s", set(all.backoff_s)},     {"max_backoff_s", set(all.max_backoff_s)},
      {"connect_s", set(all.connect_s)},     {"stalled_s", set(all.stalled_s)},
      {"deadline_s", set(all.deadline_s)},   {"max_bytes", set(all.max_bytes)},
      {"redirects", set(all.redirects)},     {"headers", set(all.headers)},
      {"ca_file", set(all.ca_file)},
  };
  set_all("HttpOptions", options, setters);
  return all;
}

TarStreamOptions tar_stream_options_of(const nb::dict& options) {
  TarStreamOptions all;
  const Setters setters{
      {"shuffle", set(all.shuffle)},
      {"window", set(all.window)},
      {"seed", set(all.seed)},
      {"shard", set_shard(all.shard)},
      {"interleave", set(all.interleave)},
      {"threads", set(all.threads)},
      {"cycle", set_choice(all.cycle, std::array{Named<Cycle>{"raise", Cycle::raise},
                                                 Named<Cycle>{"quiet", Cycle::quiet},
                                                 Named<Cycle>{"off", Cycle::off}})},
      {"read_ahead", set(all.read_ahead)},
      {"max_sample_bytes", set(all.max_sample_bytes)},
      {"max_link_bytes", set(all.max_link_bytes)},
      {"max_expansion", set(all.max_expansion)},
  };
  set_all("sluice.tar_stream()", options, setters);
  return all;
}

ListFormat list_format_of(nb::handle name) {
  ListFormat format = ListFormat::by_name;
  if (name.is_none()) return format;
  take_option("a list", "format", name,
              set_choice(format, std::array{Named<ListFormat>{"csv", ListFormat::csv},
                                            Named<ListFormat>{"tsv", ListFormat::tsv},
                                            Named<ListFormat>{"jsonl", ListFormat::json_lines}}));
  return format;
}

Verify verify_of(nb::handle name) {
  Verify verify = Verify::never;
  take_option("a source", "verify", name,
              set_choice(verify, std::array{Named<Verify>{"never", Verify::never},
                                            Named<Verify>{"sample", Verify::sample},
                                            Named<Verify>{"always", Verify::always}}));
  return verify;
}

WorkerOptions worker_options_of(const nb::dict& options) {
  WorkerOptions all;
  const Setters setters{
      {"workers", set(all.workers)},
      {"program", set(all.program)},
      {"program_arguments", set(all.program_arguments)},
      {"deadline_s", set(all.deadline_s)},
      {"retry", set(all.retry)},
      {"restarts", set(all.restarts)},
      {"renew_after", set(all.renew_after)},
      {"mini_batch", set(all.mini_batch)},
      {"prefetch", set(all.prefetch)},
      {"max_bytes", set(all.max_bytes)},
  };
  set_all("workers", options, setters);
  return all;
}

}  // namespace sluice::python
