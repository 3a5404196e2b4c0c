"""What all tests share."""

import signal
from pathlib import Path

# A shell that runs the tests in its background makes them ignore Ctrl-C, and so would the programs that they start.
if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# Files that take longest, most of it compiling, first: begun last, one worker would end long after the others.
LONGEST = (
    "forces/test_element_contract.py",
    "dynamics/test_constraints_batches.py",
    "docs/test_docs.py",
    "dynamics/test_couplings.py",
    "world/test_device.py",
    "study/test_cluster.py",
    "experiments/test_verdicts.py",
    "stepping/test_events.py",
    "jit/test_cache.py",
    "test_example_scripts.py",
    "cli/test_recordings_command.py",
    "dynamics/test_constraints.py",
    "experiments/test_roach.py",
    "docs/test_site.py",
    "type_checking/test_typing.py",
    "view/test_recordings.py",
    "view/test_classics.py",
)


def pytest_collection_modifyitems(items):
    """Workers take whole files in this order (`--dist loadfile --no-loadscope-reorder`)."""
    places = {Path(__file__).parent / name: place for place, name in enumerate(LONGEST)}
    items.sort(key=lambda item: places.get(item.path, len(places)))
