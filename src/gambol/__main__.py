"""`python -m gambol` is the `gambol` command."""

from gambol.cli import main

main()
