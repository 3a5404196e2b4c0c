"""Contact: terrain, surfaces and materials; points against the ground, shapes against shapes."""
