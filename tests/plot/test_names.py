"""Names from files are neither formulas nor markup in pictures and reports."""

import pandas
import pytest

from gambol.plot import canvas, dress, save
from gambol.study.pictures import draw_results, write_report

HOSTILE = "<script>alert(1)</script>\"'&$\\frac{a}{$"


@pytest.mark.parametrize("suffix", [".png", ".svg", ".pdf"])
def test_a_name_is_drawn_as_it_is(tmp_path, suffix):
    picture = canvas(4, 3)
    axes = picture.add_subplot()
    axes.plot([1.0, 10.0], [1e-3, 1.0], label=HOSTILE)
    axes.set_yscale("log")
    axes.set_xticks([1.0, 10.0], [HOSTILE, "b"])
    axes.text(2.0, 0.1, HOSTILE)
    axes.legend()
    dress(axes, x=HOSTILE, y=HOSTILE, title=HOSTILE)
    picture.suptitle(HOSTILE)
    content = save(picture, tmp_path / f"a{suffix}").read_bytes()
    assert b"<script>alert" not in content
    assert axes.yaxis.get_major_ticks()[0].label1.get_parse_math()  # powers of ten stay powers
    assert not axes.xaxis.get_major_ticks()[0].label1.get_parse_math()


def test_a_report_of_hostile_names(tmp_path):
    rows = [{HOSTILE: x, "b": y, f"y {HOSTILE}": x * y, "text": HOSTILE} for x in (0.0, 1.0, 2.0) for y in (0.0, 1.0)]
    table = pandas.DataFrame(rows).assign(outcome="ok", message=HOSTILE, seconds=0.1)
    pictures = draw_results(table, [HOSTILE, "b"], tmp_path)
    assert pictures and all(path.parent == tmp_path for path in pictures)
    write_report(tmp_path / "report.html", HOSTILE, {HOSTILE: HOSTILE}, table, pictures)
    page = (tmp_path / "report.html").read_text()
    assert "<script" not in page and page.count("&lt;script&gt;") > 5
