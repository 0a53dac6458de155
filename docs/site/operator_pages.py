"""Makes the pages of the operators from their declarations, as `sluice operators --json` prints them."""

import ast
import html
import importlib.util
import re
import sys

FAMILIES = {
    "arithmetic": "Numbers, tensors and images, element by element",
    "boxes": "Boxes, points and anchors",
    "color": "Colors and brightness",
    "composition": "Several images in one",
    "control": "Filters of samples",
    "decode": "From files to images",
    "devices": "Between CPU and GPU",
    "filter": "Blur, sharpness and morphology",
    "geometry": "Crops, sizes and warps",
    "labels": "Labels",
    "loops": "Parts of loops, which the library adds",
    "noise": "Noise",
    "occlusion": "Erased parts",
    "random": "Random numbers",
    "reductions": "From many numbers to one",
    "tensors": "Shapes, layouts and normalization",
}
ENUMERATORS = {"boolean": "bool"}
# The ends of names that differ only in them.
FORMS = (
    "axes|boxes|elements|field|image|masked|number|padded|padded_tensor|points|region|region_of_file|tensor|with_noise"
)

# Calls in Python that do not follow from those in C++: other forms of arguments.
EXAMPLES = {
    "cat": "ops.cat(ops.to_tensor(image), ops.to_tensor(image), axis=-1)",
    "center_region": "ops.center_region(*ops.canvas_size(image), crop_height=224, crop_width=224)",
    "choice": "ops.choice([0.5, 1, 2])",
    "choice_index": "ops.choice_index([3, 1])",
    "constant": "sluice.constant(0.5)",
    "crop_padded": "ops.crop_padded(image, region, fill=128)",
    "crop_padded_tensor": "ops.crop_padded(tensor, region, fill=1000)",
    "decode_and_resize": "ops.decode_and_resize(jpeg, region, height=224, width=224)",
    "encode_anchors": "ops.encode_anchors(boxes, labels, anchors, iou=0.5)",
    "filter": "sluice.drop_unless(x > y)",
    "lookup_table": "ops.lookup_table(image, [value // 64 * 85 for value in range(256)])",
    "normalize_tensor": "ops.normalize(tensor, mean=[0.1], std=[0.2])",
    "pad_tensor": "ops.pad_tensor(boxes, axis=0, length=100, fill=-1)",
    "perspective": "ops.perspective(image, startpoints=[(0, 0), (99, 0), (99, 99), (0, 99)], "
    "endpoints=[(9, 0), (90, 9), (99, 99), (0, 90)])",
    "perspective_boxes": "ops.perspective_boxes(boxes, 0, 0, 99, 0, 99, 99, 0, 99, 9, 0, 90, 9, 99, 99, 0, 90)",
    "perspective_points": "ops.perspective_points(points, 0, 0, 99, 0, 99, 99, 0, 99, 9, 0, 90, 9, 99, 99, 0, 90)",
    "random_crop_region": "ops.random_crop_region(*ops.canvas_size(image), crop_height=32, crop_width=32, top=4, bottom=4)",
    "reduce": "ops.reduce(image, 'max', to='i64')",
    "reduce_axes": "ops.mean(image, axis=(0, 1))",
    "reshape": "ops.reshape(ops.to_tensor(image), [3, -1])",
    "resize_boxes": "ops.resize_boxes(boxes, *ops.canvas_size(image), to_height=300, to_width=300)",
    "resize_points": "ops.resize_points(points, *ops.canvas_size(image), to_height=300, to_width=300)",
    "scaled_region": "ops.scaled_region(*ops.canvas_size(image), window_height=51, window_width=51, scale=1.5)",
    "slice_tensor": "ops.slice_tensor(ops.to_tensor(image), axis=1, start=x, length=1)",
    "stack": "ops.stack([ops.to_tensor(image), ops.to_tensor(image)])",
    "sum": "ops.sum(image)",
    "weighted_sum": "ops.weighted_sum([image, ops.invert(image)], [0.5, 0.5])",
}


class _NoExample(Exception):
    """The line of C++ has no translation."""


class _Translator:
    """Turns a line of C++ that calls operators into Python."""

    TOKENS = re.compile(r"\s*(?:(\d[\w.]*)|([A-Za-z_]\w*(?:::[A-Za-z_]\w*)*)|(<=|>=|==|!=|&&|\|\||.))")

    def __init__(self, names):
        self.names = names  # of C++ functions in Python

    def __call__(self, code):
        self.tokens = [next(group for group in match if group) for match in self.TOKENS.findall(code)]
        self.at = 0
        made = self.expression()
        if self.at < len(self.tokens):
            raise _NoExample
        return made

    def peek(self, ahead=0):
        return self.tokens[self.at + ahead] if self.at + ahead < len(self.tokens) else ""

    def take(self, expected=None):
        token = self.peek()
        if not token or (expected and token != expected):
            raise _NoExample
        self.at += 1
        return token

    def expression(self):
        left = self.unary()
        while self.peek() in ("+", "-", "*", "/", "%", "&", "|", "^", "<", ">", "<=", ">=", "==", "!="):
            left = f"{left} {self.take()} {self.unary()}"
        return left

    def unary(self):
        if self.peek() == "-":
            self.take()
            return "-" + self.unary()
        if self.peek() == "!":
            self.take()
            return f"ops.not_({self.unary().removeprefix('(').removesuffix(')')})"
        return self.postfix()

    def postfix(self):
        made = self.primary()
        while self.peek() == ".":
            self.take()
            name = self.take()
            if self.peek() == "(":
                made += f".{name}({self.arguments()})"
            elif name == "region":
                made += "[0]"
            elif name == "kept":
                made += "[1]"
            else:
                raise _NoExample
        return made

    def primary(self):
        token = self.take()
        if token == "(":
            made = self.expression()
            self.take(")")
            return f"({made})"
        if token == "{":
            parts = []
            while self.peek() != "}":
                parts.append(self.expression())
                if self.peek() == ",":
                    self.take()
            self.take()
            return f"[{', '.join(parts)}]"
        if re.match(r"\d", token):
            return token.rstrip("f").removesuffix(".") if not token.startswith("0x") else token
        if token in ("true", "false"):
            return token.capitalize()
        if "::" in token and self.peek() != "(":
            name = token.split("::")[-1]
            return repr(ENUMERATORS.get(name, name.upper() if token.startswith("Layout") else name))
        if token == "g" and self.peek() == ".":
            self.take()
            name = self.take()
            return f"{'sluice' if name == 'constant' else 'ops'}.{name}({self.arguments()})"
        if token == "cast" and self.peek() == "<":
            self.take()
            to = {"float": "f32", "double": "f64"}.get(self.take())
            self.take(">")
            return f"{self.arguments()}.cast({to!r})" if to else self.missing()
        if self.peek() == "<" and self.peek(2) == ">" and self.peek(3) == "(":
            self.at += 3
        if self.peek() == "(":
            return f"ops.{self.names.get(token, token)}({self.arguments()})"
        return token

    def missing(self):
        raise _NoExample

    def arguments(self):
        """Designated initializers become keywords at the end, and positional numbers before it."""
        self.take("(")
        parts = []
        while self.peek() != ")":
            if self.peek() == "{" and self.peek(1) == ".":
                self.take()
                fields = []
                while self.peek() != "}":
                    self.take(".")
                    name = self.take()
                    self.take("=")
                    fields.append((name, self.expression()))
                    if self.peek() == ",":
                        self.take()
                self.take()
                is_size = [name for name, _ in fields] == ["height", "width"] and self.peek() == ","
                parts += [
                    value if is_size else f"{name + '_' if name in ('from', 'in') else name}={value}"
                    for name, value in fields
                ]
            else:
                made = self.expression()
                parts.append("*" + made if made.startswith("ops.canvas_size(") else made)
                if parts[-1] == "g":
                    parts.pop()
            if self.peek() == ",":
                self.take()
        self.take()
        return ", ".join(parts)


def python_name(operator):
    """The name of its function of sluice.ops; None if it has none."""
    call = operator["python"][0] if operator["python"] else ""
    return call.split("(")[0].removeprefix("ops.") if call.startswith("ops.") else None


def python_signatures(stub):
    """The functions of ops.pyi that take Values: text, number of positional parameters, all parameters, docstring."""
    found = {}
    for node in ast.parse(stub.read_text()).body:
        if isinstance(node, ast.FunctionDef):
            found[node.name] = node  # the last overload is for Values
    made = {}
    for name, node in found.items():
        by_place = [*node.args.posonlyargs, *node.args.args]
        parameters = [argument.arg for argument in (*by_place, *node.args.kwonlyargs)]
        documented = ast.get_docstring(node) or ""
        node.body, node.decorator_list = [ast.Expr(ast.Constant(...))], []
        line = ast.unparse(node).removeprefix("def ").replace(":\n    ...", "")
        if len(line) > 88:
            arguments = node.args
            defaults = [None] * (len(by_place) - len(arguments.defaults)) + arguments.defaults
            texts = [one_parameter(a, d) for a, d in zip(by_place, defaults)]
            if arguments.vararg:
                texts.append("*" + one_parameter(arguments.vararg, None))
            elif arguments.kwonlyargs:
                texts.append("*")
            texts += [one_parameter(a, d) for a, d in zip(arguments.kwonlyargs, arguments.kw_defaults)]
            inside = "".join(f"    {text},\n" for text in texts)
            line = f"{name}(\n{inside}) -> {ast.unparse(node.returns)}"
        made[name] = ("ops." + line, sys.maxsize if node.args.vararg else len(by_place), parameters, documented)
    return made


def one_parameter(argument, default):
    text = argument.arg + (f": {ast.unparse(argument.annotation)}" if argument.annotation else "")
    return text + (f" = {ast.unparse(default)}" if default is not None else "")


def examples(operators, signatures):
    """A call in Python for each operator that has one, by name."""
    names = {}
    for operator in operators:
        function = python_name(operator)
        for code in operator["cpp"]:
            head = re.match(r"(\w+)(<[^>]*>)?\(", code)
            if function and head and head[1] == operator["name"]:
                names.setdefault(head[1], function)
    made = {}
    for operator in operators:
        name, function = operator["name"], python_name(operator)
        if name in EXAMPLES:
            made[name] = [EXAMPLES[name]]
            continue
        calls = []
        for code in operator["cpp"]:
            head = re.match(r"(\w+)(<[^>]*>)?\(", code)
            try:
                call = _Translator({**names, **({head[1]: function} if head and function else {})})(code)
            except _NoExample:
                continue
            if name in ("cpu", "gpu") or (function and (call := with_keywords(call, signatures))):
                calls.append(call)
        if calls:
            made[name] = calls
    return made


def with_keywords(call, signatures):
    """The call with keywords for what is not positional in Python; None if a function or a parameter does not exist."""
    parsed = ast.parse(call)
    for node in ast.walk(parsed):
        if not (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and ast.unparse(node.func.value) == "ops"
        ):
            continue
        if node.func.attr not in signatures:
            return None
        _, by_place, parameters, _ = signatures[node.func.attr]
        if any(keyword.arg not in parameters for keyword in node.keywords):
            return None
        surplus = node.args[by_place:]
        starred = sum(isinstance(argument, ast.Starred) for argument in node.args)  # height and width
        if starred and len(node.args) + starred > by_place:
            return None
        node.args = node.args[:by_place]
        node.keywords = [
            *(ast.keyword(name, value) for name, value in zip(parameters[by_place:], surplus)),
            *node.keywords,
        ]
    return ast.unparse(parsed)


def peers_by_function(root):
    """The names of other libraries, by the function of sluice.ops to write instead."""
    spec = importlib.util.spec_from_file_location("peers", root / "python/sluice/_peers.py")
    peers = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(peers)
    found = {}
    for advice, names in peers.OPERATORS:
        for function in re.findall(r"(?:^|\bor |\band )ops\.(\w+)", advice):
            known = found.setdefault(function, [])
            known += [name for name in names.split() if name not in known]
    return found


def row(*cells):
    """A row of a table. Markdown finds a | in code itself."""
    return (
        "| "
        + " | ".join(
            "".join(part if i % 2 else part.replace("|", "\\|") for i, part in enumerate(re.split("(`[^`]*`)", cell)))
            for cell in cells
        )
        + " |"
    )


def code_in_table(text):
    return f"`{text}`" if text else ""


def legal(parameter):
    if parameter.get("choices"):
        return ", ".join(f"`{choice}`" for choice in parameter["choices"])
    return parameter.get("range", "")


def default_of(parameter):
    return "not given" if parameter.get("optional") else code_in_table(parameter.get("default", ""))


def per_sample(parameter):
    if not parameter["per_sample"]:
        return "no"
    return "yes, as a tensor" if parameter["type"] == "numbers" else "yes"


def cpp_declarations(operator, headers):
    """The C++ function and its options: the items of the headers that declare it, with their headers."""
    names = {match[1] for code in operator["cpp"] if (match := re.match(r"(\w+)(?:<[^>]*>)?\(", code))}
    found = []
    for path, header in headers.items():
        if not re.match(r"(ops|graph)/\w+\.h$", path):
            continue
        functions = [item for item in header.items if item.kind == "function" and item.name.split("::")[-1] in names]
        texts = "\n".join(item.code for item in functions)
        options = [
            item
            for item in header.items
            if item.kind == "struct" and re.search(rf"\b{re.escape(item.name.split('::')[-1])}\b", texts)
        ]
        if functions:
            found.append((header, sorted(options + functions, key=lambda item: item.line)))
    return found


class Pages:
    def __init__(self, operators, root, headers, chapters):
        self.operators = {operator["name"]: operator for operator in operators}
        self.headers = headers
        self.signatures = python_signatures(root / "python/sluice/ops.pyi")
        self.examples = examples(operators, self.signatures)
        self.peers = peers_by_function(root)
        self.chapters = chapters  # staged page: (title, text)
        families = {}
        for operator in operators:
            families.setdefault(operator["family"], []).append(operator)
        # First those with the most images.
        self.families = dict(
            sorted(families.items(), key=lambda one: (-sum("shown" in operator for operator in one[1]), one[0]))
        )

    def link(self, name):
        return f"[{name}]({name}.md)" if name in self.operators else name

    def runs_on(self, operator):
        if operator["runs_on_device"]:
            return "CPU and GPU"
        if operator["made_of"]:
            parts = [part for name in operator["made_of"] if image_inputs(part := self.operators[name])]
            if not parts:
                return "as its operators"
            return "CPU and GPU" if all(part["runs_on_device"] for part in parts) else "CPU"
        return "CPU and GPU" if operator["name"] in ("cpu", "gpu") else "CPU"

    def facts(self, operator):
        facts = [f"[{operator['family']}](index.md#{operator['family']})", f"[{self.runs_on(operator)}](../gpu.md)"]
        if operator["draws"]:
            facts.append("draws random numbers")
        if operator["effect"]:
            facts.append("runs even if its output is unused")
        return " · ".join(facts)

    def page(self, operator):
        name, summary = operator["name"], operator["summary"]
        out = [
            "---",
            f"title: {name}",
            f"description: {html.escape(summary)!r}",
            "search:",
            "  boost: 4",
            "---",
            "",
            f"# {name}",
            "",
            re.sub(r"(?<![`\w])(<|\*)", r"\\\1", summary),
            "",
            self.facts(operator),
            "{ .facts }",
            "",
        ]
        if operator.get("shown"):
            out += [figure("images/", name, operator["shown"]), ""]
        if operator["made_of"]:
            out += [
                "It is made of "
                + ", ".join(self.link(part) for part in operator["made_of"])
                + ". Saved plans name these.",
                "",
            ]
        if operator["events"]:
            out += ["`stats()` counts it as " + ", ".join(f"`{event}`" for event in operator["events"]) + ".", ""]
        out += self.in_python(operator) + self.in_cpp(operator) + self.parameters(operator) + self.see_also(operator)
        return "\n".join(out) + "\n"

    def in_python(self, operator):
        out = ["## Python", ""]
        function = python_name(operator)
        if function in self.signatures:
            text, _, _, documented = self.signatures[function]
            out += ["```python", text, "```", ""]
            found = re.search(r"Raises\n-+\n(.*?)(?=\n\n\w+\n-+|\Z)", documented, re.S)
            raises = re.findall(r"^(\w+)\n((?:    .*\n?)+)", found[1], re.M) if found else []
        elif operator["python"]:
            out += ["```python", *operator["python"], "```", ""]
            raises = []
        else:
            return out + [
                "Python has no function for it. Expressions, statements or other functions of `ops` add it.",
                "",
            ]
        calls = self.examples.get(operator["name"])
        if calls:
            out += ["For example:", "", "```python", *calls, "```", ""]
        for error, what in raises:
            out += [f"`{error}`: {' '.join(what.split())[0].lower()}{' '.join(what.split())[1:]}", ""]
        return out

    def in_cpp(self, operator):
        out = ["## C++", ""]
        declared = cpp_declarations(operator, self.headers)
        for header, items in declared:
            out += [
                "```cpp",
                "\n\n".join(item.code for item in items),
                "```",
                "",
                f"Declared in [{header.path}](../{header.page}#{items[-1].anchor}).",
                "",
            ]
        if operator["cpp"]:
            out += [
                "For example:" if declared else "As an expression:",
                "",
                "```cpp",
                *[code + ";" for code in operator["cpp"]],
                "```",
                "",
            ]
        elif not declared:
            out += ["C++ has no function for it. Loops and other functions add it where they need it.", ""]
        return out

    def parameters(self, operator):
        out = [
            "## Inputs and parameters",
            "",
            row("", "name", "type", "range", "default", "per sample", "meaning"),
            row(*["---"] * 7),
        ]
        for one in operator["inputs"]:
            out.append(row("input", f"`{one['name']}`", " or ".join(one["types"]), "", "", "yes", ""))
        for one in operator["parameters"]:
            out.append(
                row(
                    "parameter",
                    f"`{one['name']}`",
                    one["accepts"],
                    legal(one),
                    default_of(one),
                    per_sample(one),
                    one["help"],
                )
            )
        for one in operator["outputs"]:
            out.append(row("output", f"`{one['name']}`", one["type"] or "depends on the arguments", "", "", "", ""))
        out += [
            "",
            "A parameter without a default must be given. One that is *per sample* is a constant, or a value of each sample.",
            "",
        ]
        return out

    def see_also(self, operator):
        name, function = operator["name"], python_name(operator)
        out = ["## See also", ""]
        stem = re.sub(rf"_({FORMS})$", "", name)
        related = [other for other in self.operators if other != name and re.fullmatch(rf"{stem}(_({FORMS}))?", other)]
        related = [] if stem == "filter" else related  # that is for samples
        family = [
            other["name"]
            for other in self.families[operator["family"]]
            if other["name"] != name and other["name"] not in related
        ]
        if related:
            out.append("- **Its forms:** " + ", ".join(map(self.link, related)))
        peers = self.peers.get(function, [])
        if peers:
            out.append("- **Names in other libraries:** " + ", ".join(f"`{peer}`" for peer in peers))
        pattern = re.compile(rf"\b(ops\.)?{re.escape(name)}\(|`{re.escape(name)}`")
        mentions = sorted(
            ((len(pattern.findall(text)), title, page) for page, (title, text) in self.chapters.items()), reverse=True
        )
        mentions = [(title, page) for count, title, page in mentions[:4] if count]
        if mentions:
            out.append("- **Chapters:** " + ", ".join(f"[{title}](../{page})" for title, page in mentions))
        if family:
            out.append(
                f"- **Others of [{operator['family']}](index.md#{operator['family']}):** "
                + ", ".join(map(self.link, family))
            )
        return out + [""]

    def index(self, introduction):
        """All operators by family: those with an effect as tiles, the rest as a table."""
        shown = sum(1 for operator in self.operators.values() if operator.get("shown"))
        out = [
            "---",
            "title: All operators",
            "---",
            "",
            "# Operators",
            "",
            f"Sluice has {len(self.operators)} operators in {len(self.families)} families. "
            f"{shown} of them are shown with their effect on this image:",
            "",
            '<img class="before" src="images/before.jpg" alt="The image before: a boat" width="168">',
            "",
            "Families: " + " · ".join(f"[{family}](#{family})" for family in self.families),
            "",
            '??? note "How to read these pages"',
            "",
            *("    " + line for line in introduction.split("\n")),
            "",
        ]
        for family, operators in self.families.items():
            out += [f"## {family}", "", FAMILIES.get(family, family.capitalize()) + ".", ""]
            tiles = [operator for operator in operators if operator.get("shown")]
            if tiles:
                out += ['<div class="tiles">']
                out += [
                    f'<a href="{one["name"]}.html"><img src="images/{one["name"]}.jpg" alt="" loading="lazy">'
                    f"<code>{one['name']}</code></a>"
                    for one in tiles
                ]
                out += ["</div>", ""]
            out += [row("operator", "what it does", "runs on"), row("---", "---", "---")]
            for one in operators:
                out.append(row(f"[{one['name']}]({one['name']}.md)", one["summary"], self.runs_on(one)))
            out.append("")
        return "\n".join(out)


def image_inputs(operator):
    return any("image" in one["types"] for one in operator["inputs"])


def figure(folder, name, code):
    return (
        f'<figure class="effect"><div><img src="{folder}before.jpg" alt="The image before" width="168">'
        f'<img src="{folder}{name}.jpg" alt="The image after {name}" width="168"></div>'
        f"<figcaption>Before and after <code>{html.escape(code)}</code></figcaption></figure>"
    )
