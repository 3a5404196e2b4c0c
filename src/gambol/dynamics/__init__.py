"""Forward, inverse, hybrid and first-order dynamics of trees, all linear in the number of bodies."""
