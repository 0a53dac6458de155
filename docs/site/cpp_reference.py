"""Makes the pages of the C++ reference: one for each public header, in the order of the header.

Doxygen finds the declarations. Comments and code are the text of the header itself.
"""

import dataclasses
import re
import shutil
import subprocess
import xml.etree.ElementTree as tree

# Names that the reference leaves out.
HIDDEN = re.compile(r"(^|::)detail(::|$)|^SLUICE_|^std(::|$)|@")
KINDS = {"function": "function", "typedef": "type", "enum": "enum", "variable": "constant"}


@dataclasses.dataclass
class Item:
    """A declaration, or several in a row that share a comment."""

    name: str
    kind: str
    line: int  # of the declaration, from 1
    end: int
    comment: str
    code: str
    anchor: str = ""
    members: list["Item"] = dataclasses.field(default_factory=list)


@dataclasses.dataclass
class Header:
    path: str  # from the project's root
    summary: str
    intro: str
    items: list[Item]

    @property
    def page(self):
        return f"cpp/{self.path.removesuffix('.h').replace('/', '-')}.md"


def run_doxygen(root, work, headers):
    """Returns the folder of the XML."""
    shutil.rmtree(work, ignore_errors=True)  # Doxygen keeps the files of classes that are gone
    work.mkdir(parents=True)
    settings = {
        "INPUT": " ".join(headers),
        "OUTPUT_DIRECTORY": f'"{work}"',
        "STRIP_FROM_PATH": f'"{root}"',
        "EXTRACT_ALL": "YES",
        "GENERATE_XML": "YES",
        "GENERATE_HTML": "NO",
        "GENERATE_LATEX": "NO",
        "XML_PROGRAMLISTING": "NO",
        "QUIET": "YES",
        "WARNINGS": "NO",
        "ENABLE_PREPROCESSING": "YES",
        "SEARCH_INCLUDES": "NO",
        "MARKDOWN_SUPPORT": "NO",
        "AUTOLINK_SUPPORT": "NO",
    }
    text = "".join(f"{name} = {value}\n" for name, value in settings.items())
    subprocess.run(["doxygen", "-"], input=text, text=True, cwd=root, check=True)
    return work / "xml"


def uncommented(lines):
    """The text of a block of comment lines, without what marks them."""
    return "\n".join(re.sub(r"^\s*// ?", "", line) for line in lines).strip("\n")


def comment_above(lines, index):
    """The comment that ends right above the line, and the line where it begins."""
    begin = index
    while begin > 0 and re.match(r"\s*//", lines[begin - 1]):
        begin -= 1
    return uncommented(lines[begin:index]), begin


def first_line(lines, index):
    """The line where the declaration begins, which may be a template's head or an earlier part of its type."""
    while index > 0:
        above = lines[index - 1]
        if (
            not above.strip()
            or re.match(r"\s*(//|#|public:|private:|protected:)", above)
            or re.search(r"[;{}]\s*(//.*)?$", above)
        ):
            return index
        index -= 1
    return index


def declaration(lines, index, whole):
    """The text from the line to the end of the declaration, and its last line. Leaves out a function's body unless whole."""
    text = "\n".join(lines[index:])
    parens = braces = 0
    code = re.sub(r"//[^\n]*", lambda comment: " " * len(comment[0]), text)  # a comment may have a semicolon
    for at, letter in enumerate(code):
        if letter in "([":
            parens += 1
        elif letter in ")]":
            parens -= 1
        elif letter == "{" and not parens and not braces and not whole:
            head = text[:at].rstrip()
            found = re.search(r"\)[^():]*?\s:\s(?!:)", re.sub(r"::", "..", head))  # a constructor's initializers
            head = head[: found.start() + 1] if found else head
            return head + ";", index + text[:at].count("\n")
        elif letter == "{":
            braces += 1
        elif letter == "}":
            braces -= 1
        elif letter == ";" and not parens and not braces:
            end = text.find("\n", at)
            tail = text[at + 1 : end if end >= 0 else len(text)]
            return text[: at + 1] + (tail if tail.strip().startswith("//") else ""), index + text[:at].count("\n")
    return text, len(lines) - 1


def dedent(text):
    lines = text.split("\n")
    least = min((len(line) - len(line.lstrip()) for line in lines if line.strip()), default=0)
    return "\n".join(line[least:] for line in lines)


def item_of(lines, name, kind, line, whole=False):
    begin = first_line(lines, line - 1)
    comment, _ = comment_above(lines, begin)
    code, end = declaration(lines, begin, whole)
    return Item(name, kind, begin, end, comment, dedent(code))


def merged(items):
    """Joins declarations with the one above them if they follow it directly and have no comment of their own."""
    joined = []
    for item in sorted(items, key=lambda one: one.line):
        last = joined[-1] if joined else None
        if last and not item.comment and not item.members and not last.members and item.line <= last.end + 1:
            if item.line > last.end:  # else both are on one line
                last.code += "\n" + item.code
                last.end = item.end
        else:
            joined.append(item)
    return joined


def member_items(compound, lines):
    for member in compound.iterfind("sectiondef/memberdef"):
        place = member.find("location")
        name = member.findtext("name")
        if member.get("prot") != "public" or HIDDEN.search(name):
            continue
        kind = KINDS.get(member.get("kind"))
        if kind:
            item = item_of(lines(place.get("file")), name, kind, int(place.get("line")), kind != "function")
            if item.comment or "detail::" not in item.code:  # else it is for the library itself
                yield place.get("file"), item


def class_item(compound, lines):
    place = compound.find("location")
    text = lines(place.get("file"))
    begin, end = int(place.get("bodystart", place.get("line"))), int(place.get("bodyend", "-1"))
    name = compound.findtext("compoundname").removeprefix("sluice::")
    kind = compound.get("kind")
    start = first_line(text, begin - 1)
    comment, _ = comment_above(text, start)
    body = text[start:end] if end > 0 else text[start : start + 1]
    functions = [
        m
        for m in compound.iterfind("sectiondef/memberdef")
        if m.get("kind") == "function" and m.get("prot") == "public"
    ]
    is_plain = not functions and not any(re.match(r"\s*(private|protected):", line) for line in body)
    if is_plain or end < 0:
        return Item(name, kind, start, max(end - 1, start), comment, dedent("\n".join(body)))
    head, _ = declaration(text, start, False)
    members = [item for _, item in member_items(compound, lines) if start <= item.line < end]
    return Item(name, kind, start, end - 1, comment, dedent(head), members=merged(members))


def read(root, xml, paths):
    """Returns the headers with their declarations, by path."""
    cache = {}

    def lines(path):
        if path not in cache:
            cache[path] = (root / path).read_text().split("\n")
        return cache[path]

    found = {path: [] for path in paths}
    compounds = [one for file in sorted(xml.glob("*.xml")) for one in tree.parse(file).iterfind("compounddef")]
    compounds = [one for one in compounds if not HIDDEN.search(one.findtext("compoundname"))]
    spaces = {one.findtext("compoundname"): one for one in compounds if one.get("kind") == "namespace"}
    for name, compound in spaces.items():
        if name.startswith("sluice"):
            for path, item in member_items(compound, lines):
                if path in found:
                    found[path].append(item)
    for compound in compounds:
        if compound.get("kind") in ("class", "struct"):
            name, path = compound.findtext("compoundname"), compound.find("location").get("file")
            is_member = name.rpartition("::")[0] not in spaces
            if path in found and compound.get("prot") == "public" and not is_member and "<" not in name:
                found[path].append(class_item(compound, lines))
    headers = {}
    for path in paths:
        text = lines(path)
        first = next((i for i, line in enumerate(text) if not line.startswith("//")), 0)
        intro = uncommented(text[:first])
        summary = re.split(r"\n\n|\n  |(?<=[^.]\.)\s", intro, maxsplit=1)[0].replace("\n", " ")
        items = merged(found[path])
        taken = {}
        for item in items:
            for one in (item, *item.members):
                scope = "" if one is item else item.name.split("::")[-1] + "-"
                slug = re.sub(r"[^\w-]+", "-", scope + one.name.split("::")[-1]).strip("-").lower() or "operator"
                taken[slug] = taken.get(slug, 0) + 1
                one.anchor = slug if taken[slug] == 1 else f"{slug}-{taken[slug]}"
        headers[path] = Header(path, summary, intro, items)
    return headers


def prose(text):
    """A comment as Markdown: indented parts become code, and what looks like a tag stays as it is."""
    parts = []
    for block in re.split(r"\n(?:[ \t]*\n)+", text):
        lines = block.split("\n")
        if all(line.startswith("  ") for line in lines):
            if parts and parts[-1][0] == "code":
                parts[-1] = ("code", parts[-1][1] + "\n\n" + block)
            else:
                parts.append(("code", block))
            continue
        table = [i for i, line in enumerate(lines) if line.startswith("|")]
        if table and table[0] > 0:
            parts.append(("text", "\n".join(lines[: table[0]])))
            lines = lines[table[0] :]
        parts.append(("text", "\n".join(lines)))
    made = []
    for kind, block in parts:
        if kind == "code":
            looks_like_code = re.search(r"[;(){}=]", block)
            made.append(f"```{'cpp' if looks_like_code else 'text'}\n{dedent(block)}\n```")
        else:
            made.append(escaped(with_code(block)))
    return "\n\n".join(made)


def with_code(block):
    """Aligned or indented lines inside a paragraph keep their line breaks as a list."""
    lines, out, code = block.split("\n"), [], []
    for line in lines:
        if (
            line.startswith("  ")
            and not re.match(r"\s*([-*]|\d+\.)\s", line)
            and not (out and re.match(r"\s*([-*]|\d+\.)\s", out[-1]))
        ):
            code.append(line)
            continue
        if code:
            out += ["", "```text", dedent("\n".join(code)), "```", ""]
            code = []
        if (
            re.match(r"([-*]|\d+\.)\s", line)
            and out
            and out[-1].strip()
            and not re.match(r"\s*([-*]|\d+\.)\s", out[-1])
            and not out[-1].startswith("  ")
        ):
            out.append("")
        out.append(line)
    if code:
        out += ["", "```text", dedent("\n".join(code)), "```"]
    return "\n".join(out)


def escaped(block):
    """Marks <T>, *x and _x_ of prose so that Markdown keeps them; code in backticks and fences stays."""
    pieces = re.split(r"(```.*?```|`[^`\n]*`)", block, flags=re.S)
    for i in range(0, len(pieces), 2):
        pieces[i] = re.sub(
            r"(?<!^)([*_])(?=\w)|(?<=\w)([*_])", r"\\\g<0>", pieces[i].replace("&", "&amp;").replace("<", "&lt;")
        )
        pieces[i] = re.sub(r"^(#)", r"\\\1", pieces[i], flags=re.M)
        pieces[i] = re.sub(r"\[(?=[^\]\n]*\])", r"\\[", pieces[i])
    return "".join(pieces)


def page_of(header):
    out = [
        f"---\ntitle: {header.path}\n---\n",
        f"# {header.path}\n",
        f"```cpp\n#include <sluice/{header.path}>\n```\n",
        prose(header.intro),
        "",
    ]
    for item in header.items:
        title = item.name.split("::")[-1]
        out += [
            f"## {title} {{ #{item.anchor} }}\n" if title.isidentifier() else f"## `{title}` {{ #{item.anchor} }}\n"
        ]
        if item.comment:
            out += [prose(item.comment), ""]
        out += [f"```cpp\n{item.code}\n```\n"]
        for member in item.members:
            name = member.name if member.name.isidentifier() else f"`{member.name}`"
            out += [f"### {name} {{ #{member.anchor} }}\n"]
            if member.comment:
                out += [prose(member.comment), ""]
            out += [f"```cpp\n{member.code}\n```\n"]
    return "\n".join(out)


def index_of(headers, worth_reading):
    """The overview: headers worth reading with what is in them, then all by folder."""
    out = [
        "---\ntitle: C++ reference\n---\n",
        "# C++ reference\n",
        "The public headers, one page each. `#include <sluice/sluice.h>` includes those that programs need. "
        "Programs do not use the namespace `detail`.\n",
        "The [operators](../operators/index.md) have pages of their own, with their options in both languages.\n",
        "## Worth reading\n",
        "| header | what is in it |",
        "| --- | --- |",
    ]
    for path, what in worth_reading:
        out.append(f"| [{path}]({headers[path].page.removeprefix('cpp/')}) | {what} |")
    folders = {}
    for path in headers:
        folders.setdefault(path.rpartition("/")[0] or ".", []).append(path)
    for folder, paths in folders.items():
        out += [
            "",
            "## The header of all\n" if folder == "." else f"## {folder}/\n",
            "| header | what it is |",
            "| --- | --- |",
        ]
        for path in paths:
            summary = escaped(headers[path].summary).replace("|", "\\|")
            out.append(f"| [{path}]({headers[path].page.removeprefix('cpp/')}) | {summary} |")
    return "\n".join(out) + "\n"
