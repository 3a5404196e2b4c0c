"""How people and programs use it: files, standard input, a prompt, as a child process."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

import gambol
from gambol.cli.app import app
from gambol.corpus import Interpreter
from gambol.corpus.prompt import completions, run_prompt, run_stream

runner = CliRunner()
COMMAND = [sys.executable, "-m", "gambol.cli", "corpus"]


def test_a_script_from_the_command_line(tmp_path):
    script = tmp_path / "s.corpus"
    script.write_text("get a from unit_cube\nmove a 1 2 3\nwhereis a\n")
    done = subprocess.run([*COMMAND, str(script)], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "a: 1 2 3\n", "")


def test_a_failing_script(tmp_path):
    script = tmp_path / "s.corpus"
    script.write_text("@ one\nmove a 1 2 3\n@ two\n")
    done = subprocess.run([*COMMAND, str(script)], capture_output=True, text=True, check=False)
    assert done.returncode == 1 and done.stdout == "one\n"
    assert done.stderr == f"gambol: {script}:2: move: there is no object 'a'\n"
    going = subprocess.run([*COMMAND, "--keep-going", str(script)], capture_output=True, text=True, check=False)
    assert going.returncode == 1 and going.stdout.splitlines()[-1] == "two"
    missing = subprocess.run([*COMMAND, str(tmp_path / "none")], capture_output=True, text=True, check=False)
    assert missing.returncode == 1 and "none:1: cannot be read" in missing.stderr


def test_standard_input():
    done = subprocess.run(COMMAND, input="@ one\nquit\n@ two\n", capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "one\n")


def test_a_slave_answers_line_by_line():
    child = subprocess.Popen([*COMMAND, "--slave"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    ask = {
        "get a from unit_cube\nwhereis a": "a: 0 0 0",
        "! not asked for\nwhereis b": "error: <input>:4: whereis: there is no object 'b'; did you mean 'a'?",
        "@ still here": "still here",
    }
    try:
        for question, answer in ask.items():
            child.stdin.write(f"{question}\n")
            child.stdin.flush()
            found = child.stdout.readline().rstrip("\n")
            assert found.partition("; did")[0] == answer.partition("; did")[0]
    finally:
        child.stdin.close()
        assert child.wait() == 0


def test_master_and_slave(tmp_path, monkeypatch):
    """One interpreter drives another."""
    monkeypatch.setenv("PYTHONPATH", str(Path(gambol.__file__).parents[1]))  # the child starts in another folder
    said = []
    interpreter = Interpreter(tmp_path, out=said.append, allow_system=True)
    interpreter.run_text(
        f"ppopen other {' '.join(COMMAND)} --slave\nppwrite other get a from sphere\nppwrite other whereis a\n"
    )
    interpreter.run_text("ppread other\n")
    interpreter.processes.close()
    assert said == ["a: 0 0 0"]


def typed(*lines):
    answers = iter(lines)

    def read(prompt):
        try:
            return next(answers)
        except StopIteration:
            raise EOFError from None

    return read


def test_the_prompt_goes_on_after_a_fault(tmp_path, monkeypatch):
    monkeypatch.setattr("gambol.corpus.prompt.HISTORY_FILE", tmp_path / "history")
    said = []
    interpreter = Interpreter(tmp_path, out=said.append)
    run_prompt(interpreter, typed("cl two", "@ a", "@ b", ".", "two 2", "mvoe a", "toplevel", "@ end", "quit", "@ no"))
    assert said == ["a", "b", "a", "b", "error: <prompt>:6: mvoe: unknown command; did you mean 'move'?", "end"]
    assert interpreter.finished


def test_completion(session):
    session("get block from unit_cube\nget ball from sphere\ncl rolling\n@ x\n.\n")
    interpreter = session.interpreter
    assert completions(interpreter, "rota", "rota") == ["rotate", "rotateaxis"]
    assert completions(interpreter, "roll", "roll") == ["roll", "rolling"]
    assert completions(interpreter, "rotate b", "b") == ["ball", "block"]
    assert completions(interpreter, "rotate ball ", "") == ["x", "y", "z"]
    assert completions(interpreter, "integration rk", "rk") == ["rkf", "rkfixed", "rkvar"]
    session("addworld w\naddcorpus c\naddbody trunk block 0 0 1 rotary 1\n")
    assert completions(interpreter, "joint t", "t") == ["trunk"]
    assert completions(interpreter, "setcorpus ", "") == ["c"]


def test_lines_from_a_stream(session):
    import io

    run_stream(session.interpreter, io.StringIO("@ one\nbroken\n@ two\n"), interactive=True)
    assert session.said[::2] == ["one", "two"] and session.said[1].startswith(
        "error: <input>:2: broken: unknown command"
    )


def test_the_list_of_commands():
    result = runner.invoke(app, ["corpus", "--commands", "--json"])
    rows = json.loads(result.stdout)
    assert result.exit_code == 0 and len(rows) > 400
    assert {row["status"] for row in rows} == {"implemented", "no effect"}
    text = runner.invoke(app, ["corpus", "--commands"]).stdout
    assert "| **all** |" in text and "scale object x y z" in text


@pytest.mark.parametrize("option", ["--allow-system", "--allow-path"])
def test_permissions_come_from_the_one_who_starts_it(option, tmp_path):
    script = tmp_path / "inner" / "s.corpus"
    script.parent.mkdir()
    script.write_text("system echo hello\n" if option == "--allow-system" else "version > ../v.txt\n")
    refused = subprocess.run([*COMMAND, str(script)], capture_output=True, text=True, check=False)
    assert refused.returncode == 1 and option in refused.stderr
    extra = [option] if option == "--allow-system" else [option, str(tmp_path)]
    assert subprocess.run([*COMMAND, *extra, str(script)], capture_output=True, check=False).returncode == 0
