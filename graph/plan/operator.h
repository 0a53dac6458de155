// Operator: describes what a step does, with its name, parameters and functions. OperatorRegistry
// holds the names by which saved plans find operators; its source is operator_registry.cpp.
#pragma once

#include <sluice/graph/plan/number_types.h>
#include <sluice/graph/plan/slot.h>
#include <sluice/runtime/function.h>
#include <sluice/runtime/image.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace sluice::detail {

class Operator;
class Sample;
struct Block;
using OperatorPtr = std::shared_ptr<const Operator>;

// A type of values, for operators that take a type as an argument.
struct ValueType {
  const SlotType* type = nullptr;
  friend bool operator==(const ValueType&, const ValueType&) = default;
};

// The value of a parameter that is the same for all samples. A choice is stored as its name.
class Constant
    : public std::variant<Number, std::string, Rectangle, std::vector<double>, ValueType> {
 public:
  // Out of line, as in the structs below, so that user files do not compile them.
  Constant();
  Constant(const Constant&);
  Constant(Constant&&) noexcept;
  Constant& operator=(const Constant&);
  Constant& operator=(Constant&&) noexcept;
  ~Constant();

  Constant(Number number);
  Constant(std::string text);
  Constant(Rectangle rectangle);
  Constant(std::vector<double> numbers);
  Constant(ValueType type);
  template <class T>
  requires is_known_number<T> Constant(T number) : Constant(Number(number)) {}
};
// Returns "0.5", "true", "'bilinear'", for messages and texts.
std::string to_string(const Constant& constant);
std::string to_string(const Number& number);

struct SlotArgument {
  SlotId slot = 0;
  const SlotType* type = nullptr;
};
class Argument : public std::variant<SlotArgument, Constant> {
 public:
  Argument();
  Argument(const Argument&);
  Argument(Argument&&) noexcept;
  Argument& operator=(const Argument&);
  Argument& operator=(Argument&&) noexcept;
  ~Argument();

  Argument(SlotArgument slot);
  Argument(Constant constant);
};
using Arguments = std::vector<Argument>;
// Returns the constant as a T; null if it has another type. T may be a type of number_types.h.
template <class T>
const T* constant_of(const Constant& constant) {
  if constexpr (is_known_number<T>) {
    const auto* number = std::get_if<Number>(&constant);
    return number == nullptr ? nullptr : number->get_if<T>();
  } else {
    return std::get_if<T>(&constant);
  }
}
// The same for an argument; null also if the argument is a slot.
template <class T>
const T* constant_of(const Argument& argument) {
  const auto* constant = std::get_if<Constant>(&argument);
  return constant == nullptr ? nullptr : constant_of<T>(*constant);
}
// Returns the number type of an argument or slot type; empty if it is not one of the named number
// types.
std::optional<NumberType> number_type_of(const Argument& argument);
std::optional<NumberType> number_type_of(const SlotType* type);
const SlotType* slot_type_of(NumberType type);

enum class ParameterType : std::uint8_t {
  boolean,
  integer,       // 32 bits
  wide_integer,  // 64 bits
  number,        // float
  wide_number,   // double
  text,
  choice,  // one of several names
  rectangle,
  numbers,     // `count` numbers; a Tensor as a per-sample value
  any_number,  // of any type of number_types.h; the type is kept
  any_whole,   // the same for whole numbers; per sample also any other integer or enum
  any,         // any Constant except a type of values
  value_type   // a type of values
};
const char* name_of(ParameterType type);  // "bool", "i32", "f32", ...

struct NamedValue {
  std::string name;
  std::int64_t value = 0;  // the enumerator's value
};

struct Parameter {
  Parameter();
  Parameter(const Parameter&);
  Parameter(Parameter&&) noexcept;
  Parameter& operator=(const Parameter&);
  Parameter& operator=(Parameter&&) noexcept;
  ~Parameter();

  // Numbers must be finite, except for any_number and any.
  static constexpr double kMost = std::numeric_limits<double>::max();

  std::string name;
  ParameterType type = ParameterType::number;
  std::optional<Constant> default_value;     // empty: the argument is required
  bool optional = false;                     // the default means "not given" and need not be legal
  double low = -kMost, high = kMost;         // range of a number, or of each of several
  bool low_open = false, high_open = false;  // true: the bound itself is not legal
  std::size_t count = 0;                     // number of `numbers`
  std::vector<NamedValue> choices;
  bool per_sample = true;  // also takes a value that differs from sample to sample
  // `numbers` with one for each channel of the first input, if that is an image.
  bool per_channel = false;
  std::string help;  // one line
  std::string hint;  // what to do instead; added to errors about numbers

  bool allows(double number) const {
    return (low_open ? number > low : number >= low) &&
           (high_open ? number < high : number <= high);
  }
  // The slot types that the parameter accepts; empty if it accepts none.
  std::vector<const SlotType*> slot_types() const;
};
// Returns "0 <= x < 1", "any finite number"; empty if the parameter has no range.
std::string range_text(const Parameter& parameter);

// The use of an input by a step.
enum class InputUse : std::uint8_t {
  reads,
  fills,  // in a loop body: adds to a list that an operator with Output::open made
  takes   // moves from such a full list, which nothing else uses
};
struct Input {
  std::string name;
  std::vector<const SlotType*> types;  // any of these; empty: `check` decides
  std::string any = {};                // then: what `check` allows, in words
  InputUse use = InputUse::reads;
};
struct Output {
  std::string name;
  const SlotType* type = nullptr;  // null: depends on the arguments
  bool open = false;               // true: a list that steps fill, see InputUse
};

struct OperatorSchema {
  OperatorSchema();
  OperatorSchema(const OperatorSchema&);
  OperatorSchema(OperatorSchema&&) noexcept;
  OperatorSchema& operator=(const OperatorSchema&);
  OperatorSchema& operator=(OperatorSchema&&) noexcept;
  ~OperatorSchema();

  std::string name;
  int version = 1;  // of its results and parameters; stored in saved plans
  std::string family;
  std::string summary;  // one line
  // Arguments come in this order: inputs, then parameters.
  std::vector<Input> inputs;
  std::vector<Parameter> parameters;
  std::vector<Output> outputs;
  std::vector<std::string> events;          // counted by Sample::note()
  bool draws = false;                       // draws random numbers, with its own generator
  bool effect = false;                      // runs even if its outputs are unused
  std::optional<MemoryKind> moves_to = {};  // set if it copies: to a device, or to the host
  // C++ expressions that call it; empty if there is no C++ function.
  std::vector<std::string> cpp;
  // Not empty: this is not an operator but a C++ function that records these operators.
  std::vector<std::string> made_of;
};

// The use of an operator in a plan.
struct Call {
  Arguments arguments;
  std::vector<SlotId> outputs;
  std::uint32_t generator = 0;              // number of its random generator
  std::shared_ptr<std::atomic<bool>> said;  // for messages that are printed once; steps that
                                            // replace one step share it
};

// InputRegion: how much of its input image an operator reads. With `rectangle`, the operator
// returns the same result for an image that holds only that rectangle. With `size`, it returns the
// same result for an image that has the size but no pixels.
struct InputRegion {
  enum class Of : std::uint8_t { all, size, rectangle };
  Of of = Of::all;
  std::size_t input = 0;  // which argument is the image
  bool is_copy = false;   // the output is exactly a copy of the rectangle
  // Returns the rectangle. Takes the operator's arguments, and needs only the size of the image.
  OperatorPtr rectangle;
};

// PartialDecoding: how a decoder (an operator that makes an image from bytes) decodes only a part.
struct PartialDecoding {
  OperatorPtr size;  // takes the same arguments; returns an image with the size and no pixels
  OperatorPtr part;  // takes the same arguments, then a Rectangle; returns that part
};

// RowDecoding: how a decoder passes its image row by row to the steps that follow directly. `size`
// and `begins` take the same arguments as the decoder.
struct RowDecoding {
  OperatorPtr size;    // returns an image with the size and no pixels
  OperatorPtr begins;  // returns an open image
  // Both take the description that a LazyForm has made and the open image. `part` also takes the
  // Rectangle that was decoded. They return the same description, based on the open image's rows.
  OperatorPtr all, part;
  OperatorPtr starts;  // takes an image; returns a LazyForm's description without any work
  OperatorPtr ends;    // takes the open image after its rows have been used
};

// LazySteps: the versions of an operator on an image that make no image, for a chain of steps whose
// image is described first and made at its end. Each step of the chain checks its own arguments and
// adds its work to the description that the steps before it have built. The versions have the
// operator's name and its arguments, except for the image. Either may be null.
struct LazySteps {
  OperatorPtr begins;   // takes the image; returns the first description
  OperatorPtr goes_on;  // takes the description of the step before; adds to it
};

// LazyForm: how an operator works in a chain that computes the same pixels as separate steps, for
// the pass `fuse_kernels`. The last step makes its output directly from the image that the first
// step takes.
struct LazyForm : LazySteps {
  // Takes the description of the step before; returns the operator's output.
  OperatorPtr ends = nullptr;
  // Only for an operator that is the `ends` of another one. Takes the description, a part of the
  // image, and the part's Rectangle. Returns the same description, based on that part.
  OperatorPtr narrow = nullptr;
  bool selects = false;      // its output is a rectangle of the image, unchanged
  bool wants_whole = false;  // may follow only operators that select
};

// ComposeRule: how an operator works in a chain that becomes one map of colors or of coordinates,
// for the pass `compose`. The description is that map. One more step makes the image from it.
struct ComposeRule : LazySteps {
  OperatorPtr applies = nullptr;  // takes the last description; returns the image
  bool light = false;             // cheap on its own: a chain of only light operators is left alone
  // Returns the settings that must be equal for the whole chain, given the operator's arguments. An
  // empty vector agrees with all. Returns nullopt if the settings differ from sample to sample: the
  // operator then stays a separate step.
  Function<std::optional<std::vector<Constant>>(const Arguments&)> manner = {};
};

// The function that a step runs for each sample.
using StepFunction = Function<void(Sample&)>;

// The functions of an operator. All but `bind` may be empty: nothing is known then.
struct OperatorFunctions {
  OperatorFunctions();
  OperatorFunctions(const OperatorFunctions&);
  OperatorFunctions(OperatorFunctions&&) noexcept;
  OperatorFunctions& operator=(const OperatorFunctions&) = delete;
  ~OperatorFunctions();

  Function<StepFunction(const OperatorSchema&, const Call&)> bind;
  // Checks what no parameter can check by itself. Throws BuildError.
  Function<void(const Arguments&)> check;
  // Checks what depends on the steps that make the arguments. The blocks are those that contain
  // this step, outermost first; they hold all steps before it. Throws BuildError.
  Function<void(const Arguments&, std::span<const Block* const>)> check_makers;
  // Returns the types of the outputs, if the schema leaves them open.
  Function<std::vector<const SlotType*>(const Arguments&)> output_types;
  Function<std::vector<TensorSpec>(const Arguments&, const std::vector<TensorSpec>&)> infer;
  Function<InputRegion(const Arguments&)> input_region;
  std::optional<PartialDecoding> decoding;
  std::optional<RowDecoding> row_decoding;
  std::optional<LazyForm> lazy_form;
  std::optional<ComposeRule> compose_rule;
  // For a device version: the operator that the host runs first for each sample, with the same
  // arguments. Its output follows the inputs of the version. Null if there is nothing to prepare.
  OperatorPtr preparation;
};

// Operator: what a step does, as data. It knows its name, its parameters with their legal ranges,
// the specs of its outputs, how it runs for one sample, and the answers that passes need. A step is
// an operator with arguments, each a slot or a constant. After a change of its arguments, bind the
// step again.
//
// Made by declare_operator (builder/declare_operator.h); found by name in the OperatorRegistry.
//
// Ownership: shared by plans, steps and the registry; immutable but for the device version, which
// set_device_version() adds once. The function that bind() returns refers to the operator, which
// must outlive it (a step keeps its own). Threads: any number at once. Errors: BuildError for
// arguments that the operator does not take. An illegal value of a sample is the error of that
// sample, in the same words.
class Operator {
 public:
  Operator(OperatorSchema schema, OperatorFunctions functions);
  ~Operator();
  Operator(const Operator&) = delete;
  Operator& operator=(const Operator&) = delete;

  const OperatorSchema& schema() const { return schema_; }
  const std::string& name() const { return schema_.name; }
  // True if it neither draws nor has an effect: the same arguments produce the same outputs.
  bool pure() const { return !schema_.draws && !schema_.effect; }

  // Returns named arguments as an ordered list, with defaults for parameters that are not named.
  // Throws BuildError for missing arguments and for unknown names.
  Arguments arrange(std::vector<std::pair<std::string, Argument>> named) const;
  // Throws BuildError for arguments that the schema does not allow. The message names operator,
  // parameter, value and legal range. Numbers of other types are converted to the parameter's type
  // if nothing is lost.
  void check(Arguments& arguments) const;
  // Throws BuildError if the arguments are incompatible because of the steps that make them.
  void check_makers(const Arguments& arguments, std::span<const Block* const> blocks) const {
    if (functions_.check_makers) functions_.check_makers(arguments, blocks);
  }

  std::vector<const SlotType*> output_types(const Arguments& arguments) const;
  // Returns what is known about the output tensors, from what is known about the inputs.
  std::vector<TensorSpec> infer(const Arguments& arguments,
                                const std::vector<TensorSpec>& inputs) const;
  // Returns the function that runs it for one sample. The arguments must have been checked.
  StepFunction bind(const Call& call) const { return functions_.bind(schema_, call); }

  // For passes.
  InputRegion input_region(const Arguments& arguments) const;
  const PartialDecoding* decoding() const {
    return functions_.decoding ? &*functions_.decoding : nullptr;
  }
  const RowDecoding* row_decoding() const {
    return functions_.row_decoding ? &*functions_.row_decoding : nullptr;
  }
  const LazyForm* lazy_form() const {
    return functions_.lazy_form ? &*functions_.lazy_form : nullptr;
  }
  const ComposeRule* compose_rule() const {
    return functions_.compose_rule ? &*functions_.compose_rule : nullptr;
  }
  const OperatorPtr& preparation() const { return functions_.preparation; }

  // The version for devices, which another library adds to an existing operator. It is set at most
  // once; a second one throws BuildError. Null: there is none.
  void set_device_version(OperatorPtr version) const;
  OperatorPtr device_version() const;

 private:
  struct DeviceVersion;

  OperatorSchema schema_;
  OperatorFunctions functions_;
  std::unique_ptr<DeviceVersion> device_version_;
};

// Says why a number is illegal: "coin_flip: probability must lie between 0 and 1, not 2".
std::string refusal(std::string_view op, const Parameter& parameter, double number);
// Throws std::invalid_argument with the text of refusal(), as the error of a sample.
[[noreturn]] void throw_refused(std::string_view op, const Parameter& parameter, double number);
// Reads a sample's numbers for a parameter that takes several. One number is used for all of them.
// If three or more are given, the missing ones come from the default. Throws std::invalid_argument
// for another count, for a tensor of bool, and for an illegal number.
void read_numbers(std::string_view op, const Parameter& parameter, const Tensor& tensor,
                  std::span<float> numbers);
// Throws std::invalid_argument if the image has one channel and the numbers differ. A last 0 is
// ignored: `Fill{r, g, b}` leaves the fourth value at 0. Other zeros count: `Fill{r, 0, 0}` is red.
void check_channels(std::string_view op, const Parameter& parameter, const Image& image,
                    std::span<const float> numbers);

// OperatorRegistry: maps names in saved plans to operators and slot types. It also lists functions
// that record several operators; saved plans do not mention these.
//
// Ownership: keeps registered objects for as long as it lives; the process's own registry lives
// until the process ends. Threads: any number at once. Errors: BuildError for a name that is taken.

class OperatorRegistry {
 public:
  // Registers the built-in slot types: numbers, text, rectangle, image, tensor, bytes, byte_span.
  OperatorRegistry();
  ~OperatorRegistry();
  OperatorRegistry(const OperatorRegistry&) = delete;
  OperatorRegistry& operator=(const OperatorRegistry&) = delete;

  void add(OperatorPtr op);
  // Names the type, lists of its values ("list of image"), and lists of those lists.
  template <class T>
  void add_value_type(const std::string& name) {
    add_type(name, slot_type<T>(),
             {slot_type<std::vector<T>>(), slot_type<std::vector<std::vector<T>>>()});
  }
  // Adds a function that is made of operators, which must have been added before.
  void add_function(OperatorSchema schema);

  OperatorPtr find(std::string_view name) const;              // null: not found
  const SlotType* find_type(std::string_view name) const;     // null: not found
  std::string_view name_of_type(const SlotType* type) const;  // empty: it has none
  std::vector<OperatorPtr> all() const;                       // by name
  std::vector<OperatorSchema> functions() const;              // by name

 private:
  void add_type(std::string name, const SlotType* type, const std::vector<const SlotType*>& lists);

  struct Names;
  std::unique_ptr<Names> names_;
};

// For messages: returns the plan's name of a built-in type ("f32"), else the compiler's spelling.
std::string_view short_name(std::string_view spelled);

// True if the registry finds this very operator by its name.
bool is_registered(const OperatorRegistry& registry, const OperatorPtr& op);

}  // namespace sluice::detail
