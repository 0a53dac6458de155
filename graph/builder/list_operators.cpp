// Operators that loops use in addition to arithmetic: counts, lists that loops fill, and access to
// single elements of lists and tensors.
#include <sluice/graph/builder/declare_operator.h>
#include <sluice/graph/builder/plan_builder.h>
#include <sluice/runtime/error.h>
#include <sluice/runtime/function.h>
#include <sluice/runtime/image.h>
#include <sluice/runtime/tensor.h>
#include <sluice/runtime/text.h>

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace sluice::detail {
namespace {

Input list_input(InputUse use = InputUse::reads) { return {"list", {}, "any list", use}; }

Parameter length_parameter(const char* help) {
  Parameter length;
  length.name = "length";
  length.type = ParameterType::any_whole;
  length.help = help;
  return length;
}
// The name of the list in errors.
Parameter name_parameter() {
  Parameter name;
  name.name = "name";
  name.type = ParameterType::text;
  name.default_value = std::string("list");
  name.per_sample = false;
  name.help = "name of the list in errors";
  return name;
}
Parameter reverse_parameter() {
  Parameter reverse;
  reverse.name = "reverse";
  reverse.type = ParameterType::boolean;
  reverse.default_value = false;
  reverse.per_sample = false;
  reverse.help = "puts the last element first";
  return reverse;
}

OperatorSchema schema_of(const char* name, const char* summary) {
  OperatorSchema schema;
  schema.name = name;
  schema.family = "loops";
  schema.summary = summary;
  return schema;
}

SlotArgument slot_of(const Argument& argument) { return std::get<SlotArgument>(argument); }
// For an argument that is known to be a list.
const ListType& list_of(const Argument& argument) { return slot_of(argument).type->list(); }

// Throws BuildError unless the argument is a list, with copyable elements if `must_copy`.
void check_list(const std::string& op, const Argument& argument, bool must_copy) {
  const SlotType* type = slot_of(argument).type;
  if (type == nullptr || type->list == nullptr) {
    throw BuildError(
        fmt::format("{}: the input 'list' is given a value of '{}', but must be a list", op,
                    type == nullptr ? "no type" : type->name));
  }
  if (must_copy && type->list().append == nullptr)
    throw BuildError(fmt::format("{}: the elements of '{}' do not copy", op, type->name));
}
// Also throws BuildError unless the value has the type of the list's elements.
void check_appends(const std::string& op, const Argument& list, const Argument& value) {
  check_list(op, list, true);
  const SlotType* type = slot_of(value).type;
  if (type == list_of(list).element) return;
  throw BuildError(fmt::format("{}: the input 'value' is a '{}', but 'list' has '{}'", op,
                               type == nullptr ? "no type" : type->name,
                               list_of(list).element->name));
}
Function<void(const Arguments&)> checks_list(const char* op, bool must_copy) {
  return [op, must_copy](const Arguments& all) { check_list(op, all[0], must_copy); };
}
std::vector<const SlotType*> type_of_list(const Arguments& all) { return {slot_of(all[0]).type}; }

// A count of any integer type: a constant, or a value of the sample.
class Count {
 public:
  explicit Count(const Argument& argument) {
    if (const auto* slot = std::get_if<SlotArgument>(&argument)) {
      slot_ = slot->slot;
      load_ = slot->type->count;
    } else {
      constant_ = std::get<Number>(std::get<Constant>(argument)).visit_wide([](auto value) {
        return to_count(value);
      });
    }
  }
  std::int64_t of(const Sample& sample) const {
    return load_ == nullptr ? constant_ : load_(sample.address(slot_));
  }

 private:
  std::int64_t (*load_)(const void*) = nullptr;
  SlotId slot_ = 0;
  std::int64_t constant_ = 0;
};

std::size_t check_element(std::int64_t index, std::size_t size) {
  if (index >= 0 && std::cmp_less(index, size)) return static_cast<std::size_t>(index);
  throw std::out_of_range("there is no element " + std::to_string(index) + " in a list that has " +
                          std::to_string(size));
}
void check_room(const std::string& list, std::size_t values, std::int64_t length) {
  if (std::cmp_less(values, length)) return;
  throw std::length_error("'" + list + "' has the length " + std::to_string(length) +
                          ", but there are more iterations; make it longer, or limit the loop");
}
std::size_t check_length(const std::string& list, std::int64_t length) {
  if (length >= 0) return static_cast<std::size_t>(length);
  throw std::length_error("'" + list + "' has the length " + std::to_string(length) +
                          "; it must not be negative");
}

// The list in its order, cut or padded to the requested length.
class Padding {
 public:
  explicit Padding(const Arguments& arguments)
      : type_(list_of(arguments[0])),
        list_(slot_of(arguments[0]).slot),
        length_(arguments[1]),
        reverse_(*constant_of<bool>(arguments[2])),
        name_(*constant_of<std::string>(arguments[3])) {}
  void* of(Sample& sample) const {
    void* const list = sample.address(list_);
    if (reverse_) type_.reverse(list);
    type_.resize(list, check_length(name_, length_.of(sample)));
    return list;
  }

 private:
  const ListType& type_;
  SlotId list_;
  Count length_;
  bool reverse_;
  std::string name_;
};

// The tensors of a list of tensors or images, in their order, as many as requested; null for a
// missing one.
class Slices {
 public:
  explicit Slices(const Arguments& arguments)
      : list_(slot_of(arguments[0])),
        length_(arguments[1]),
        reverse_(*constant_of<bool>(arguments[2])),
        name_(*constant_of<std::string>(arguments[3])) {}
  std::vector<const Tensor*> of(const Sample& sample) const {
    const std::size_t length = check_length(name_, length_.of(sample));
    const void* const list = sample.address(list_.slot);
    std::vector<const Tensor*> slices;
    const auto add = [&](const Tensor& one) { slices.push_back(one.empty() ? nullptr : &one); };
    if (list_.type == slot_type<std::vector<Tensor>>()) {
      for (const Tensor& one : *static_cast<const std::vector<Tensor>*>(list)) add(one);
    } else {
      for (const Image& one : *static_cast<const std::vector<Image>*>(list)) add(one.tensor());
    }
    if (slices.size() > length) {
      throw std::length_error(fmt::format("'{}' has {}, more than the length {}", name_,
                                          counted(slices.size(), "element"), length));
    }
    if (reverse_) std::reverse(slices.begin(), slices.end());
    slices.resize(length);
    return slices;
  }

 private:
  SlotArgument list_;
  Count length_;
  bool reverse_;
  std::string name_;
};

OperatorPtr made(OperatorSchema schema, OperatorFunctions functions) {
  return std::make_shared<const Operator>(std::move(schema), std::move(functions));
}

}  // namespace

const OperatorPtr& count_operator() {
  static const OperatorPtr op = [] {
    OperatorSchema schema = schema_of("count",
                                      "Converts an integer of any type to i64; a value that is too "
                                      "large becomes the largest i64.");
    schema.parameters = {length_parameter("the number")};
    schema.parameters[0].name = "x";
    schema.outputs = {{"count", slot_type<std::int64_t>()}};
    OperatorFunctions functions;
    functions.bind = [](const OperatorSchema&, const Call& call) -> StepFunction {
      return [x = Count(call.arguments[0]), out = call.outputs[0]](Sample& sample) {
        sample.get<std::int64_t>(out) = x.of(sample);
      };
    };
    return made(std::move(schema), std::move(functions));
  }();
  return op;
}

const OperatorPtr& list_operator() {
  static const OperatorPtr op = [] {
    OperatorSchema schema =
        schema_of("list", "Creates an empty list that one step in the following loop may fill.");
    Parameter type;
    type.name = "type";
    type.type = ParameterType::value_type;
    type.per_sample = false;
    type.help = "type of the list, such as \"list of image\"";
    schema.parameters = {type};
    schema.outputs = {{"list", nullptr, true}};
    OperatorFunctions functions;
    functions.check = [](const Arguments& all) {
      const SlotType* list = constant_of<ValueType>(all[0])->type;
      if (list == nullptr || list->list == nullptr)
        throw BuildError(fmt::format("list: type is {}, but must be a list",
                                     to_string(std::get<Constant>(all[0]))));
    };
    functions.output_types = [](const Arguments& all) {
      return std::vector<const SlotType*>{constant_of<ValueType>(all[0])->type};
    };
    functions.bind = [](const OperatorSchema&, const Call& call) -> StepFunction {
      const ListType& list = constant_of<ValueType>(call.arguments[0])->type->list();
      return
          [&list, out = call.outputs[0]](Sample& sample) { list.resize(sample.address(out), 0); };
    };
    return made(std::move(schema), std::move(functions));
  }();
  return op;
}

const OperatorPtr& append_operator() {
  static const OperatorPtr op = [] {
    OperatorSchema schema =
        schema_of("append", "Appends a copy of the value to a list created by 'list'.");
    schema.inputs = {list_input(InputUse::fills), {"value", {}, "an element of it"}};
    schema.parameters = {length_parameter("largest number of elements"), name_parameter()};
    schema.parameters[0].default_value = std::numeric_limits<std::int64_t>::max();
    OperatorFunctions functions;
    functions.check = [](const Arguments& all) { check_appends("append", all[0], all[1]); };
    functions.bind = [](const OperatorSchema&, const Call& call) -> StepFunction {
      const ListType& type = list_of(call.arguments[0]);
      return [&type, list = slot_of(call.arguments[0]).slot,
              value = slot_of(call.arguments[1]).slot, room = Count(call.arguments[2]),
              name = *constant_of<std::string>(call.arguments[3])](Sample& sample) {
        void* const to = sample.address(list);
        check_room(name, type.size(to), room.of(sample));
        type.append(to, sample.address(value));
      };
    };
    return made(std::move(schema), std::move(functions));
  }();
  return op;
}

const OperatorPtr& appended_operator() {
  static const OperatorPtr op = [] {
    OperatorSchema schema = schema_of(
        "appended", "Returns a list created by 'list' with a copy of the value appended.");
    schema.inputs = {list_input(InputUse::takes), {"value", {}, "an element of it"}};
    schema.outputs = {{"list", nullptr, true}};
    OperatorFunctions functions;
    functions.check = [](const Arguments& all) { check_appends("appended", all[0], all[1]); };
    functions.output_types = type_of_list;
    functions.bind = [](const OperatorSchema&, const Call& call) -> StepFunction {
      return [&type = list_of(call.arguments[0]), move = slot_of(call.arguments[0]).type->move,
              list = slot_of(call.arguments[0]).slot, value = slot_of(call.arguments[1]).slot,
              out = call.outputs[0]](Sample& sample) {
        move(sample.address(out), sample.address(list));
        type.append(sample.address(out), sample.address(value));
      };
    };
    return made(std::move(schema), std::move(functions));
  }();
  return op;
}

const OperatorPtr& reverse_operator() {
  static const OperatorPtr op = [] {
    OperatorSchema schema = schema_of("reverse", "Reverses a list.");
    schema.inputs = {list_input()};
    schema.outputs = {{"list", nullptr}};
    OperatorFunctions functions;
    functions.check = checks_list("reverse", true);
    functions.output_types = type_of_list;
    functions.bind = [](const OperatorSchema&, const Call& call) -> StepFunction {
      const ListType& type = list_of(call.arguments[0]);
      return [&type, list = slot_of(call.arguments[0]).slot, out = call.outputs[0]](
                 Sample& sample) { type.take_reversed(sample.address(list), sample.address(out)); };
    };
    return made(std::move(schema), std::move(functions));
  }();
  return op;
}

const OperatorPtr& element_operator() {
  static const OperatorPtr op = [] {
    OperatorSchema schema = schema_of("element", "Returns an element of a list.");
    schema.inputs = {list_input(), {"index", {slot_type<std::int64_t>()}}};
    schema.outputs = {{"element", nullptr}};
    OperatorFunctions functions;
    functions.check = checks_list("element", true);
    functions.output_types = [](const Arguments& all) {
      return std::vector<const SlotType*>{list_of(all[0]).element};
    };
    functions.bind = [](const OperatorSchema&, const Call& call) -> StepFunction {
      const ListType& type = list_of(call.arguments[0]);
      return [&type, list = slot_of(call.arguments[0]).slot,
              index = slot_of(call.arguments[1]).slot, out = call.outputs[0]](Sample& sample) {
        const void* const all = sample.address(list);
        const std::int64_t i = sample.get<std::int64_t>(index);
        type.take(all, check_element(i, type.size(all)), sample.address(out));
      };
    };
    return made(std::move(schema), std::move(functions));
  }();
  return op;
}

const OperatorPtr& slice_operator() {
  static const OperatorPtr op =
      declare_operator("slice")
          .family("loops")
          .summary("Returns the slice of a tensor at one index of an axis, without that axis.")
          .input<Tensor>("tensor")
          .input<std::int64_t>("index")
          .constant<std::int32_t>(
              "axis", {.value = 0, .low = 0, .high = Shape::kMaxRank - 1, .help = "axis to index"})
          .output<Tensor>("slice")
          .runs([](const Tensor& tensor, std::int64_t index, std::int32_t axis, Tensor& slice) {
            take_slice(tensor, axis, index, slice);
          });
  return op;
}

const OperatorPtr& pad_operator() {
  static const OperatorPtr op = [] {
    OperatorSchema schema =
        schema_of("pad", "Fills up a list created by 'list' with default values.");
    schema.inputs = {list_input(InputUse::takes)};
    schema.parameters = {length_parameter("number of elements of the result"), reverse_parameter(),
                         name_parameter()};
    schema.outputs = {{"list", nullptr}};
    OperatorFunctions functions;
    functions.check = checks_list("pad", false);
    functions.output_types = type_of_list;
    functions.bind = [](const OperatorSchema&, const Call& call) -> StepFunction {
      return [padding = Padding(call.arguments), move = slot_of(call.arguments[0]).type->move,
              out = call.outputs[0]](Sample& sample) {
        move(sample.address(out), padding.of(sample));
      };
    };
    return made(std::move(schema), std::move(functions));
  }();
  return op;
}

const OperatorPtr& stack_operator() {
  static const OperatorPtr op = [] {
    OperatorSchema schema = schema_of(
        "stack", "Stacks the tensors or images of a list into one tensor, filled up with zeros.");
    schema.inputs = {{"list", {slot_type<std::vector<Tensor>>(), slot_type<std::vector<Image>>()}}};
    schema.parameters = {length_parameter("length of the new dimension"), reverse_parameter(),
                         name_parameter()};
    Parameter axis;
    axis.name = "axis";
    axis.type = ParameterType::integer;
    axis.default_value = std::int32_t{0};
    axis.low = 0;
    axis.high = Shape::kMaxRank - 1;
    axis.per_sample = false;
    axis.help = "position of the new dimension";
    schema.parameters.push_back(std::move(axis));
    schema.outputs = {{"tensor", slot_type<Tensor>()}};
    OperatorFunctions functions;
    functions.bind = [](const OperatorSchema&, const Call& call) -> StepFunction {
      return [slices = Slices(call.arguments), axis = *constant_of<std::int32_t>(call.arguments[4]),
              out = call.outputs[0]](Sample& sample) {
        stack_slices(slices.of(sample), axis, sample.get<Tensor>(out));
      };
    };
    return made(std::move(schema), std::move(functions));
  }();
  return op;
}

}  // namespace sluice::detail
