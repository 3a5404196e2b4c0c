"""Walking on two legs by feedback."""
