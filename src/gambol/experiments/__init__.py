"""Every published experiment as a runnable, measured reproduction.

One folder a source (finger, roach, verify, person, limbs, compliant_hexapod), one module a group of experiments. A
module marks its functions, and declares what they state and within which limits:

    @experiment(
        "limbs-nail",
        source="Mitchell 1997, fig. 2.4",
        title="A body hung on a nail",
        states=[printed("critical", "the deviation is critically damped", "fig. 2.3", at_most(1e-6, "…"), unit="m")],
    )
    def nail(context: ExperimentContext) -> Findings:
        ...
        with context.picture("deviation") as path:
            figure.savefig(path)
        yield context.found("critical", 4e-12)

The verdict follows from the value and the limit. `gambol reproduce` runs them and writes the report.
"""
