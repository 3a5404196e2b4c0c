"""`gambol warm`: compiles ahead, on all cores."""

import typer

from gambol.cli.console import complain, plain, progress_bar


def warm(everything: bool) -> None:
    """Compiles what is not in the cache yet; says what each part took."""
    from gambol import warm as compiling

    names = compiling.jobs(everything)
    failed = False
    with progress_bar("compiling", len(names)) as (bar, task):
        for name, code, said in compiling.run(names):
            bar.advance(task)
            compiled = [line.removeprefix("gambol: compiled ") for line in said.splitlines() if ": compiled " in line]
            plain(f"{name}: {'; '.join(compiled) or 'nothing left to compile'}")
            if code:
                complain(f"{name}: {said.splitlines()[-1] if said else f'ended with {code}'}")
                failed = True
    if failed:
        raise typer.Exit(1)
