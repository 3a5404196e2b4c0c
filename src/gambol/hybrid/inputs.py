"""Cells of a row's inputs after the parameters."""

# the chart, changes so far, the most of them, whether a transition or the flow went wrong
CHART, CHANGE_COUNT, CHANGE_LIMIT, TRANSITION_FAULT = range(4)
CHART_INPUTS = 4
UNKNOWN_CHART, INVALID_STATE, INVALID_FLOW = 1.0, 2.0, 3.0  # values of TRANSITION_FAULT
