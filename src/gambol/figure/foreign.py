"""Readers of foreign formats: whatever a file does to them comes out as a FigureError."""

import functools
from collections.abc import Callable
from typing import Any, TypeVar

from gambol.errors import Fault, FigureError, shortened

ACCIDENTS = (TypeError, ValueError, LookupError, AttributeError, ArithmeticError, RecursionError)

Found = TypeVar("Found")


def typed_errors(read: Callable[..., Found]) -> Callable[..., Found]:
    """A reader whose accidents with what a file holds come out as FigureErrors, in the words of Python."""

    @functools.wraps(read)
    def reading(source: Any, *more: Any, **options: Any) -> Found:
        try:
            return read(source, *more, **options)
        except ACCIDENTS as error:
            text = isinstance(source, str) and source.lstrip().startswith("<")
            message = f"cannot be read: {type(error).__name__}: {shortened(str(error), 200)}"
            raise FigureError([Fault(message, "<text>" if text else str(source))]) from error

    return reading
