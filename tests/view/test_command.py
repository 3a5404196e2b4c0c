"""`gambol view` as people call it."""

import re
import signal
import socket
import subprocess
import sys
import urllib.request

import pytest
from PIL import Image
from typer.testing import CliRunner

from gambol import chain
from view.window import LIMIT

pytest.importorskip("viser", reason="viser is not installed (extra `view`)")
COMMAND = [sys.executable, "-m", "gambol.cli", "view"]


def refused(*arguments, code=1) -> str:
    done = subprocess.run([*COMMAND, *map(str, arguments)], capture_output=True, text=True, check=False)
    assert done.returncode == code and done.stdout == "", done
    assert "Traceback" not in done.stderr
    return done.stderr


@pytest.mark.parametrize("ending", [signal.SIGINT, signal.SIGTERM])
def test_it_says_its_address_serves_and_frees_its_port(ending):
    started = subprocess.Popen([*COMMAND, "acrobat", "--port", "0"], stdout=subprocess.PIPE, text=True)
    try:
        line = started.stdout.readline()
        found = re.fullmatch(r"acrobat at (http://127\.0\.0\.1:(\d+)/[\w-]{22})  \(Ctrl-C ends it\)\n", line)
        assert found, line
        port = int(found.group(2))
        with urllib.request.urlopen(found.group(1), timeout=LIMIT) as page:
            assert page.status == 200 and b"<html" in page.read(5000).lower()
        started.send_signal(ending)
        rest, _ = started.communicate(timeout=LIMIT)
        assert rest == "" and started.returncode == (130 if ending == signal.SIGINT else 0)
        with socket.create_server(("127.0.0.1", port)):
            pass
    finally:
        started.kill()


def test_a_port_in_use():
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        assert f"port {port} is in use: choose another with --port" in refused("acrobat", "--port", port)


def test_what_is_not_there():
    assert "there is no file and no show called 'walk.zarr'" in refused("walk.zarr", code=2)
    assert "did you mean 'person90'?" in refused("person9", code=2)
    assert "nobody.yaml: no such file" in refused("nobody.yaml")


def test_files_of_the_wrong_kind_and_broken_ones(tmp_path):
    picture = tmp_path / "a.png"
    picture.write_bytes(b"\x89PNG")
    assert "a.png is not a recording but a PNG picture; what can be viewed: a recording, or a figure file" in refused(
        picture
    )
    figure = tmp_path / "a.yaml"
    figure.write_text("name: a\nbodies:\n  - name: b\n    joint: hinj\n")
    assert "a.yaml:1: missing key 'gambol'" in refused(figure)
    figure.write_bytes(b"\x00\xff\x01")
    assert "a.yaml" in refused(figure)


def test_pictures_films_and_pages_are_written(tmp_path):
    files = [tmp_path / "new" / f"a{suffix}" for suffix in (".png", ".gif", ".html")]
    for file in files:
        done = subprocess.run(
            [*COMMAND, "acrobat", "--out", str(file), "--time", "0.2"], capture_output=True, text=True, check=False
        )
        assert done.returncode == 0 and str(file) in done.stdout.replace("\n", ""), done
        assert file.stat().st_size > 5000
    with Image.open(files[1]) as film:
        assert film.n_frames == 7  # 0.2 s at 30 pictures/s
    assert "a.txt: unknown suffix '.txt' (allowed: " in refused("acrobat", "--out", tmp_path / "a.txt", code=2)
    png = ("acrobat", "--out", tmp_path / "a.png")
    assert "no layout 'x' (allowed: sheet, still, strip)" in refused(*png, "--layout", "x", code=2)
    assert "--time must be positive" in refused(*png, "--time", "0", code=2)
    blocked = tmp_path / "a file"
    blocked.write_text("")
    assert "a file" in refused("acrobat", "--out", blocked / "a.png", "--time", "0.1")


def test_speeds_that_make_no_sense():
    assert "speed must be positive" in refused("acrobat", "--speed", "-1", code=2)


def test_what_looking_costs_is_said(monkeypatch):
    from gambol.cli.app import app
    from gambol.view import measure

    few = measure.cost
    monkeypatch.setattr(measure, "cost", lambda source: few(source, rounds=2))
    done = CliRunner().invoke(app, ["view", "acrobat", "--measure"])
    assert re.search(r"alone \S+ simulated s/s, viewed \S+, \d+ pictures/s", done.stdout), done
    assert "median of 2 rounds" in done.stdout


def test_the_cost_of_looking_is_a_median_with_its_bounds():
    from gambol.view.measure import Cost

    shares = (0.01, 0.02, 0.03, 0.02, 0.01, 0.02, 0.9, -0.8, 0.02, 0.03)  # two rounds were disturbed
    found = Cost(10.0, 9.8, 40.0, shares)
    assert found.slower == 0.02 and found.spread == pytest.approx((0.0125, 0.0275))
    assert found.bounds == (0.01, 0.03)
    assert "looking takes 2.0 % of the speed: median of 10 rounds, 1.0 to 3.0 % with 95 %" in found.words()


def test_only_what_computes_can_be_measured():
    from gambol import ViewError
    from gambol.draw import Motion
    from gambol.view import RecordedSource
    from gambol.view.measure import cost

    with pytest.raises(ViewError, match="give a live source"):
        cost(RecordedSource(Motion.of(chain(1))))
