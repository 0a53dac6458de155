"""Hooks of MkDocs: they set the navigation, and link names in code to the references."""

import html
import json
import pathlib
import posixpath
import re

_names = {}


def on_config(config):
    work = pathlib.Path(config.docs_dir).parent
    config.nav = json.loads((work / "navigation.json").read_text())
    _names.update(json.loads((work / "names.json").read_text()))
    return config


def unbroken(match):
    """Keeps browsers from breaking a line inside of an option such as --out."""
    return re.sub(r"(?<![\w-])--?[a-z][\w-]*", r'<span class="option">\g<0></span>', match[0])


def docstrings(content):
    """Docstrings have Sphinx's roles, such as :func:`sluice.files`, and its :: before code."""

    def reference(match):
        name = match[1].removeprefix("sluice.").removeprefix("~")
        return f'<autoref identifier="sluice.{name}" optional><code>{match[1]}</code></autoref>'

    content = re.sub(r":(?:func|class|meth|mod|attr|exc|data):<code>([^<]+)</code>", reference, content)
    content = re.sub(r"<p>::</p>\n?", "", content)
    return re.sub(r"::</p>(?=\s*<div class=\"[^\"]*highlight)", ":</p>", content)


def on_page_content(content, page, config, files):
    """Links names in the C++ code of the reference and of operators, and the roles in docstrings."""
    content = re.sub("<code>[^<]+</code>", unbroken, content)
    if page.file.src_uri.startswith("reference/"):
        return docstrings(content)
    if not page.file.src_uri.startswith(("cpp/", "operators/")):
        return content
    folder = posixpath.dirname(page.file.url)

    def linked(match):
        name = html.unescape(match[2])
        target = _names.get(name)
        if not target or target.partition("#")[0] == page.file.url:
            return match[0]
        return f'<a class="name" href="{posixpath.relpath(target, folder)}">{match[0]}</a>'

    def block(match):
        return re.sub(r'<span class="(n|nc|nf|kt)">([^<]+)</span>', linked, match[0])

    return re.sub(r'<div class="language-cpp highlight">.*?</div>', block, content, flags=re.S)
