"""Variables: one letter, a whole number each, filled in where %V stands in a line."""

import re
from collections import UserDict

from gambol.corpus.table import spelling
from gambol.errors import CommandError

VARIABLE = re.compile(r"%([A-Za-z])")
CHANGE = re.compile(r"%([A-Za-z])\s*([=+\-*/#])\s*(.*)$")
RELATIVE = "%A"  # of tracks: known only when they run


class Variables(UserDict[str, int]):
    """Values by letter."""

    def substitute(self, text: str, *, strict: bool = True) -> str:
        """A text with values in place of variables; one without a value is a fault, or stays when not strict."""

        def value(found: re.Match[str]) -> str:
            name = found[1]
            if name in self:
                return str(self[name])
            if strict:
                raise CommandError(f"variable %{name} has no value{spelling(name, self)}")
            return found[0]

        return VARIABLE.sub(value, text)

    def substitute_for_later(self, text: str) -> str:
        """A command that is kept for later, with the values of now; %A stays, and so does a change of a variable."""
        if CHANGE.match(text):
            return text
        return self.substitute(text.replace(RELATIVE, "\0")).replace("\0", RELATIVE)

    def change(self, text: str) -> bool:
        """Carries out %V=…, %V+… and so on; False when the text is something else."""
        found = CHANGE.match(text)
        if not found:
            return False
        name, sign, value = found.groups()
        value = self.substitute(value)
        if not value and sign not in "+-":
            raise CommandError(f"%{name}{sign} needs a value")
        try:
            operand = int(value) if value else 1
        except ValueError:
            raise CommandError(f"variables are whole numbers; {value!r} is not one") from None
        if sign != "=" and name not in self:
            raise CommandError(f"variable %{name} has no value yet; give it one with %{name}=")
        if sign in "/#" and operand == 0:
            raise CommandError(f"%{name} cannot be divided by zero")
        self[name] = changed(self.get(name, 0), sign, operand)
        return True


def changed(old: int, sign: str, operand: int) -> int:
    """A variable's value after `%V` sign operand."""
    match sign:
        case "+":
            return old + operand
        case "-":
            return old - operand
        case "*":
            return old * operand
        case "/":  # towards zero
            return abs(old) // abs(operand) * (1 if (old < 0) == (operand < 0) else -1)
        case "#":
            return old % operand
    return operand
