"""`python -m gambol.cli`: the command."""

from gambol.cli import main

main()
