"""Every published experiment as a runnable, measured reproduction.

One folder a source (finger, roach, verify, person, limbs, hexapod), one module a group of experiments. A module marks
its functions:

    @experiment("limbs-nail", source="Mitchell 1997, fig. 2.4", title="A body hung on a nail")
    def nail(desk: Desk) -> Iterator[Finding]:
        ...
        with desk.picture("deviation") as path:
            figure.savefig(path)
        yield desk.finding("the deviation falls as (1 + kt) exp(-kt)", printed=None, ours=0.3, unit="mm", ok=True)

`gambol reproduce` runs them and writes the report.
"""
