"""The command language of the program *corpus*: scripts that build, move, watch and draw articulated figures.

    from gambol.corpus import Interpreter
    it = Interpreter("scripts")
    it.run_file("scripts/walk.corpus")

The language is described in docs/corpus.md; `gambol corpus --commands` lists every command.
"""

from gambol.corpus.interpreter import Interpreter
from gambol.corpus.table import COMMANDS, Command, entries

__all__ = ["COMMANDS", "Command", "Interpreter", "entries"]
