"""Long trials: python -m tests.soak NAME [--seed N] [--budget SECONDS] …"""

from .command import main

main()
