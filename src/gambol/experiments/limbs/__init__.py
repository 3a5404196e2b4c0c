"""Mitchell 1997: constraints on bodies and limbs, adaptive control of limbs."""
