// PlanBuilder: records the plan that a description makes. plan_builder.cpp has steps, branches and
// loops; plan_builder_specs.cpp has the knowledge about values and sources.
//
// Also declares the builder's own operators: arithmetic and casts are in number_operators.cpp,
// those of lists and elements in list_operators.cpp, the others in built_in_operators.cpp.
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

// The operators of the builder itself: random draws, constants, arithmetic and others that the
// functions of Graph and the number operators record.
//
// Threads: any number at once. Nothing is thrown.

template <class T>
inline constexpr bool is_known_constant =
    is_known_number<T> || std::is_same_v<T, std::string> || std::is_same_v<T, Rectangle> ||
    std::is_same_v<T, std::vector<double>>;

const OperatorPtr& uniform_operator();    // (lo, hi)
const OperatorPtr& normal_operator();     // (mean, stddev)
const OperatorPtr& coin_flip_operator();  // (probability)
const OperatorPtr& draw_operator();       // for apply_random: (count) returns (chosen, negative)
const OperatorPtr& magnitude_operator();  // (negative, magnitude, low, high, signed, bins)
const OperatorPtr& constant_operator();   // (value)
const OperatorPtr& filter_operator();     // (predicate), no output
const OperatorPtr& cast_operator();       // (x, to), converts like cast<T>()
const OperatorPtr& convert_operator();    // (x, to), converts like parameters: without loss
// "add", "subtract", ..., "bitwise_and", ..., "less", "negate", "not": (x, y), or (x).
const OperatorPtr& arithmetic_operator(std::string_view name);

// Operators for loops.
const OperatorPtr& count_operator();     // (x): any integer as a std::int64_t, as to_count()
const OperatorPtr& list_operator();      // (list type): an empty list
const OperatorPtr& append_operator();    // (list, value, length, name), no output: fills the list
const OperatorPtr& appended_operator();  // (list, value): a list with one more element
const OperatorPtr& reverse_operator();   // (list)
const OperatorPtr& element_operator();   // (list, index)
const OperatorPtr& slice_operator();     // (tensor, index, axis)
const OperatorPtr& pad_operator();       // (list, length, reverse, name)
const OperatorPtr& stack_operator();     // (list of tensors, length, reverse, name, axis)

// Operators for devices.
const OperatorPtr& gpu_operator();  // (value): an image, tensor or file
const OperatorPtr& cpu_operator();  // (value): an image or tensor

// All of the operators above.
std::vector<OperatorPtr> built_in_operators();

}  // namespace sluice::detail

namespace sluice {

struct Sampler;
}  // namespace sluice

namespace sluice::detail {

struct Block;
struct Boundary;
struct Choice;
struct Loop;
struct Plan;
struct Slot;

// Records the plan while a pipeline is described. The typed front end (graph.h) and the operators
// call it; users do not. It checks each use of a value at once, so that an error points at the
// user's own line.
//
// Ownership: the builder owns the plan until take(). Threads: one. Errors: BuildError.
class PlanBuilder {
 public:
  PlanBuilder();
  ~PlanBuilder();
  PlanBuilder(const PlanBuilder&) = delete;
  PlanBuilder& operator=(const PlanBuilder&) = delete;

  // Adds a value in the current scope, named after the step that makes it.
  SlotId add_slot(const SlotType* type, const std::string& name);
  // Adds a slot that refers to another value of the same type.
  SlotId add_pointer(SlotId like, const std::string& name);
  // Marks the pointer as referring to one of two slots. The spec of its tensors is what both specs
  // have in common.
  void merge_spec(SlotId pointer, SlotId one, SlotId other);
  // Adds another name of a value.
  SlotId add_alias(SlotId source, const std::string& name);
  void add_step(Step step);
  // Adds a step that calls the operator with these arguments, and its outputs; returns the outputs.
  // Fills in the types of slots. The step is named after the operator unless `name` is given, and
  // draws from the next generator unless `generator` is given. Throws BuildError if the operator
  // does not accept the arguments.
  std::vector<SlotId> add(OperatorPtr op, Arguments arguments, std::string_view name = {},
                          std::optional<std::uint32_t> generator = {});
  // Returns the step that makes a slot in the block being recorded; null if no step there does.
  Step* maker_of(SlotId slot);
  // Declares the spec of the tensors in a slot, for all samples. The step that makes the slot must
  // be in the block being recorded. That step fails for a sample that does not match.
  void declare(SlotId slot, const TensorSpec& spec);
  // Returns a unique name for a step, for messages and drawings: "resize", "resize#2", ...
  std::string unique_name(std::string_view base);
  // Returns the number of the next random number generator.
  std::uint32_t next_generator();
  // Reserves the generators up to and including this number.
  void take_generator(std::uint32_t number);

  // Adds a source's description for checkpoints.
  void add_dataset(DatasetRecord dataset);
  // Sets a source's number of samples and its name function. All sources with a known number must
  // have the same one. If one does not know its number, the source that ends first ends the epoch.
  // `once`: the source produces each sample once, in its own order.
  void set_source(const std::string& step, std::int64_t samples, const Sampler& sampler, bool once,
                  Function<std::string(const SampleKey&)> name);

  // A choice: open it; begin, record and end each branch; then close it, which returns the merged
  // slots. Choices and loops may be nested.
  void open_choice(std::string name, std::vector<std::string> branch_names,
                   std::vector<SlotId> reads, Function<std::int64_t(const Sample&)> choose);
  // The same for a choice given as data. Throws BuildError if the type of the argument cannot be
  // used for a choice.
  void open_choice(std::string name, std::vector<std::string> branch_names, Choosing choosing);
  // Describes where value number i stands in the result of a branch or body: "element 1"; empty for
  // all.
  using Place = Function<std::string(std::size_t)>;
  // Marks the open choice as eager: values that only one branch uses are made before the choice, as
  // if several branches used them.
  void make_eager();
  void begin_branch();
  void end_branch(std::vector<SlotId> results, const Place& place);
  // Sets the results of all branches at once. Use it if the results are known only after all
  // branches have been recorded: end each branch without results, then call this. A result must be
  // visible in its branch, so a value that no branch contains must come from outside.
  void set_branch_results(std::vector<std::vector<SlotId>> results, const Place& place);
  std::vector<SlotId> close_choice();

  // A loop: open it, which returns the values that an iteration sees; begin, record and end its
  // condition, then its body; close it, which returns the final values.
  struct LoopView {
    std::vector<SlotId> state;
    SlotId iteration;
  };
  LoopView open_loop(std::string name, std::int64_t max_iterations,
                     const std::vector<SlotId>& init);
  void begin_condition() { begin_loop_block("the condition"); }
  void end_condition(SlotId holds);
  // Lets the body use values of the condition. Call it after end_condition().
  void share_condition();
  void begin_body() { begin_loop_block("the body"); }
  void end_body(std::vector<SlotId> next, const Place& place);
  std::vector<SlotId> close_loop();

  // Adds an explicit boundary (boundaries.h) to the block being recorded. It becomes a branch or a
  // loop when the block ends. Returns its number.
  std::size_t add_boundary(Boundary boundary);
  // Returns the boundary, for a call that adds to it. Throws BuildError if it belongs to another
  // block. The branch or loop is placed at the last such call, or where it is first needed.
  Boundary& boundary(std::size_t number, const std::string& call);

  // Guards the description of a branch or loop; construct it before opening that. If an exception
  // ends the description at any point, everything still open in it is discarded and the builder
  // stays usable.
  class Attempt {
   public:
    explicit Attempt(PlanBuilder& builder);
    ~Attempt();
    Attempt(const Attempt&) = delete;
    Attempt& operator=(const Attempt&) = delete;

   private:
    PlanBuilder& builder_;
    std::size_t depth_;
  };
  // The name of the innermost open branch or loop, for messages.
  const std::string& open_name() const;
  // The name of the block being recorded: "the branch 'then' of 'if_else'", "the body of
  // 'for_loop'".
  const std::string& place() const;
  // The same for the innermost one, with the part that it is compared with: "the branch
  // 'otherwise', unlike 'then',".
  std::string open_part() const;

  // Throws BuildError if `user` cannot see the value.
  void use(SlotId slot, const std::string& user);
  void set_outputs(std::vector<SlotId> outputs);
  const std::string& name_of(SlotId slot) const;
  const Plan& plan() const;
  Plan take();

 private:
  struct Open;
  struct OpenList;
  struct State;
  // Fills in the type of a slot, which `user` must be able to see.
  void complete(SlotArgument& argument, const std::string& user, InputUse use = InputUse::reads);
  void fill(SlotId list, const std::string& user);
  void take(SlotId list, const std::string& user);
  void append(Step step);
  // Returns the version of the operator for devices if the inputs' places require it; null for the
  // host. Throws BuildError if the places conflict or the operator has no such version.
  OperatorPtr place_step(const Operator& op, const Arguments& arguments,
                         const std::string& step) const;
  // Makes the slot another name of a file that is marked for the device.
  static void name_again(Slot& slot, SlotId file);
  // Sets the place of an output of a device step.
  static void place_output(Slot& slot, const OperatorSchema& schema);
  // Throws BuildError if a user function reads a value on a device.
  void require_on_host(const Step& step) const;
  void begin_block(Block block);
  void begin_loop_block(const char* part);
  // Returns the first value for which the known specs of both sides differ.
  std::optional<std::size_t> disagreement(const std::vector<SlotId>& some,
                                          const std::vector<SlotId>& others) const;
  void require_agreement(const Choice& choice, const Block& branch, const Place& place) const;
  void require_agreement(const Loop& loop, const Block& body, const Place& place) const;
  Block take_block(std::vector<SlotId> results);
  Block& current();
  std::vector<const Block*> open_blocks() const;  // outermost first
  ScopeId current_scope() const;

  friend std::uint64_t detail::id_of(const PlanBuilder& builder);
  const std::uint64_t id_;
  std::unique_ptr<State> state_;
};

}  // namespace sluice::detail
