"""What is public: packages with `__all__`. Each name is found there, by one path, has a docstring and one meaning."""

import ast
import importlib
import inspect
import re
from pathlib import Path

import pytest

import gambol
from gambol import Figure, GambolError, Joint, Mesh, Recorder, Recording, Simulation, UnknownNameError, World, chain
from gambol.export import TargetMotion, export_file

ROOT = Path(__file__).parents[1]
SOURCE = Path(gambol.__file__).parent
OF_A_MODEL = re.compile(r"gambol\.(hybrid\.)?models\.")  # such packages hold the parts of one model: names may recur


def module_name(init: Path) -> str:
    return ".".join(init.parent.relative_to(SOURCE.parent).parts)


PUBLIC = {
    module_name(init): importlib.import_module(module_name(init))
    for init in sorted(SOURCE.rglob("__init__.py"))
    if "__all__" in init.read_text(encoding="utf-8")
}
NAMES = [(package, name) for package, module in PUBLIC.items() for name in module.__all__]


def static_exports(package: str) -> dict[str, str]:
    """The module of every name that type checkers see, for packages that load their names when first used."""
    tree = ast.parse(Path(PUBLIC[package].__file__).read_text(encoding="utf-8"))
    guarded = [node for node in tree.body if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"]
    imports = [node for guard in guarded for node in guard.body if isinstance(node, ast.ImportFrom)]
    return {alias.name: node.module for node in imports for alias in node.names if alias.asname == alias.name}


def lazy_packages() -> list[str]:
    return [package for package in PUBLIC if static_exports(package)]


def thing(package: str, name: str):
    return getattr(PUBLIC[package], name)


def test_the_facade_and_its_packages_are_public():
    assert {"gambol", "gambol.draw", "gambol.plot", "gambol.models", "gambol.export", "gambol.study"} <= set(PUBLIC)
    assert set(lazy_packages()) >= {"gambol", "gambol.plot", "gambol.models", "gambol.control.arms"}


@pytest.mark.parametrize("package", lazy_packages())
def test_type_checkers_and_the_interpreter_see_the_same(package):
    static = static_exports(package)
    assert sorted(static) == sorted(PUBLIC[package].__all__) == sorted(dir(PUBLIC[package]))
    for name, module in static.items():
        home = importlib.import_module(module)
        own = importlib.import_module(f"{module}.{name}") if module == package else getattr(home, name)
        assert thing(package, name) is own, name


@pytest.mark.parametrize("package, name", NAMES, ids=[f"{package}.{name}" for package, name in NAMES])
def test_every_name_has_a_docstring(package, name):
    found = thing(package, name)
    if inspect.ismodule(found) or callable(found):
        assert found.__doc__ and not found.__doc__.startswith(f"{name}("), "the dataclass wrote it"


def test_each_is_found_by_one_path():
    paths: dict[int, list[str]] = {}
    for package, name in NAMES:
        if callable(thing(package, name)):
            paths.setdefault(id(thing(package, name)), []).append(f"{package}.{name}")
    assert [found for found in paths.values() if len(found) > 1] == []


def test_no_name_means_two_things():
    meanings: dict[str, dict[int, str]] = {}
    for package, name in NAMES:
        if not OF_A_MODEL.match(package):
            meanings.setdefault(name, {})[id(thing(package, name))] = package
    assert {name: list(of.values()) for name, of in meanings.items() if len(of) > 1} == {}


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="module 'gambol' has no attribute 'Simulatoin'"):
        gambol.Simulatoin  # noqa: B018


# ---------------------------------------------------------------- errors
def test_every_error_is_in_one_module_and_public():
    from gambol import errors

    found = [e for e in vars(errors).values() if inspect.isclass(e) and issubclass(e, Exception)]
    for error in found:
        assert error.__name__.endswith("Warning" if issubclass(error, Warning) else "Error")
        assert issubclass(error, GambolError | UserWarning) and getattr(gambol, error.__name__) is error
    elsewhere = [
        f"{file.relative_to(SOURCE)}: {node.name}"
        for file in SOURCE.rglob("*.py")
        if file.name != "errors.py"
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        if isinstance(node, ast.ClassDef) and any(re.search(r"(Error|Warning)$", ast.unparse(b)) for b in node.bases)
    ]
    assert elsewhere == []


# ---------------------------------------------------------------- who imports what
def python_text(file: Path) -> list[str]:
    text = file.read_text(encoding="utf-8")
    return re.findall(r"^```python\n(.*?)^```$", text, re.DOTALL | re.MULTILINE) if file.suffix == ".md" else [text]


def readers() -> list[Path]:
    found = [ROOT / "README.md", *(ROOT / "docs").rglob("*.md"), *(ROOT / "examples").glob("*.py")]
    return sorted([*found, *(ROOT / "tests").rglob("*.py")])


def test_docs_examples_and_tests_import_by_the_public_path():
    """A name that `gambol.control.motor` defines and `gambol` exports is not imported from anything between."""
    public: dict[tuple[str, str], str] = {}
    for package in lazy_packages():
        for name, module in static_exports(package).items():
            steps = module.split(".")
            public |= {(".".join(steps[:k]), name): package for k in range(len(package.split(".")) + 1, len(steps) + 1)}
    wrong = [
        f"{file.relative_to(ROOT)}: {alias.name} is in {public[node.module, alias.name]}, not {node.module}"
        for file in readers()
        for text in python_text(file)
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
        if (node.module, alias.name) in public
    ]
    assert wrong == []


# ---------------------------------------------------------------- load
@pytest.fixture
def folder(tmp_path):
    figure = chain(2, Joint("hinge", (0, 1, 0)))
    figure.write(tmp_path / "a.yaml")
    with Recorder(Simulation(World(figure)), tmp_path / "a.gambol", every=0.1) as recorder:
        recorder.run(0.2)
    export_file(recorder.recording, tmp_path / "a.bvh")
    (tmp_path / "a.stl").write_text(
        "solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendloop\nendfacet\n"
        "endsolid a\n"
    )
    return tmp_path


@pytest.mark.parametrize(
    "suffix, kind", [(".yaml", Figure), (".gambol", Recording), (".bvh", TargetMotion), (".stl", Mesh)]
)
def test_load_reads_what_the_file_is(folder, suffix, kind):
    assert type(gambol.load(folder / f"a{suffix}")) is kind
    assert type(gambol.load(str(folder / f"a{suffix}"), kind)) is kind


def test_load_refuses(folder):
    with pytest.raises(UnknownNameError, match=r"a\.fbx: no reader for the suffix '\.fbx'.*\.gambol.*\.yaml"):
        gambol.load(folder / "a.fbx")
    with pytest.raises(GambolError, match=r"a\.bvh holds a TargetMotion, not a Figure"):
        gambol.load(folder / "a.bvh", Figure)
    for suffix in (".yaml", ".gambol", ".bvh", ".stl"):
        with pytest.raises(GambolError, match="none"):
            gambol.load(folder / f"none{suffix}")
