"""Arguments that do not fit: a type checker reports each line that says so."""

import gambol

world = gambol.World(gambol.chain(2))
sim = gambol.Simulation(world)
gambol.Simulation(world, wrlds=3)  # wrong: call-arg
sim.run("2s")  # wrong: arg-type
gambol.Stepping(step="1 ms")  # wrong: arg-type
gambol.JointSpring(joint="chain_0", stifness=2.0)  # wrong: call-arg
gambol.Recorder(sim, every=0.1).run(until="end")  # wrong: arg-type
gambol.Placement(1.0)  # wrong: arg-type
path: gambol.Recording = sim.run(1.0)  # wrong: assignment
