"""Every published experiment as a runnable, measured reproduction.

One folder a source (finger, roach, verify, person, limbs, compliant_hexapod), one module a group of experiments. A
module marks its functions:

    @experiment("limbs-nail", source="Mitchell 1997, fig. 2.4", title="A body hung on a nail")
    def nail(context: ExperimentContext) -> Iterator[Finding]:
        ...
        with context.picture("deviation") as path:
            figure.savefig(path)
        yield context.finding("the deviation falls as (1 + kt) exp(-kt)", printed=None, ours=0.3, unit="mm", ok=True)

`gambol reproduce` runs them and writes the report.
"""
