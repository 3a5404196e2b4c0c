"""Other programs: as a master of children that talk in text."""

from gambol.corpus.interpreter import Interpreter
from gambol.corpus.lines import LineSource, numbered_lines
from gambol.corpus.lists import add_call_site
from gambol.corpus.table import in_group

command = in_group("parser")


@command("system", "command:text", "runs a shell command and prints what it says (only with --allow-system)", raw=True)
def system(interpreter: Interpreter, text: str) -> None:
    status, output = interpreter.processes.system(interpreter.substitute(text), str(interpreter.files.folder))
    if output:
        interpreter.print(output)
    if status:
        interpreter.warn(f"the shell command ended with status {status}")


@command("vfork", "command:text", "starts a shell command in the background (only with --allow-system)", raw=True)
def vfork(interpreter: Interpreter, text: str) -> None:
    interpreter.processes.fork(interpreter.substitute(text), str(interpreter.files.folder))


@command("wait", "", "waits for what vfork started")
def wait(interpreter: Interpreter) -> None:
    for status in interpreter.processes.wait():
        if status:
            interpreter.warn(f"the shell command ended with status {status}")


@command(
    "ppopen",
    "name command:text",
    "starts a child program that is written to and read from (only with --allow-system)",
    raw=True,
)
def ppopen(interpreter: Interpreter, name: str, text: str) -> None:
    interpreter.processes.open(name, interpreter.substitute(text), str(interpreter.files.folder))


@command("ppread", "name", "prints what a child has said")
def ppread(interpreter: Interpreter, name: str) -> None:
    for line in interpreter.processes.read(name):
        interpreter.print(line)


@command("ppwrite", "name text:text", "sends a line to a child", raw=True)
def ppwrite(interpreter: Interpreter, name: str, text: str) -> None:
    interpreter.processes.write(name, interpreter.substitute_for_later(text))


@command("ppdo", "name", "executes what a child has said, as commands")
def ppdo(interpreter: Interpreter, name: str) -> None:
    output = "\n".join(interpreter.processes.read(name))
    add_call_site(
        interpreter, lambda: interpreter.execute_source(LineSource(numbered_lines(output, f"<{name}>"), name=name))
    )
