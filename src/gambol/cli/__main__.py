from gambol.cli import main

main()
