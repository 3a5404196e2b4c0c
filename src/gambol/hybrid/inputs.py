"""Cells of a row's inputs after the parameters."""

# the chart, changes so far, the most of them, whether a transition went wrong
CHART, CHANGES, MOST_CHANGES, WRONG = range(4)
INPUTS_AFTER = 4
NO_CHART, INVALID = 1.0, 2.0  # values of WRONG
