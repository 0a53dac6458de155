"""An extension of Griffe: changes docstrings as the package does at its import, because the reference does not import it."""

import re

import griffe


class Docstrings(griffe.Extension):
    """Inserts the options of samplers for {sampler}, and the default of optional parameters that are in **options."""

    def on_object(self, *, obj, loader, **_):
        if obj.is_alias or not obj.docstring:
            return
        text = obj.docstring.value
        if "{sampler}" in text:
            options = loader.modules_collection["sluice._options.SamplerOptions"].docstring.value
            options = options.partition("----------\n")[2].rstrip()
            text = text.replace("{sampler}", "\n" + options).replace("{{", "{").replace("}}", "}")
        if obj.is_function and any(one.kind is griffe.ParameterKind.var_keyword for one in obj.parameters):
            text = re.sub(r"^(\s*\w+ : .*), optional$", r"\1, default None", text, flags=re.M)
        obj.docstring.value = text
