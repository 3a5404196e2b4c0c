"""A constant that modules share has one home: no two modules offer different things under one upper-case name."""

import ast
from collections import defaultdict
from pathlib import Path

SOURCE = Path(__file__).parents[1] / "src"


def modules():
    for path in sorted((SOURCE / "gambol").rglob("*.py")):
        parts = path.relative_to(SOURCE).with_suffix("").parts
        yield ".".join(parts[:-1] if parts[-1] == "__init__" else parts), ast.parse(path.read_text())


def assigned(node):
    targets = node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
    return {name.id for target in targets for name in ast.walk(target) if isinstance(name, ast.Name)}


def shared_homes(trees):
    """The modules that define each upper-case name which another module imports. Models may name their parts alike."""
    defined = {module: set().union(*map(assigned, tree.body)) for module, tree in trees.items()}
    imported = {
        module: {
            name.asname or name.name: (node.module, name.name)
            for node in ast.walk(tree)
            if isinstance(node, ast.ImportFrom) and node.module
            for name in node.names
        }
        for module, tree in trees.items()
    }

    def home(module, name):
        if name in defined.get(module, ()):
            return module
        onward = imported.get(module, {}).get(name)
        return home(*onward) if onward and onward != (module, name) else None

    homes = defaultdict(set)
    for names in imported.values():
        for module, name in names.values():
            where = home(module, name) if name.isupper() and len(name) > 1 else None
            if where and not where.startswith("gambol.models."):
                homes[name].add(where)
    return homes


def test_an_imported_constant_has_one_home():
    homes = shared_homes(dict(modules()))
    assert len(homes) > 300
    assert {name: sorted(where) for name, where in homes.items() if len(where) > 1} == {}


def test_two_homes_are_seen():
    sources = {
        "gambol.a": "ROW = 1",
        "gambol.b": "ROW: int = 2",
        "gambol.c": "from gambol.a import ROW",
        "gambol.d": "from gambol.b import ROW as OTHER\nfrom gambol.c import ROW",
    }
    trees = {module: ast.parse(text) for module, text in sources.items()}
    assert shared_homes(trees) == {"ROW": {"gambol.a", "gambol.b"}}
