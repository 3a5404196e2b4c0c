"""The one look of Gambol's pictures, and how they are saved."""

from pathlib import Path
from typing import Any

from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure as Canvas
from matplotlib.layout_engine import ConstrainedLayoutEngine
from matplotlib.text import Text
from matplotlib.ticker import FixedFormatter, FuncFormatter

from gambol.errors import UnknownNameError

PLOT_SUFFIXES = (".png", ".svg", ".pdf")
INK, PALE, PAPER = "#2b3038", "#8a919c", "#ffffff"
STANCE_COLOUR, AIR_COLOUR = "#d55e00", "#e8e4da"  # of gait diagrams: dark is on the ground, everywhere
GROUND, GRID, SHADOW = "#f3f1ec", "#d9d5cc", "#d3cfc6"
CURVE_COLOURS = (
    "#0072b2",
    "#d55e00",
    "#009e73",
    "#cc79a7",
    "#56b4e9",
    "#e69f00",
    "#7f7f7f",
    "#332288",
    "#882255",
    "#117733",
)
TEXT = 9  # [points]
NARROW = 5.0  # [inches] below which there is no room beside the curves


class _Plain(Canvas):
    """A picture whose words are shown as they are: names come from files, and `$` in one is no formula."""

    def draw(self, renderer: Any) -> None:
        """As any, but for the words."""
        for text in self.findobj(Text):
            text.set_parse_math(False)
        for axes in self.axes:
            for axis in axes._axis_map.values():
                for which in ("major", "minor"):
                    formula = not isinstance(getattr(axis, which).formatter, FixedFormatter | FuncFormatter)
                    for tick in getattr(axis, f"get_{which}_ticks")():
                        tick.label1.set_parse_math(formula)
                        tick.label2.set_parse_math(formula)
                axis.offsetText.set_parse_math(True)
        super().draw(renderer)


def canvas(width: float, height: float) -> Canvas:
    """An empty picture of this size [inches]. It belongs to no window and needs no pyplot."""
    tight = ConstrainedLayoutEngine(w_pad=0.03, h_pad=0.04, wspace=0.01, hspace=0.02)
    made = _Plain(figsize=(width, height), facecolor=PAPER, layout=tight)
    FigureCanvasAgg(made)
    return made


def dress(axes: Any, *, x: str = "", y: str = "", title: str = "") -> None:
    """Axes of a curve: labels with units, a pale grid, no box."""
    axes.set_xlabel(x, fontsize=TEXT, color=INK)
    axes.set_ylabel(y, fontsize=TEXT, color=INK)
    axes.set_title(title, fontsize=TEXT + 1, color=INK, loc="left")
    axes.grid(color=GRID, linewidth=0.6)
    axes.set_axisbelow(True)
    axes.tick_params(labelsize=TEXT - 1, colors=INK, length=0)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    for side in ("left", "bottom"):
        axes.spines[side].set_color(PALE)


def set_width(picture: Canvas, width: float) -> None:
    """Another width [inches], with words of the same size: a narrower picture stays as high, and legends go below."""
    before, high = picture.get_size_inches()
    picture.set_size_inches(width, high * max(1.0, width / before))
    if width >= NARROW:
        return
    for axes in picture.axes:
        legend = axes.get_legend()
        if legend is not None:
            names = [text.get_text() for text in legend.get_texts()]
            axes.legend(
                [handle for handle in legend.legend_handles if handle is not None],
                names,
                fontsize=TEXT - 2,
                frameon=False,
                loc="upper center",
                bbox_to_anchor=(0.5, -0.3),
                ncols=2,
            )


def save(picture: Canvas, path: str | Path, *, dpi: int = 130) -> Path:
    """Writes a picture as PNG, SVG or PDF, by the suffix of `path`; folders are made as needed."""
    path = Path(path)
    if path.suffix.lower() not in PLOT_SUFFIXES:
        raise UnknownNameError(f"{path}: pictures are written as {', '.join(PLOT_SUFFIXES)}")
    path.parent.mkdir(parents=True, exist_ok=True)
    picture.savefig(path, dpi=dpi)
    return path
