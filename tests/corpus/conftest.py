import pytest

from gambol.corpus import Interpreter


class Session:
    """An interpreter that remembers what it printed."""

    def __init__(self, folder, **options):
        self.folder, self.said = folder, []
        self.interpreter = Interpreter(folder, out=self.said.append, **options)

    def __call__(self, text: str) -> list[str]:
        """Runs commands; what they printed."""
        first = len(self.said)
        self.interpreter.run_text(text)
        return self.said[first:]

    def constants(self, text: str) -> list[float]:
        return [float(word) for line in self(text) for word in line.split()]


@pytest.fixture
def session(tmp_path):
    return Session(tmp_path)


@pytest.fixture
def make_session(tmp_path):
    return lambda **options: Session(tmp_path, **options)
