"""Force elements: springs, limits, pushes, supports; each one file with the same contract (see registry)."""
