"""McKenna 1990: the roach, its gaits, and what it does under disturbance."""
