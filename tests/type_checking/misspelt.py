"""Names that are not there: a type checker reports each line that says so."""

import gambol
from gambol.plot import film_stripe  # wrong: attr-defined

gambol.Simulatoin(1)  # wrong: attr-defined
error = gambol.StepErorr  # wrong: attr-defined
gambol.models.walking_roch()  # wrong: attr-defined
sim = gambol.Simulation(gambol.World(gambol.chain(2)))
sim.rum(1.0)  # wrong: attr-defined
film_stripe(sim)
