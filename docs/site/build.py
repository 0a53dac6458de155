"""Builds the documentation site; scripts/docs runs it with the packages of requirements.txt.

It writes the pages into the folder build/docs/pages, where MkDocs reads them: the chapters, with their links changed to
those of the site, the pages of operators, the gallery, and the references. Nothing of that is checked in.
"""

import argparse
import ast
import base64
import functools
import html
import http.server
import json
import os
import pathlib
import posixpath
import re
import shutil
import subprocess
import sys
import time

import check_links
import cpp_reference
import operator_pages

ROOT = pathlib.Path(__file__).resolve().parents[2]
SITE = ROOT / "docs/site"
WORK = ROOT / "build/docs"

# Pages that are not called like their file.
RENAMED = {"README.md": "index.md", "docs/README.md": "chapters.md", "docs/first-hour.ipynb": "notebook.md"}
# The color behind a drawing in the dark theme, with the hue of style.css.
DARK_PAGE = "#1e2129"
LANGUAGES = {
    ".py": "python",
    ".h": "cpp",
    ".cpp": "cpp",
    ".cu": "cpp",
    ".cuh": "cpp",
    ".cmake": "cmake",
    ".json": "json",
    ".toml": "toml",
    ".sh": "sh",
}

# Pages of the Python reference: names, titles, and the modules that define what is on them. The last one takes the rest.
PYTHON_PAGES = (
    ("errors", "Errors and warnings", ()),
    ("pipelines", "Pipelines and batches", ("_pipeline", "_batch", "_value", "_core")),
    ("sources", "Sources and packs", ("sources", "_readers", "_http", "_huggingface", "_packs", "_workers")),
    ("control", "Control flow", ("_control", "_rewrite")),
    ("augmentation", "Policies and mixes", ("_policies", "_mix")),
    ("own-operators", "Operators of your own", ("_operator",)),
    ("files", "Files, plans and constants", None),
)

# The recipes, as scripts/sheets draws them: the options of `sluice augment` for the data.
GALLERY = (
    (
        "rotate",
        "sheet",
        "--data photos",
        "Rotates one image in four by 10 to 30 degrees, and resizes all. One of the files is damaged: it costs one sample.",
    ),
    (
        "train",
        "train",
        "--data photos",
        "A random region, resized to 224 x 224, half of them mirrored. For training a classifier.",
    ),
    ("eval", "eval", "--data photos", "The shorter side resized, the center cropped. For testing a classifier."),
    (
        "randaugment",
        "randaugment",
        "--data photos",
        "As `train`, then 2 of the 14 operators of RandAugment, at magnitude 9.",
    ),
    ("trivialaugment", "trivialaugment", "--data photos", "As `train`, then one operator, at any magnitude."),
    (
        "autoaugment",
        "autoaugment",
        "--data photos",
        "As `train`, then one of the 25 pairs of operators that AutoAugment found for ImageNet.",
    ),
    ("augmix", "augmix", "--data photos", "As `train`, mixed with three chains of operators."),
    ("simclr", "simclr", "--data photos", "Two views of one image from one decode, for self-supervised training."),
    ("dino", "dino", "--data photos", "Two global and eight local views of one image from one decode."),
    (
        "detection",
        "detection",
        "--list train.jsonl",
        "A random region of 300 x 300 with its boxes, as in the training of SSD.",
    ),
    (
        "segmentation",
        "segmentation",
        "--list train.jsonl",
        "A random crop of 512 x 512 of an image and its mask, scaled by 0.5 to 2.",
    ),
)


def split_code(text):
    """The parts of a Markdown text: those at odd places are code, which stays as it is."""
    return re.split(r"(^ *```.*?^ *```[^\n]*$|`[^`\n]*`)", text, flags=re.M | re.S)


class Site:
    def __init__(self, sluice, repository):
        self.sluice, self.repository = sluice, repository
        self.pages = {}  # staged path: text or bytes
        self.sources = {}  # staged path of a chapter: its path in the tree
        self.titles = {}
        self.queue = []
        self.operators = json.loads(
            subprocess.run([sluice, "operators", "--json"], check=True, capture_output=True, text=True).stdout
        )
        self.operator_names = {one["name"] for one in self.operators}
        self.families = {one["family"] for one in self.operators}
        paths = [
            path for path in (ROOT / "tests/house/installed_headers.txt").read_text().split() if path.endswith(".h")
        ]
        self.headers = cpp_reference.read(ROOT, cpp_reference.run_doxygen(ROOT, WORK / "doxygen", paths), paths)

    # Links.

    def page_for(self, path):
        """The staged page of a chapter, which is made if it is new."""
        page = RENAMED.get(path)
        if page is None:
            page = path.removeprefix("docs/").removeprefix("tests/")
            page = posixpath.join(posixpath.dirname(page), posixpath.basename(page).lower().replace("readme", "index"))
            page = posixpath.splitext(page)[0] + ".md"
        if page not in self.sources:
            self.sources[page] = path
            self.queue.append(page)
        return page

    def code_page(self, path):
        """The page that shows a file or folder of the tree; an address if the repository has one."""
        if self.repository:
            kind = "tree" if (ROOT / path).is_dir() else "blob"
            return f"{self.repository}/{kind}/main/{path}"
        page = f"source/{path}.md"
        if page in self.pages:
            return page
        self.pages[page] = ""  # while folders link to their files
        if (ROOT / path).is_dir():
            listed = subprocess.run(["git", "-C", ROOT, "ls-files", "-z", path], capture_output=True, text=True, check=True)
            entries = [one for one in listed.stdout.split("\0") if one]
            rows = []
            for entry in sorted(entries):
                target = posixpath.relpath(self.code_page(entry), posixpath.dirname(page))
                rows.append(
                    operator_pages.row(f"[{entry.removeprefix(path + '/')}]({target})", self.first_words(entry))
                )
            text = "\n".join([f"# {path}/", "", "| file | what it is |", "| --- | --- |", *rows])
        else:
            text = (ROOT / path).read_text()
            language = LANGUAGES.get(pathlib.Path(path).suffix, "text")
            fence = "`" * max((len(ticks) + 1 for ticks in re.findall(r"`{3,}", text)), default=3)
            text = f"# {path}\n\n{fence}{language}\n{text.rstrip()}\n{fence}\n"
        self.pages[page] = f"---\ntitle: {path}\nsearch:\n  exclude: true\n---\n\n{text}\n"
        return page

    @staticmethod
    def first_words(path):
        """The first sentence of the comment at the top of a source file."""
        text = (ROOT / path).read_text()
        found = re.match(r'(?:#![^\n]*\n)?(?:"""(.*?)"""|((?://[^\n]*\n)+))', text, re.S)
        comment = re.sub(r"^// ?", "", found[1] or found[2], flags=re.M) if found else ""
        return " ".join(re.split(r"(?<=[.:])\s|\n\n", comment.strip(), maxsplit=1)[0].removesuffix(":").split())

    def target(self, link, path, page):
        """A link of the chapter `path` as one of the staged page `page`."""
        if re.match(r"[a-z]+:", link):
            return link
        where, _, anchor = link.partition("#")
        to = posixpath.normpath(posixpath.join(posixpath.dirname(path), where)) if where else path
        if to == "docs/operators.md":
            if anchor in self.operator_names:
                to, anchor = f"operators/{anchor}.md", ""
            else:
                to = "operators/index.md"
                anchor = anchor if anchor in self.families else ""
        elif to in self.headers:
            to = self.headers[to].page
        elif to.endswith((".md", ".ipynb")):
            to = self.page_for(to) if where else page
        elif to.endswith((".jpg", ".svg")):
            self.pages[posixpath.basename(to)] = (ROOT / to).read_bytes()
            to = posixpath.basename(to)
        else:
            to = self.code_page(to)
            if self.repository:
                return to
        if to == page and anchor:
            return "#" + anchor
        return posixpath.relpath(to, posixpath.dirname(page) or ".") + ("#" + anchor if anchor else "")

    def linked(self, text, path, page):
        parts = split_code(text)
        for i in range(0, len(parts), 2):
            parts[i] = re.sub(
                r"(\]\()([^)\s]+)(\))", lambda match: match[1] + self.target(match[2], path, page) + match[3], parts[i]
            )
        return "".join(parts)

    # Chapters.

    def chapter(self, page):
        path = self.sources[page]
        if path.endswith(".ipynb"):
            text = self.notebook(path, page)
        else:
            text = self.linked((ROOT / path).read_text(), path, page)
        parts = split_code(text)
        for i, part in enumerate(parts):
            if i % 2 == 0:
                part = re.sub(r"^ {2,3}(?=([-*]|\d+\.) )", "    ", part, flags=re.M)  # a list in a list
                part = re.sub(r"!\[([^]]*)\]\(([^)]+\.svg)\)", self.themed, part)
                parts[i] = part
            elif not part.lstrip().startswith("```"):
                parts[i] = part.replace("\\|", "|")  # in tables
        text = "".join(parts)
        self.titles[page] = re.search(r"^# (.+)$", text, re.M)[1].replace("`", "")
        if page == "index.md":
            text = self.front_page(text)
        self.pages[page] = text

    def themed(self, match):
        """A drawing that follows the system's colors, as two: one for each theme of the site."""
        name = posixpath.basename(match[2])
        text = self.pages[name].decode()
        style = re.search(
            r"<style>(.*?)@media\s*\(prefers-color-scheme:\s*dark\)\s*{((?:[^{}]*{[^{}]*})*)}(.*?)</style>", text, re.S
        )
        if not style:
            return match[0]
        panel = re.search(r"\.panel{fill:([^}]+)}", style[2])
        dark = style[2].replace(panel[1], DARK_PAGE) if panel else style[2]
        made = []
        for theme, rules in (("light", ""), ("dark", dark)):
            file = name.replace(".svg", f"-{theme}.svg")
            self.pages[file] = text.replace(style[0], f"<style>{style[1]}{rules}{style[3]}</style>").encode()
            made.append(f"![{match[1]}]({file}#only-{theme})")
        return "".join(made)

    @staticmethod
    def front_page(text):
        buttons = (
            '<div class="start" markdown>\n'
            "[The first hour](first-hour.md){ .md-button .md-button--primary }\n"
            "[Operators](operators/index.md){ .md-button }\n"
            "[Gallery](gallery.md){ .md-button }\n"
            "[Python](python.md){ .md-button }\n"
            "[C++](embedding.md){ .md-button }\n</div>\n"
        )
        head, paragraph, rest = text.split("\n\n", 2)
        return f"---\ntitle: Sluice\nhide:\n  - navigation\n---\n\n{head}\n\n{paragraph}\n\n{buttons}\n{rest}"

    def notebook(self, path, page):
        """A notebook as Markdown, with its outputs. Images become files."""
        out, images = [], 0
        for cell in json.loads((ROOT / path).read_text())["cells"]:
            source = "".join(cell["source"])
            if cell["cell_type"] == "markdown":
                out.append(self.linked(source, path, page))
                continue
            out.append(f"```python\n{source}\n```")
            for output in cell.get("outputs", ()):
                data = output.get("data", {})
                if "image/jpeg" in data:
                    images += 1
                    name = f"{posixpath.splitext(page)[0]}-{images}.jpg"
                    self.pages[name] = base64.b64decode("".join(data["image/jpeg"]))
                    out.append(f"![What the cell above shows]({name})")
                elif "text/plain" in data and "text/html" not in data:
                    out.append("```text\n" + "".join(data["text/plain"]) + "\n```")
                elif "text/html" in data:
                    shown = "".join(data["text/html"])
                    plain = html.unescape(re.sub(r"<[^>]+>", "", shown)).strip("\n")
                    out.append(f"```text\n{plain}\n```" if shown.startswith("<pre>") else shown)
                elif output["output_type"] == "stream":
                    out.append("```text\n" + "".join(output["text"]).rstrip() + "\n```")
                elif output["output_type"] == "error":
                    out.append("```text\n" + "\n".join(output["traceback"]) + "\n```")
        out.insert(1, f"This page is [a notebook]({posixpath.basename(path)}).")
        self.pages[posixpath.basename(path)] = (ROOT / path).read_bytes()
        return "\n\n".join(out)

    # Pages that are made.

    def make_operators(self):
        chapters = {
            page: (self.titles[page], text)
            for page, text in self.pages.items()
            if page in self.titles and page not in ("changelog.md", "index.md", "chapters.md") and "/" not in page
        }
        pages = operator_pages.Pages(self.operators, ROOT, self.headers, chapters)
        for operator in self.operators:
            self.pages[f"operators/{operator['name']}.md"] = pages.page(operator)
        chapter = (ROOT / "docs/operators.md").read_text()
        introduction = "\n\n".join(
            part
            for part in chapter.split("\n## ")[0].split("\n\n")[2:]
            if "operators.jpg" not in part and "--sheet" not in part
        )
        self.pages["operators/index.md"] = pages.index(
            self.linked(introduction.strip(), "docs/operators.md", "operators/index.md")
        )
        images = WORK / "effects"
        shutil.rmtree(images, ignore_errors=True)
        subprocess.run([self.sluice, "operators", "--images", images], check=True, stdout=subprocess.DEVNULL)
        for image in images.iterdir():
            self.pages[f"operators/images/{image.name}"] = image.read_bytes()
        return pages

    def make_cpp_reference(self):
        chapter = (ROOT / "docs/first-hour.md").read_text()
        table = chapter.partition("## Headers worth reading")[2]
        worth = re.findall(r"^\| \[([\w/.]+)\]\([^)]*\) \| (.*?) \|$", table, re.M)
        names = {}
        for header in self.headers.values():
            self.pages[header.page] = cpp_reference.page_of(header)
            url = header.page.removesuffix(".md") + ".html"
            for item in header.items:
                names.setdefault(item.name.split("::")[-1], f"{url}#{item.anchor}")
        self.pages["cpp/index.md"] = cpp_reference.index_of(self.headers, worth)
        (WORK / "names.json").write_text(json.dumps(names))
        return worth

    def make_python_reference(self, pages):
        own = {function for one in self.operators if (function := operator_pages.python_name(one))}
        others = [name for name in pages.signatures if name not in own]
        functions = sorted(
            ((operator_pages.python_name(one), one) for one in self.operators if operator_pages.python_name(one)),
            key=lambda pair: pair[0],
        )
        rows, seen = [], set()
        for function, one in functions:
            if function not in seen:
                seen.add(function)
                rows.append(operator_pages.row(f"[{function}](../operators/{one['name']}.md)", one["summary"]))
        rows = "\n".join(rows)
        names = "".join(f"\n        - {name}" for name in others)
        self.pages["reference/ops.md"] = (
            "---\ntitle: sluice.ops\n---\n\n# sluice.ops\n\n"
            "The operators as functions. Each operator has [a page of its own](../operators/index.md). "
            "Recipes and helpers made of operators are described here.\n\n"
            "::: sluice.ops\n    options:\n      show_root_heading: false\n      show_root_toc_entry: false\n"
            f"      members:{names}\n\n"
            f"## Operators\n\n| function | what it does |\n| --- | --- |\n{rows}\n"
        )
        for module in ("transforms", "torch", "ray"):
            self.pages[f"reference/{module}.md"] = (
                f"---\ntitle: sluice.{module}\n---\n\n# sluice.{module}\n\n"
                f"::: sluice.{module}\n    options:\n      show_root_heading: false\n      show_root_toc_entry: false\n"
            )
        groups = self.python_groups()
        for (page, title), entries in groups.items():
            text = [f"---\ntitle: {title}\n---\n\n# sluice: {title[0].lower() + title[1:]}\n"]
            for name, origin in entries:
                text.append(
                    f"::: {origin}"
                    + (
                        ""
                        if origin.endswith(f".{name}")
                        else f"\n    options:\n      heading: {name}\n      toc_label: {name}"
                    )
                    + "\n"
                )
            self.pages[f"reference/{page}.md"] = "\n".join(text)
        rows = "".join(
            f"| [{title}]({page}.md) | {', '.join(f'`{name}`' for name, _ in entries)} |\n"
            for (page, title), entries in groups.items()
        )
        self.pages["reference/index.md"] = (
            "---\ntitle: Python reference\n---\n\n# Python reference\n\n"
            "[Python](../python.md) is the guide. These pages describe each function and class.\n\n"
            f"## The module sluice\n\n| page | what is in it |\n| --- | --- |\n{rows}\n"
            "## Its submodules\n\n| module | what is in it |\n| --- | --- |\n"
            "| [sluice.ops](ops.md) | the [operators](../operators/index.md), and recipes made of them |\n"
            "| [sluice.transforms](transforms.md) | torchvision's transforms, by their names |\n"
            "| [sluice.torch](torch.md) | `Loader`, `ImageFolder` and helpers for PyTorch |\n"
            "| [sluice.ray](ray.md) | reading and augmenting in Ray |\n"
        )

    @staticmethod
    def python_groups():
        """What sluice.__all__ has, by the page that describes it: names, and where each is defined."""
        tree = ast.parse((ROOT / "python/sluice/__init__.py").read_text())
        exported, origins = [], {}
        for node in tree.body:
            if isinstance(node, ast.ImportFrom) and node.level == 1 and node.module:
                origins.update({alias.asname or alias.name: (node.module, alias.name) for alias in node.names})
            elif isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__":
                exported = ast.literal_eval(node.value)
        groups = {(page, title): [] for page, title, _ in PYTHON_PAGES}
        for name in exported:
            if name in ("ops", "transforms"):
                continue
            module, original = origins.get(name, ("", name))
            page, title = next(
                (page, title)
                for page, title, modules in PYTHON_PAGES
                if modules is None or module in modules or name.endswith(("Error", "Warning")) and page == "errors"
            )
            groups[page, title].append((name, f"sluice.{name}" if original == name else f"sluice.{module}.{original}"))
        rewritten = groups["control", "Control flow"]
        groups["control", "Control flow"] = [
            (name, "sluice._rewrite.rewrite" if name == "graph_function" else origin) for name, origin in rewritten
        ]
        return {key: sorted(entries, key=lambda one: one[0].lower()) for key, entries in groups.items()}

    def make_gallery(self):
        out = [
            "---\ntitle: Gallery\nhide:\n  - navigation\n---\n",
            "# Gallery of recipes\n",
            "Each recipe is a [saved plan](saved-plans.md) of the program and of the Python package. The sheets show images "
            "before and after it. `sluice demo-images --out photos` writes such images; `train.jsonl` is a list with "
            "[boxes and masks](boxes-and-masks.md).\n",
            "[The program](program.md) describes all options. [Automatic augmentation](automatic-augmentation.md) explains "
            "the policies, and [all operators](operators/index.md) have pages with images, too.\n",
        ]
        for recipe, sheet, data, what in GALLERY:
            self.pages[f"{sheet}.jpg"] = (ROOT / f"docs/{sheet}.jpg").read_bytes()
            plan = subprocess.run(
                [self.sluice, "graph", "--recipe", recipe, "--json"], check=True, capture_output=True, text=True
            ).stdout.rstrip()
            text = subprocess.run(
                [self.sluice, "graph", "--recipe", recipe, "--text"], check=True, capture_output=True, text=True
            ).stdout.rstrip()
            out += [
                f"## {recipe}\n",
                f"{what}\n",
                f"![Images before and after the recipe {recipe}]({sheet}.jpg){{ loading=lazy }}\n",
                "```sh",
                f"sluice augment {data} --recipe {recipe} --out out --sheet sheet.jpg",
                "```\n",
            ]
            values = {"detection": "file, boxes, labels", "segmentation": "file, mask"}.get(recipe, "jpeg, label")
            out += [
                "```python",
                f'sluice.saved_plan(sluice.recipe("{recipe}"), {values})',
                "```\n",
                '??? note "The plan"\n',
                indented("```text\n" + text + "\n```") + "\n",
                f"[The saved plan as a file](plans/{recipe}.json)\n",
            ]
            self.pages[f"plans/{recipe}.json"] = plan + "\n"
        self.pages["gallery.md"] = "\n".join(out)

    def navigation(self, worth, pages):
        """The sections of docs/README.md, with the pages of their chapters; then what the site adds."""
        table = (ROOT / "docs/README.md").read_text()
        nav, seen = [{"Home": "index.md"}], {"index.md"}
        for section, chapters in re.findall(r"^\| ([A-Z][\w ]+) \| (\[.*) \|$", table, re.M):
            entries = []
            for title, link in re.findall(r"\[([^]]+)\]\(([^)]+)\)", chapters):
                page = posixpath.normpath(self.target(link, "docs/README.md", "chapters.md")).partition("#")[0]
                if page in seen or page == "operators/index.md" or "#" in link:
                    continue
                seen.add(page)
                entries.append({title[0].upper() + title[1:]: page})
            if section == "Start":
                entries += [
                    {"A notebook": self.page_for("docs/first-hour.ipynb")},
                    {"Questions and answers": "faq.md"},
                    {"Troubleshooting": "troubleshooting.md"},
                ]
            if section == "Project":
                entries += [
                    {"All chapters": "chapters.md"},
                    {
                        "Benchmarks": [
                            "benchmarks/index.md",
                            "benchmarks/peers/index.md",
                            "benchmarks/training/index.md",
                        ]
                    },
                ]
            if section == "Reference":
                entries += self.references(worth)
                families = [{"All operators": "operators/index.md"}]
                for family in pages.families:
                    families.append(
                        {family: [f"operators/{one['name']}.md" for one in self.operators if one["family"] == family]}
                    )
                nav += [{"Operators": families}, {"Gallery": "gallery.md"}]
            seen |= {page for entry in entries for page in entry.values() if isinstance(page, str)}
            nav.append({section: entries})
        return nav

    def references(self, worth):
        first = [path for path, _ in worth]
        folders = {}
        for path in self.headers:
            if path not in first:
                folders.setdefault(path.partition("/")[0] if "/" in path else "sluice.h", []).append(path)
        cpp = ["cpp/index.md", *({path: self.headers[path].page} for path in first)]
        cpp += [
            (
                {folder: [{path: self.headers[path].page} for path in paths]}
                if folder != "sluice.h"
                else {paths[0]: self.headers[paths[0]].page}
            )
            for folder, paths in folders.items()
        ]
        python = [
            "reference/index.md",
            *({title: f"reference/{page}.md"} for page, title, _ in (*PYTHON_PAGES[1:], PYTHON_PAGES[0])),
            *({f"sluice.{module}": f"reference/{module}.md"} for module in ("ops", "transforms", "torch", "ray")),
        ]
        return [{"Python reference": python}, {"C++ reference": cpp}]

    def write(self):
        """Makes all pages and writes them."""
        folder = WORK / "pages"
        shutil.rmtree(folder, ignore_errors=True)
        for path in (
            "README.md",
            "docs/README.md",
            "CHANGELOG.md",
            "CONTRIBUTING.md",
            "SECURITY.md",
            "tests/conformance.md",
            "docs/first-hour.ipynb",
            "benchmarks/README.md",
            *(f"docs/{path.name}" for path in sorted((ROOT / "docs").glob("*.md")) if path.name != "operators.md"),
        ):
            self.page_for(path)
        while self.queue:
            self.chapter(self.queue.pop())
        pages = self.make_operators()
        worth = self.make_cpp_reference()
        self.make_python_reference(pages)
        self.make_gallery()
        (WORK / "navigation.json").write_text(json.dumps(self.navigation(worth, pages)))
        self.pages["site/style.css"] = (SITE / "style.css").read_bytes()
        for page, text in self.pages.items():
            file = folder / page
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(text if isinstance(text, bytes) else text.encode())


def indented(text):
    return "\n".join("    " + line if line else "" for line in text.split("\n"))


def main():
    parser = argparse.ArgumentParser(prog="scripts/docs", description="Builds the documentation site.")
    parser.add_argument(
        "--sluice",
        type=pathlib.Path,
        default=ROOT / "build/release/apps/sluice",
        help="the program that describes the operators",
    )
    parser.add_argument("--out", type=pathlib.Path, default=ROOT / "build/site", help="folder of the site")
    parser.add_argument(
        "--repository",
        default=os.environ.get("SLUICE_REPOSITORY"),
        help="address of the repository: links to source code lead there, and not to pages of the site",
    )
    parser.add_argument("--serve", action="store_true", help="then serve it on this machine")
    parser.add_argument("--port", type=int, default=8000)
    parser.add_argument("--only-check-arguments", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args()
    out = given.out.resolve()
    if not 0 <= given.port <= 65535:
        parser.error(f"--port must be from 0 to 65535 (got {given.port})")
    if out.exists() and not out.is_dir():
        parser.error(f"--out {out} is not a folder")
    # MkDocs empties the folder.
    if out.is_dir() and any(out.iterdir()) and not (out / "search/search_index.json").is_file():
        parser.error(f"--out {out} holds other files; name a new folder")
    if given.only_check_arguments:
        return
    begin = time.monotonic()
    WORK.mkdir(parents=True, exist_ok=True)
    Site(given.sluice.resolve(), (given.repository or "").rstrip("/")).write()
    environment = {
        **os.environ,
        "NO_MKDOCS_2_WARNING": "1",
        **({"SLUICE_REPOSITORY": given.repository.rstrip("/")} if given.repository else {}),
    }
    # Not --quiet: MkDocs then does not count warnings, either.
    command = [
        sys.executable,
        "-m",
        "mkdocs",
        "build",
        "--strict",
        "--config-file",
        SITE / "mkdocs.yml",
        "--site-dir",
        out,
    ]
    built = subprocess.run(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if built.returncode:
        sys.exit("".join(line for line in built.stdout.splitlines(True) if not line.startswith("INFO")))
    pages, links, wrong = check_links.check(out)
    size = sum(path.stat().st_size for path in out.rglob("*") if path.is_file()) / 1e6
    print(*wrong, sep="\n", end="\n" if wrong else "")
    print(f"{out}: {pages} pages, {links} links, {len(wrong)} wrong, {size:.1f} MB, {time.monotonic() - begin:.0f} s")
    if wrong:
        sys.exit(1)
    if given.serve:
        handler = functools.partial(http.server.SimpleHTTPRequestHandler, directory=out)
        with http.server.ThreadingHTTPServer(("127.0.0.1", given.port), handler) as server:
            print(f"http://127.0.0.1:{given.port}/  (Ctrl-C ends)")
            try:
                server.serve_forever()
            except KeyboardInterrupt:
                pass


if __name__ == "__main__":
    main()
