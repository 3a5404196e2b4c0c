"""What all tests share."""

import signal

# A shell that runs the tests in its background makes them ignore Ctrl-C, and so would the programs that they start.
if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
