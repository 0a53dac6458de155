"""Prints the memory layout of the public headers' types, read from CastXML's description of them.

Usage: type_layouts.py FILE.xml HEADERS, where HEADERS is the folder of the headers.

Each type has one line: its size and alignment in bytes, its bases, its virtual functions in their order, and
its fields with their offsets in bytes (for bit fields also in bits: 4.3). Enumerations have their values.
Classes without bases, virtual functions and fields are left out.
"""

import sys
import xml.etree.ElementTree as xml


def main() -> None:
    root = xml.parse(sys.argv[1]).getroot()
    headers = sys.argv[2].rstrip("/") + "/"
    nodes = {node.get("id"): node for node in root}
    ours = {node.get("id") for node in root.iter("File") if node.get("name").startswith(headers)}

    def full_name(node) -> str | None:
        """With its namespaces; None where one of them has no name."""
        parts = []
        while node.get("name") != "::":
            if not node.get("name"):
                return None
            parts.append(node.get("name"))
            node = nodes[node.get("context")]
        return "::".join(reversed(parts))

    def offset(bits: int) -> str:
        return f"{bits // 8}" if bits % 8 == 0 else f"{bits // 8}.{bits % 8}"

    def layout(node) -> str:
        words = [f"base {full_name(nodes[base.get('type')])} at {base.get('offset')}" for base in node.iter("Base")]
        members = [nodes[name] for name in node.get("members", "").split()]
        members = [member for member in members if member.get("context") == node.get("id")]
        words += [f"virtual {'~' if member.tag == 'Destructor' else ''}{member.get('name')}" for member in members
                  if member.get("virtual") == "1"]
        fields = [member for member in members if member.tag == "Field"]
        words += [f"{field.get('name') or 'unnamed'} at {offset(int(field.get('offset')))}" for field in fields]
        size = f"{int(node.get('size')) // 8} bytes, aligned to {int(node.get('align')) // 8}"
        return "; ".join([size, *words]) if words else ""

    def values(node) -> str:
        return ", ".join(f"{value.get('name')} {value.get('init')}" for value in node.iter("EnumValue"))

    lines = set()
    for node in root:
        if node.get("file") not in ours or "size" not in node.keys():
            continue
        name = full_name(node)
        if name is None:
            continue
        if node.tag in ("Class", "Struct", "Union") and (text := layout(node)):
            lines.add(f"{name}: {text}")
        elif node.tag == "Enumeration":
            lines.add(f"{name}: {int(node.get('size')) // 8} bytes: {values(node)}")
    print("\n".join(sorted(lines)))


main()
