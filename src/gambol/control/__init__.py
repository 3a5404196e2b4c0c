"""Control of figures: gaits, reflexes and motor programs of legs; trajectories and controllers of limbs."""
