"""Mitchell 1997: constraints on bodies and limbs, adaptive control of limbs."""

NO_GRAVITY, EARTH_GRAVITY = (0.0, 0.0, 0.0), (0.0, 0.0, -9.81)  # [m/s²]
