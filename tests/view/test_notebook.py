"""What a notebook shows."""

import base64
import io
import re
import subprocess
import sys

import numpy as np
import pytest
from PIL import Image

from gambol import Recorder, Simulation, World
from gambol.view.notebook import figure_png, motion_html, motion_png, recording_html
from view.motions import RED, brick, coloured, slide


def test_a_figure_is_a_still():
    picture = Image.open(io.BytesIO(figure_png(brick())))
    assert picture.size == (640, 400) and coloured(np.asarray(picture), RED).any()


def test_a_run_is_a_strip():
    sim = Simulation(World(brick(height=3.0)))
    picture = Image.open(io.BytesIO(motion_png(sim.run(0.5, every=0.1))))
    assert picture.size[0] == 6 * 184 - 4


def test_a_motion_plays_in_a_frame():
    text = motion_html(slide(brick()))
    assert text.startswith('<iframe srcdoc="&lt;!doctype html&gt;') and text.count('"') == 6
    assert "<script" not in text


def test_a_recording_is_a_strip_with_its_report(tmp_path):
    sim = Simulation(World(brick(height=3.0)))
    with Recorder(sim, tmp_path / "fall.gambol", every=0.1, title='a "fall"') as recorder:
        recorder.run(0.5)
    text = recording_html(recorder.recording)
    found = re.match(r'<img alt="a &quot;fall&quot;" style="[^"]*" src="data:image/png;base64,([^"]+)">', text)
    picture = Image.open(io.BytesIO(base64.b64decode(found[1])))
    assert picture.size[0] == 6 * 184 - 4 and coloured(np.asarray(picture), RED).any()
    assert "samples   6 every 0.1 s" in text and "quaternion" in text


def test_import_tells_ipython():
    pytest.importorskip("IPython")
    code = (
        "from IPython.terminal.interactiveshell import TerminalInteractiveShell as S; shell = S.instance();"
        "from gambol import chain, Joint;"
        "png = shell.display_formatter.formatters['image/png'];"
        "png.enabled = True;"
        "assert png(chain(2, Joint('hinge', (0, 1, 0))))[:4] == b'\\x89PNG';"
        "pages = shell.display_formatter.formatters['text/html'].deferred_printers;"
        "assert ('gambol.record.recording', 'Recording') in pages;"
        "print('shown')"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert "shown" in done.stdout, done.stderr
