"""Checks the built site: links and images lead to files and anchors that exist, and no page loads anything from elsewhere."""

import html.parser
import pathlib
import re
import urllib.parse

LOADED = {("img", "src"), ("script", "src"), ("source", "src"), ("video", "src"), ("iframe", "src"), ("object", "data")}
STYLES = ("stylesheet", "icon", "preload", "preconnect", "modulepreload", "manifest")


class _Page(html.parser.HTMLParser):
    """The anchors of a page, its links, and what it loads."""

    def __init__(self, text):
        super().__init__()
        self.anchors, self.links, self.loads, self.unnamed = set(), [], [], []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        given = dict(attrs)
        self.anchors.update(given[name] for name in ("id", "name") if given.get(name))
        if tag == "a" and given.get("href"):
            self.links.append(given["href"])
        if tag == "link" and given.get("href"):
            (self.loads if any(one in given.get("rel", "").split() for one in STYLES) else self.links).append(
                given["href"]
            )
        for name, value in given.items():
            if (tag, name) in LOADED and value:
                self.loads.append(value)
            if name == "srcset" and value:
                self.loads += [part.split()[0] for part in value.split(",") if part.strip()]
        if tag == "img" and "alt" not in given:
            self.unnamed.append(given.get("src", "")[:80])


def check(site):
    """Returns the number of pages, of links, and a list of what is wrong. Addresses of other sites are not opened."""
    site = pathlib.Path(site).resolve()
    pages = {path: _Page(path.read_text()) for path in sorted(site.rglob("*.html"))}
    wrong, links = [], 0
    for path, page in pages.items():
        name = path.relative_to(site)
        wrong += [f"{name}: an image without a description: {image}" for image in page.unnamed]
        for target, is_loaded in [*((one, False) for one in page.links), *((one, True) for one in page.loads)]:
            parts = urllib.parse.urlsplit(target)
            if parts.scheme == "data":
                continue
            if parts.scheme or parts.netloc:
                if is_loaded:
                    wrong.append(f"{name}: loads from elsewhere: {target}")
                continue
            links += 1
            if path.name == "404.html" and target.startswith("/"):
                to = site / target.lstrip("/").partition("#")[0]
            else:
                to = path if not parts.path else (path.parent / urllib.parse.unquote(parts.path)).resolve()
            if target.startswith("/") and path.name != "404.html":
                wrong.append(f"{name}: an absolute link: {target}")
                continue
            if to.is_dir() and (to / "index.html") in pages:
                to = to / "index.html"
            if not to.is_file():
                wrong.append(f"{name}: no such file: {target}")
            elif parts.fragment and to in pages:
                anchor = urllib.parse.unquote(parts.fragment)
                if anchor not in pages[to].anchors and anchor != "__top" and not anchor.startswith("__codelineno"):
                    wrong.append(f"{name}: no such anchor: {target}")
    for style in site.rglob("*.css"):
        for target in re.findall(r"url\(\s*[\"']?(https?:[^\"')]+)|@import\s+[\"'](https?:[^\"']+)", style.read_text()):
            wrong.append(f"{style.relative_to(site)}: loads from elsewhere: {''.join(target)}")
    return len(pages), links, wrong
