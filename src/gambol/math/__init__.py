"""Small value algebra, generic in the scalar: float64, float32, or a SIMD pack of worlds."""
