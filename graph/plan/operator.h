// Operator: what a step does, with its name, parameters and functions; and the names under which
// saved plans find operators.
#pragma once

#include <sluice/graph/plan/number_types.h>
#include <sluice/graph/plan/slot.h>
#include <sluice/runtime/function.h>
#include <sluice/runtime/image.h>

#include <array>
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

// A type of values, where an operator asks for one.
struct ValueType {
  const SlotType* type = nullptr;
  friend bool operator==(const ValueType&, const ValueType&) = default;
};

// What a parameter may be when it is the same for all samples. A choice is the name of what is
// chosen.
class Constant
    : public std::variant<Number, std::string, Rectangle, std::vector<double>, ValueType> {
 public:
  // Out of line, as in the structs below, so that files of users do not compile them.
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
// "0.5", "true", "'bilinear'", for messages and texts.
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
// The constant as a T; null if it has another type. T may be a type of number_types.h.
template <class T>
const T* constant_of(const Constant& constant) {
  if constexpr (is_known_number<T>) {
    const auto* number = std::get_if<Number>(&constant);
    return number == nullptr ? nullptr : number->get_if<T>();
  } else {
    return std::get_if<T>(&constant);
  }
}
// Null also when the argument is a slot.
template <class T>
const T* constant_of(const Argument& argument) {
  const auto* constant = std::get_if<Constant>(&argument);
  return constant == nullptr ? nullptr : constant_of<T>(*constant);
}
// The type of numbers of an argument; none when it is no number of a type that has a name.
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
  numbers,     // as many as `count` says; as a value a Tensor of them
  any_number,  // of any type of number_types.h, which it keeps
  any_whole,   // the same of whole numbers; as a value also of any other whole type, or enumerators
  any,         // whatever a Constant may be, but no type of values
  value_type   // a type of values
};
const char* name_of(ParameterType type);  // "bool", "i32", "f32", ...

struct Choice {
  std::string name;
  std::int64_t value = 0;  // of the enumerator
};

struct Parameter {
  Parameter();
  Parameter(const Parameter&);
  Parameter(Parameter&&) noexcept;
  Parameter& operator=(const Parameter&);
  Parameter& operator=(Parameter&&) noexcept;
  ~Parameter();

  // Numbers are finite; any_number and any may be anything.
  static constexpr double kMost = std::numeric_limits<double>::max();

  std::string name;
  ParameterType type = ParameterType::number;
  std::optional<Constant> default_value;     // none: it must be given
  bool optional = false;                     // the default means "not given", legal or not
  double low = -kMost, high = kMost;         // of a number, or of each of several
  bool low_open = false, high_open = false;  // the bound itself is not legal
  std::size_t count = 0;                     // of numbers
  std::vector<Choice> choices;
  bool per_sample = true;  // a value may be given, which differs from sample to sample
  std::string help;        // one line
  std::string hint;        // what to do instead, said with every refusal of a number

  bool allows(double number) const {
    return (low_open ? number > low : number >= low) &&
           (high_open ? number < high : number <= high);
  }
  // Which slots may be given; empty when none may.
  std::vector<const SlotType*> slot_types() const;
};
// "0 <= x < 1", "any finite number"; empty for what has no range.
std::string range_text(const Parameter& parameter);

// What a step does with the value that it is given.
enum class InputUse : std::uint8_t {
  reads,
  fills,  // adds to a list that an operator with Output::open has made, in the body of a loop
  takes   // moves from such a list, when it is full: nobody else uses it
};
struct Input {
  std::string name;
  std::vector<const SlotType*> types;  // any of these; if there are none, what the check allows
  std::string any = {};                // what that is, in words
  InputUse use = InputUse::reads;
};
struct Output {
  std::string name;
  const SlotType* type = nullptr;  // null: it follows from the arguments
  bool open = false;               // a list that steps fill: see InputUse
};

struct OperatorSchema {
  OperatorSchema();
  OperatorSchema(const OperatorSchema&);
  OperatorSchema(OperatorSchema&&) noexcept;
  OperatorSchema& operator=(const OperatorSchema&);
  OperatorSchema& operator=(OperatorSchema&&) noexcept;
  ~OperatorSchema();

  std::string name;
  int version = 1;  // of what it computes and of its parameters: saved plans name it
  std::string family;
  std::string summary;  // one line
  // Arguments come in this order: inputs, then parameters.
  std::vector<Input> inputs;
  std::vector<Parameter> parameters;
  std::vector<Output> outputs;
  std::vector<std::string> events;          // what Sample::note() counts
  bool draws = false;                       // random numbers, of a generator of its own
  bool effect = false;                      // runs even if nobody reads what it gives
  std::optional<MemoryKind> moves_to = {};  // it copies to a device (device), or from one (host)
  // How it is said in C++, an expression each; empty where there is no function.
  std::vector<std::string> cpp;
  // Not an operator, but a function of C++ that records these.
  std::vector<std::string> made_of;
};

// An operator in its place in a plan.
struct Call {
  Arguments arguments;
  std::vector<SlotId> outputs;
  std::uint32_t generator = 0;              // of what it draws
  std::shared_ptr<std::atomic<bool>> said;  // what is said once; shared by steps that stand for one
};

// How much of a picture an operator looks at. Where it is a rectangle, or the size alone, then the
// operator gives the same when it is given, as a picture of its own, what the rectangle shows, or
// a picture that has the size and no pixels.
struct Sight {
  enum class Of : std::uint8_t { all, size, rectangle };
  Of of = Of::all;
  std::size_t input = 0;  // which argument is the picture
  bool is_copy = false;   // the output is a copy of the rectangle, and nothing else
  // Gives the rectangle. Takes the operator's own arguments; of the picture it needs the size only.
  OperatorPtr rectangle;
};

// Of an operator that makes a picture from bytes (a decoder): how to make less of it.
struct PartialDecoding {
  OperatorPtr size;  // the same arguments; gives an image that has the size and no pixels
  OperatorPtr part;  // the same arguments, then a Rectangle; gives what the rectangle shows
};

// Of a decoder: how it gives its picture row by row to the steps that follow at once. `size` and
// `begins` take the same arguments as the decoder.
struct RowDecoding {
  OperatorPtr size;    // gives an image that has the size and no pixels
  OperatorPtr begins;  // gives an open picture
  // Take what a Deferral has said of the picture, and the open picture, of which the second one is
  // given the Rectangle that was decoded, too; give the same, made of its rows.
  OperatorPtr all, part;
  OperatorPtr starts;  // takes a picture; gives a Deferral's, to which nothing is done yet
  OperatorPtr ends;    // takes the open picture, when its rows have been used
};

// Of an operator that makes something of a picture: how it works as one of several in a row, of
// which the last one makes its output at once of the picture that the first one takes. Those before
// it check their arguments and say what is to be done; what they would have made is never made. The
// versions have the operator's name and its arguments, but for the picture. Any of them may be
// null.
struct Deferral {
  OperatorPtr begins;        // takes the picture; says what to do with it
  OperatorPtr goes_on;       // takes what the one before has said; adds to that
  OperatorPtr ends;          // takes what the one before has said; gives what the operator gives
  bool selects = false;      // of the picture it gives a rectangle, as it is
  bool wants_whole = false;  // goes on or ends only after operators that select
};

// The function that a step runs for each sample.
using StepFunction = Function<void(Sample&)>;

// What an operator does. All but `bind` may be empty: nothing is known then.
struct OperatorFunctions {
  OperatorFunctions();
  OperatorFunctions(const OperatorFunctions&);
  OperatorFunctions(OperatorFunctions&&) noexcept;
  OperatorFunctions& operator=(const OperatorFunctions&) = delete;
  ~OperatorFunctions();

  Function<StepFunction(const OperatorSchema&, const Call&)> bind;
  // What no parameter can check by itself. Throws BuildError.
  Function<void(const Arguments&)> check;
  // Checks what depends on the steps that make the arguments. The blocks that are open at this
  // step, outermost first, hold all steps before it. Throws BuildError.
  Function<void(const Arguments&, std::span<const Block* const>)> check_makers;
  // The types of the outputs, where the schema leaves them open.
  Function<std::vector<const SlotType*>(const Arguments&)> output_types;
  Function<std::vector<TensorSpec>(const Arguments&, const std::vector<TensorSpec>&)> infer;
  Function<Sight(const Arguments&)> sight;
  std::optional<PartialDecoding> decoding;
  std::optional<RowDecoding> row_decoding;
  std::optional<Deferral> deferral;
  // out = table[in] for each level of each channel.
  Function<std::optional<std::array<std::uint8_t, 256>>(const Arguments&)> level_table;
  // Of a version for devices: what the host does for each sample before, with the same arguments.
  // What it gives comes after the inputs of the version. Null when there is nothing to do.
  OperatorPtr preparation;
};

// Operator: what a step does, as data. It knows its name, its parameters with their legal ranges,
// what its outputs look like, how it runs for one sample, and what passes may ask. A step is an
// operator with arguments, each a slot or a constant: whoever gives it other arguments binds it
// again.
//
// Made by declare_operator (builder/declare_operator.h); found by name in the OperatorRegistry.
// Ownership: immutable, shared by plans, steps and the registry; what bind() gives refers to the
// operator, which must outlive it (a step keeps its own). Threads: any number at once. Errors:
// BuildError for arguments that make no sense; what a sample has instead is the error of that
// sample, in the same words.
class Operator {
 public:
  Operator(OperatorSchema schema, OperatorFunctions functions);
  Operator(const Operator&) = delete;
  Operator& operator=(const Operator&) = delete;

  const OperatorSchema& schema() const { return schema_; }
  const std::string& name() const { return schema_.name; }
  // Neither draws nor has an effect: the same arguments give the same outputs.
  bool pure() const { return !schema_.draws && !schema_.effect; }

  // Arguments by name as an ordered list, with the defaults of parameters that are not named.
  // Throws BuildError for what is missing and for names that the operator does not have.
  Arguments arrange(std::vector<std::pair<std::string, Argument>> named) const;
  // Throws BuildError, which names operator, parameter, value and legal range, for arguments that
  // the schema does not allow. Numbers of other types become those of the parameter where nothing
  // is lost.
  void check(Arguments& arguments) const;
  // Throws BuildError for arguments that do not go together because of the steps that make them.
  void check_makers(const Arguments& arguments, std::span<const Block* const> blocks) const {
    if (functions_.check_makers) functions_.check_makers(arguments, blocks);
  }

  std::vector<const SlotType*> output_types(const Arguments& arguments) const;
  // What is known of the tensors of the outputs, given that of the inputs.
  std::vector<TensorSpec> infer(const Arguments& arguments,
                                const std::vector<TensorSpec>& inputs) const;
  // How it runs for one sample. The arguments have been checked.
  StepFunction bind(const Call& call) const { return functions_.bind(schema_, call); }

  // The questions of passes.
  Sight sight(const Arguments& arguments) const;
  const PartialDecoding* decoding() const {
    return functions_.decoding ? &*functions_.decoding : nullptr;
  }
  const RowDecoding* row_decoding() const {
    return functions_.row_decoding ? &*functions_.row_decoding : nullptr;
  }
  const Deferral* deferral() const { return functions_.deferral ? &*functions_.deferral : nullptr; }
  std::optional<std::array<std::uint8_t, 256>> level_table(const Arguments& arguments) const;
  const OperatorPtr& preparation() const { return functions_.preparation; }

 private:
  OperatorSchema schema_;
  OperatorFunctions functions_;
};

// Why the number is not legal, in words: "coin_flip: probability must lie between 0 and 1, not 2".
std::string refusal(std::string_view op, const Parameter& parameter, double number);
// The error of the sample that has the number.
[[noreturn]] void throw_refused(std::string_view op, const Parameter& parameter, double number);
// The numbers of a sample for a parameter that takes several. One counts for all of them. Of three
// or more those that are missing are the default's. Throws std::invalid_argument for another count,
// for elements that are no numbers, and for a number that is not legal.
void read_numbers(std::string_view op, const Parameter& parameter, const Tensor& tensor,
                  std::span<float> numbers);

// The names of things that a saved plan speaks of: operators, and the types of slots; and those of
// functions that record several operators, of which it knows nothing.
//
// Ownership: keeps what is registered for as long as the process. Threads: any number at once.
// Errors: BuildError for a name that is taken.

class OperatorRegistry {
 public:
  // Knows the types of slots that need no operator: numbers, text, rectangle, image, tensor, bytes.
  OperatorRegistry();
  ~OperatorRegistry();
  OperatorRegistry(const OperatorRegistry&) = delete;
  OperatorRegistry& operator=(const OperatorRegistry&) = delete;

  void add(OperatorPtr op);
  // Names the type, and lists of its values ("list of image"), and lists of those.
  template <class T>
  void add_value_type(const std::string& name) {
    add_type(name, slot_type<T>(),
             {slot_type<std::vector<T>>(), slot_type<std::vector<std::vector<T>>>()});
  }
  // Of a function that is made of operators, which are there.
  void add_function(OperatorSchema schema);

  OperatorPtr find(std::string_view name) const;              // null: there is none
  const SlotType* find_type(std::string_view name) const;     // null: there is none
  std::string_view name_of_type(const SlotType* type) const;  // empty: it has none
  std::vector<OperatorPtr> all() const;                       // by name
  std::vector<OperatorSchema> functions() const;              // by name

 private:
  void add_type(std::string name, const SlotType* type, const std::vector<const SlotType*>& lists);

  struct Names;
  std::unique_ptr<Names> names_;
};

// For messages: the name that plans have for a built-in type ("f32"), else as the compiler spells
// it.
std::string_view short_name(std::string_view spelled);

// Whether the operator is the one that its name finds.
bool is_registered(const OperatorRegistry& registry, const OperatorPtr& op);

}  // namespace sluice::detail
