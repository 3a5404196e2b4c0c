"""A command that sets something is implemented only if something reads it."""

import re
from pathlib import Path

import gambol.corpus

FOLDER = Path(gambol.corpus.__file__).parent


def test_what_commands_set_is_read():
    texts = {file: file.read_text(encoding="utf-8") for file in FOLDER.rglob("*.py")}
    commands = [text for file, text in texts.items() if file.parent.name == "commands"]
    found = {path for text in commands for path in re.findall(r'sets(?:_its)?\(\s*"([\w.]+)"', text)}
    assert len(found) > 20
    unread = []
    for path in sorted(found):
        field = path.rpartition(".")[2]
        reads = re.compile(rf"\.{field}\b(?!\s*(?::[^=\n]+)?=[^=])")
        if not any(reads.search(text) for text in texts.values()):
            unread.append(path)
    assert unread == []  # such a command belongs into commands/inert.py, with its reason
