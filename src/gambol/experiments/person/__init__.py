"""McKenna 1994: a person with feet that bend, its postures and movements."""
