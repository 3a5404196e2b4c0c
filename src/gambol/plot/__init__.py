"""Pictures of figures and of runs, with matplotlib; no screen is needed.

    film_strip(path)                        the figure at several times, side by side or in one scene
    plot_trajectory(path, simulation=sim)   joint angles and the energy ledger over time

    plot_joints(recording), plot_phase, plot_ledger, plot_ground_reaction, plot_gait, plot_return_map
    plot_cycle(recording), plot_flow        over the gait cycle with bands; where every joule went
    plot_section(recording, …)              a Poincaré section; plot_compared for several runs
    plot_bifurcation, plot_basins           what a motion comes back to, over a parameter and over its starts
    plot_surface(x, y, values, …)           a quantity over two parameters; plot_sweep over one or many

All return a matplotlib Figure; `save` writes it as PNG, SVG or PDF, by the suffix, and `write_data` its numbers as CSV.
"""

from typing import TYPE_CHECKING

from gambol.lazy import lazy_names

if TYPE_CHECKING:
    from gambol.plot.bars import bar_chart as bar_chart
    from gambol.plot.curves import plot_trajectory as plot_trajectory
    from gambol.plot.cycles import plot_cycle as plot_cycle
    from gambol.plot.data import write_data as write_data
    from gambol.plot.flow import energy_flows as energy_flows, plot_flow as plot_flow
    from gambol.plot.gait import gait_diagram as gait_diagram
    from gambol.plot.maps import (
        plot_basins as plot_basins,
        plot_bifurcation as plot_bifurcation,
        plot_compared as plot_compared,
        plot_section as plot_section,
    )
    from gambol.plot.recorded import (
        plot_gait as plot_gait,
        plot_ground_reaction as plot_ground_reaction,
        plot_joints as plot_joints,
        plot_ledger as plot_ledger,
        plot_phase as plot_phase,
        plot_return_map as plot_return_map,
    )
    from gambol.plot.scene import Viewpoint as Viewpoint
    from gambol.plot.strip import film_strip as film_strip
    from gambol.plot.style import CURVE_COLOURS as CURVE_COLOURS, canvas as canvas, dress as dress, save as save
    from gambol.plot.surface import plot_surface as plot_surface, plot_sweep as plot_sweep
else:
    __all__, __getattr__, __dir__ = lazy_names(__name__, __file__)
