// Recorder: records the plan that a description gives; and the builder's own operators.
#pragma once

#include <sluice/graph/plan/operator.h>
#include <sluice/graph/plan/source_record.h>
#include <sluice/graph/plan/step.h>
#include <sluice/graph/value.h>
#include <sluice/runtime/function.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace sluice::detail {

// The operators of the builder itself: draws, constants, arithmetic and what else the functions of
// Graph and the operators on numbers stand for.
//
// Threads: any number at once. Nothing is thrown.

template <class T>
inline constexpr bool is_known_constant =
    is_known_number<T> || std::is_same_v<T, std::string> || std::is_same_v<T, Rectangle> ||
    std::is_same_v<T, std::vector<double>>;

const OperatorPtr& uniform_operator();    // (lo, hi)
const OperatorPtr& normal_operator();     // (mean, stddev)
const OperatorPtr& coin_flip_operator();  // (probability)
const OperatorPtr& draw_operator();       // apply_random's: (count) gives (chosen, negative)
const OperatorPtr& magnitude_operator();  // (negative, magnitude, low, high, signed, bins)
const OperatorPtr& constant_operator();   // (value)
const OperatorPtr& filter_operator();     // (predicate), no output
const OperatorPtr& cast_operator();       // (x, to), as cast<T>() does it
const OperatorPtr& convert_operator();    // (x, to), as parameters take values: nothing is lost
// "add", "subtract", ..., "bitwise_and", ..., "less", "negate", "not": (x, y), or (x).
const OperatorPtr& arithmetic_operator(std::string_view name);

// Of loops.
const OperatorPtr& count_operator();     // (x): any whole number as a std::int64_t, as to_count()
const OperatorPtr& list_operator();      // (type of list): empty
const OperatorPtr& append_operator();    // (list, value, length, name), no output: fills the list
const OperatorPtr& appended_operator();  // (list, value): a list with one more
const OperatorPtr& reverse_operator();   // (list)
const OperatorPtr& element_operator();   // (list, index)
const OperatorPtr& slice_operator();     // (tensor, index, axis)
const OperatorPtr& pad_operator();       // (list, length, reverse, name)
const OperatorPtr& stack_operator();     // (list of tensors, length, reverse, name, axis)

// Of devices.
const OperatorPtr& gpu_operator();  // (value): an image or tensor
const OperatorPtr& cpu_operator();  // (value)

// All of them.
std::vector<OperatorPtr> built_in_operators();

}  // namespace sluice::detail

namespace sluice {

struct Sampler;
}  // namespace sluice

namespace sluice::detail {

struct Block;
struct Boundary;
struct Branch;
struct Loop;
struct Plan;
struct Slot;
using ScopeId = std::uint32_t;

// Recorder: writes down the plan while a pipeline is described. The typed front (graph.h) and the
// operators call it; users do not. It checks each use of a value at once, so that the error points
// at the user's own line.
//
// Ownership: the recorder owns the plan until take(). Threads: one. Errors: BuildError.
class Recorder {
 public:
  Recorder();
  ~Recorder();
  Recorder(const Recorder&) = delete;
  Recorder& operator=(const Recorder&) = delete;

  // A new value in the current scope, named after the step that makes it.
  SlotId add_slot(const SlotType* type, const std::string& name);
  // A slot that refers to another value of the same type.
  SlotId add_pointer(SlotId like, const std::string& name);
  // The pointer refers to one of the two: of its tensors is known what both know.
  void know_in_common(SlotId pointer, SlotId one, SlotId other);
  // Another name of a value.
  SlotId add_alias(SlotId source, const std::string& name);
  void add_step(Step step);
  // A step that does what the operator does with these arguments, and its outputs. Fills in the
  // types of slots. The step is named after the operator unless `name` says otherwise, and draws
  // from the next generator unless `generator` says otherwise. Throws BuildError for arguments that
  // the operator does not take.
  std::vector<SlotId> add(OperatorPtr op, Arguments arguments, std::string_view name = {},
                          std::optional<std::uint32_t> generator = {});
  // The step that makes a slot, in the block that is being recorded; null when none there does.
  Step* maker_of(SlotId slot);
  // The tensors of a slot are so for every sample. A step of the block that is being recorded must
  // have made it; that step fails for a sample of which it is not true.
  void declare(SlotId slot, const TensorSpec& spec);
  // "resize", "resize#2", ...: a name for each step, as messages and drawings use it.
  std::string unique_name(std::string_view base);
  // Number of the next generator of random numbers.
  std::uint32_t next_generator();
  // Generators with this number and below are taken.
  void take_generator(std::uint32_t number);

  // What a checkpoint says of a source.
  void add_dataset(DatasetRecord dataset);
  // A source says how many samples it has and what it calls them. All that know it must agree on
  // the number; where one does not, the first to end ends the epoch. `once`: it gives each sample
  // once, in its own order.
  void set_source(const std::string& step, std::int64_t samples, const Sampler& sampler, bool once,
                  Function<std::string(const SampleKey&)> name);

  // A branch: open it, then for each arm begin, record, end; then close it, which gives the merged
  // slots. Several branches and loops may be open, one inside the other.
  void open_branch(std::string name, std::vector<std::string> arm_names, std::vector<SlotId> reads,
                   Function<std::int64_t(const Sample&)> choose);
  // The same of a plan that is data; throws BuildError where the type of the argument cannot
  // choose.
  void open_branch(std::string name, std::vector<std::string> arm_names, Choosing choosing);
  // Says where in what an arm or body gives its value number i stands: "element 1"; empty for all.
  using Place = Function<std::string(std::size_t)>;
  // What only one arm uses from outside is made before the choice all the same.
  void make_eager();
  void begin_arm();
  void end_arm(std::vector<SlotId> results, const Place& place);
  // For those who know what arms give only when all have been recorded: what each of them gives,
  // where they were ended without results. What is in no arm yet must come from outside.
  void arms_give(std::vector<std::vector<SlotId>> results, const Place& place);
  std::vector<SlotId> close_branch();

  // A loop: open it, which gives what an iteration sees; begin, record and end its condition, then
  // its body; close it, which gives what is carried when it is over.
  struct LoopView {
    std::vector<SlotId> state;
    SlotId iteration;
  };
  LoopView open_loop(std::string name, std::int64_t max_iterations, std::vector<SlotId> init);
  void begin_condition() { begin_loop_block("the condition"); }
  void end_condition(SlotId holds);
  // The body may use what the condition makes. After end_condition().
  void share_condition();
  void begin_body() { begin_loop_block("the body"); }
  void end_body(std::vector<SlotId> next, const Place& place);
  std::vector<SlotId> close_loop();

  // An explicit boundary (boundaries.h) in the block that is being recorded; it becomes a branch or
  // a loop when the block ends. The number names it from then on.
  std::size_t add_boundary(Boundary boundary);
  // The boundary, for the call that adds something to it; BuildError when that stands in another
  // block. The branch or loop comes where the last such call was made, or where it is needed first.
  Boundary& boundary(std::size_t number, const std::string& call);

  // Stands around the description of a branch or loop, from before it is opened. When an exception
  // ends that description, at whatever point, all that is still open of it is forgotten and the
  // recorder stays usable.
  class Attempt {
   public:
    explicit Attempt(Recorder& recorder);
    ~Attempt();
    Attempt(const Attempt&) = delete;
    Attempt& operator=(const Attempt&) = delete;

   private:
    Recorder& recorder_;
    std::size_t depth_;
  };
  // The name of the innermost open branch or loop, for messages.
  const std::string& open_name() const;
  // What is being recorded: "the arm 'then' of 'if_else'", "the body of 'for_loop'".
  const std::string& place() const;
  // The same of the innermost one, beside what it is compared with: "the arm 'otherwise', unlike
  // 'then',".
  std::string open_part() const;

  // Throws BuildError when `user` cannot see the value.
  void use(SlotId slot, const std::string& user);
  void set_outputs(std::vector<SlotId> outputs);
  const std::string& name_of(SlotId slot) const;
  const Plan& plan() const;
  Plan take();

 private:
  struct Open;
  struct OpenList;
  struct State;
  // Fills in the type of a slot that `user` must be able to see.
  void complete(SlotArgument& argument, const std::string& user, InputUse use = InputUse::reads);
  void fill(SlotId list, const std::string& user);
  void take(SlotId list, const std::string& user);
  void append(Step step);
  // Where the operator's step runs, which the places of its inputs decide: its version for devices,
  // or null for the host. Throws BuildError where it cannot be.
  OperatorPtr place_step(const Operator& op, const Arguments& arguments,
                         const std::string& step) const;
  // Another name of a file, for which there is a wish.
  static void name_again(Slot& slot, SlotId file);
  // Of an output of such a step.
  static void place_output(Slot& slot, const OperatorSchema& schema);
  // Throws BuildError for a function of the user's that reads what lies on a device.
  void require_on_host(const Step& step) const;
  void begin_block(ScopeId parent, std::string name);
  void begin_loop_block(const char* what);
  // The first value of which both sides are known to be different tensors.
  std::optional<std::size_t> disagreement(const std::vector<SlotId>& some,
                                          const std::vector<SlotId>& others) const;
  void require_agreement(const Branch& branch, const Block& arm, const Place& place) const;
  void require_agreement(const Loop& loop, const Block& body, const Place& place) const;
  Block take_block(std::vector<SlotId> results);
  Block& current();
  std::vector<const Block*> open_blocks() const;  // outermost first
  ScopeId current_scope() const;

  friend std::uint64_t detail::id_of(const Recorder& recorder);
  const std::uint64_t id_;
  std::unique_ptr<State> state_;
};

}  // namespace sluice::detail
