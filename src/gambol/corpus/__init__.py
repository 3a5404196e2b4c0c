"""The command language of the program *corpus*: scripts that build, move, watch and draw articulated figures.

    from gambol.corpus import Interpreter
    interpreter = Interpreter("scripts")
    interpreter.run_file("scripts/walk.corpus")

The language is described in docs/corpus.md; `gambol corpus --commands` lists every command.
"""

from gambol.corpus.interpreter import Interpreter
from gambol.corpus.table import COMMAND_TABLE, Command, all_commands

__all__ = ["COMMAND_TABLE", "Command", "Interpreter", "all_commands"]
