"""Names in the browser's panel: whatever a file calls a thing is shown, and never becomes markup."""

import html
import re


def as_text(name: str) -> str:
    """Text that Markdown shows as it is; the panel's Markdown lets HTML through."""
    return re.sub(r"([\\`*_{}\[\]()#+.!|~$:-])", r"\\\1", html.escape(" ".join(name.split()), quote=True))
