"""Every broken script gives exactly the errors its first lines announce (after `#= `)."""

from pathlib import Path

import pytest

from gambol import ScriptError
from gambol.corpus import Interpreter

BROKEN = sorted((Path(__file__).parent / "broken").glob("*.corpus"))


def test_there_are_enough():
    assert len(BROKEN) >= 40


@pytest.mark.parametrize("script", BROKEN, ids=lambda path: path.stem)
def test_broken_script(script, tmp_path):
    text = script.read_text(encoding="utf-8")
    expected = [line.removeprefix("#= ") for line in text.splitlines() if line.startswith("#= ")]
    copy = tmp_path / script.name
    copy.write_text(text, encoding="utf-8")
    with pytest.raises(ScriptError) as caught:
        Interpreter(tmp_path, out=lambda line: None).run_file(copy)
    assert expected and [str(fault).replace(f"{tmp_path}/", "") for fault in caught.value.faults] == expected
