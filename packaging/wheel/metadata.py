"""Puts the address of the public repository into a copy of the tree, from which a wheel is built.

    metadata.py FOLDER REPOSITORY TAG
    metadata.py --check REPOSITORY    only looks whether the address can be used

pyproject.toml gets the project's URLs. Links and images of README.md lead to the files of the tag, because
package indexes show the README alone.
"""

import pathlib
import re
import sys


def readme_for_index(text, root, repository, tag):
    """README.md with addresses in place of paths, but not in code blocks."""

    def address(match):
        image, path, anchor = match[1], match[2], match[3] or ""
        if not (root / path).exists():
            sys.exit(f"README.md links to {path}, but there is no such file")
        kind = "raw" if image else "tree" if (root / path).is_dir() else "blob"
        return f"{match[0].partition('](')[0]}]({repository}/{kind}/{tag}/{path}{anchor})"

    parts = re.split(r"(^```.*?^```$)", text, flags=re.M | re.S)
    for i in range(0, len(parts), 2):
        parts[i] = re.sub(r"(!?)\[[^]]*\]\((?![a-z]+:|#)([^)#\s]+)(#[^)\s]*)?\)", address, parts[i])
    return "".join(parts)


def urls(repository, tag):
    """The table of pyproject.toml."""
    entries = {
        "Source": repository,
        "Documentation": f"{repository}/blob/{tag}/docs/README.md",
        "Changelog": f"{repository}/blob/{tag}/CHANGELOG.md",
        "Issues": f"{repository}/issues",
    }
    return "\n[project.urls]\n" + "".join(f'{name} = "{address}"\n' for name, address in entries.items())


def main():
    repository = sys.argv[2].rstrip("/")
    if not re.fullmatch(r"https?://[A-Za-z0-9.:-]+(/[A-Za-z0-9._~-]+)+", repository):
        sys.exit(f"SLUICE_REPOSITORY must be an address such as https://HOST/OWNER/sluice (got {sys.argv[2]!r})")
    if sys.argv[1] == "--check":
        return
    root, tag = pathlib.Path(sys.argv[1]), sys.argv[3]
    readme = root / "README.md"
    readme.write_text(readme_for_index(readme.read_text(), root, repository, tag))
    project = root / "pyproject.toml"
    project.write_text(project.read_text().rstrip("\n") + "\n" + urls(repository, tag))


if __name__ == "__main__":
    main()
