"""How adults walk and run: what is measured, in which ranges, and whose measurements those stand on.

The ranges are rounded from what these sources draw and tabulate of healthy adults at a comfortable speed; none is a
table copied.
"""

from __future__ import annotations

from dataclasses import dataclass

WINTER = "Winter 1991"
PERRY = "Perry & Burnfield 2010"
SOURCES = {
    WINTER: "D. A. Winter, The Biomechanics and Motor Control of Human Gait, 2nd ed. 1991 (natural cadence)",
    PERRY: "J. Perry and J. M. Burnfield, Gait Analysis: Normal and Pathological Function, 2nd ed. 2010",
    "Bohannon 1997": "R. W. Bohannon, Comfortable and maximum walking speed of adults aged 20-79, Age and Ageing 26",
    "Sekiya & Nagasaki 1998": "N. Sekiya and H. Nagasaki, Reproducibility of the walking patterns of normal young"
    " adults: test-retest reliability of the walk ratio, Gait and Posture 7",
    "Donelan et al. 2001": "J. M. Donelan, R. Kram and A. D. Kuo, Mechanical and metabolic determinants of the"
    " preferred step width in human walking, Proc. R. Soc. B 268",
    "Murray et al. 1967": "M. P. Murray, S. B. Sepic and E. J. Barnard, Patterns of sagittal rotation of the upper"
    " limbs in walking, Physical Therapy 47",
    "Winter 1992": "D. A. Winter, Foot trajectory in human gait: a precise and multifactorial motor control task,"
    " Physical Therapy 72",
    "Novacheck 1998": "T. F. Novacheck, The biomechanics of running, Gait and Posture 7",
    "Munro et al. 1987": "C. F. Munro, D. I. Miller and A. J. Fuglevand, Ground reaction forces in running: a"
    " reexamination, J. Biomechanics 20 (3 to 5 m/s)",
    "Cavanagh & Kram 1989": "P. R. Cavanagh and R. Kram, Stride length in distance running: velocity, body dimensions"
    " and added mass effects, Med. Sci. Sports Exerc. 21",
    "Williams & Cavanagh 1987": "K. R. Williams and P. R. Cavanagh, Relationship between distance running mechanics,"
    " running economy and performance, J. Appl. Physiol. 63",
    "wanted": "what was asked of this model; no measurement of adults",
}


@dataclass(frozen=True)
class Range:
    """What adults do: least, most, the unit, who says so; `scale` is how far outside counts as one in a search."""

    name: str
    least: float
    most: float
    unit: str
    source: str
    scale: float

    def holds(self, value: float) -> bool:
        """Is a value inside?"""
        return self.least <= value <= self.most

    @property
    def printed(self) -> str:
        """As it is told."""
        return f"{self.least:g} to {self.most:g}"


ADULT_RANGES: dict[str, Range] = {
    str(key): Range(*rest)  # type: ignore[arg-type]
    for key, *rest in (
        ("speed", "speed", 1.2, 1.5, "m/s", "Bohannon 1997", 0.05),
        ("cadence", "cadence", 100, 125, "steps/min", WINTER, 10),
        ("step_length", "step length", 0.6, 0.8, "m", WINTER, 0.06),
        ("walk_ratio", "walk ratio (step length by cadence)", 0.0050, 0.0070, "m/(steps/min)", "Sekiya & Nagasaki 1998",
         0.001),
        ("duty", "share of the cycle that a foot stands", 0.58, 0.64, "", PERRY, 0.03),
        ("first_peak", "vertical force, first peak", 1.0, 1.3, "weights", WINTER, 0.1),
        ("second_peak", "vertical force, second peak", 1.0, 1.3, "weights", WINTER, 0.1),
        ("largest_force", "vertical force, largest of all steps", 1.0, 1.4, "weights", WINTER, 0.2),
        ("valley", "vertical force, least between the peaks", 0.6, 0.9, "weights", WINTER, 0.1),
        ("knee_swing", "knee flexion in swing", 55, 70, "°", PERRY, 6),
        ("knee_loading", "knee flexion in loading", 10, 25, "°", PERRY, 5),
        ("knee_landing", "knee flexion as the heel strikes", 0, 10, "°", PERRY, 4),
        ("push_off", "ankle plantarflexion at push-off", 10, 25, "°", PERRY, 3),
        ("dorsiflexion", "ankle dorsiflexion in stance", 5, 15, "°", PERRY, 4),
        ("hip_flexion", "hip flexion, most", 25, 45, "°", PERRY, 5),
        ("hip_extension", "hip extension, most", 5, 20, "°", PERRY, 4),
        ("arm_swing", "arm swing, end to end", 30, 70, "°", "Murray et al. 1967", 8),
        ("trunk_pitch", "trunk from the vertical, forward or back, most", 0, 8, "°", "wanted", 2),
        ("trunk_roll", "trunk from the vertical, to a side, most", 0, 8, "°", "wanted", 3),
        ("trunk_yaw", "trunk turned from its heading, most", 0, 10, "°", "wanted", 5),
        ("step_width", "step width", 0.05, 0.15, "m", "Donelan et al. 2001", 0.03),
        ("clearance", "least height of the sole in mid-swing", 10, 40, "mm", "Winter 1992", 5),
        ("cost", "work of all joints, positive and negative, by weight and distance", 0.2, 0.6, "", "wanted", 0.1),
        ("slip", "way a loaded foot slips in a stance", 0, 5, "mm", "wanted", 3),
        ("depth", "heel and ball in the ground, deepest", 0, 5, "mm", "wanted", 5),
        ("drift", "drift aside of the way", 0, 0.05, "", "wanted", 0.1),
    )
}  # fmt: skip
"""In the order in which they are told."""

RUN_RANGES: dict[str, Range] = {
    str(key): Range(*rest)  # type: ignore[arg-type]
    for key, *rest in (
        ("cadence", "cadence", 150, 190, "steps/min", "Cavanagh & Kram 1989", 12),
        ("duty", "share of the cycle that a foot stands", 0.28, 0.42, "", "Novacheck 1998", 0.04),
        ("flight", "share of the time in the air", 0.10, 0.50, "", "Novacheck 1998", 0.05),
        ("bounce", "rise and fall of the centre of mass in a step", 50, 110, "mm", "Williams & Cavanagh 1987", 20),
        ("peak", "vertical force, peak of a step", 2.0, 3.0, "weights", "Munro et al. 1987", 0.3),
        ("knee_loading", "knee flexion in stance, most", 30, 50, "°", "Novacheck 1998", 6),
        ("knee_swing", "knee flexion in swing, most", 70, 110, "°", "Novacheck 1998", 10),
        ("hip_flexion", "hip flexion, most", 35, 65, "°", "Novacheck 1998", 6),
        ("hip_extension", "hip extension, most", 0, 20, "°", "Novacheck 1998", 5),
        ("trunk_pitch", "trunk from the vertical, forward or back, most", 0, 15, "°", "Novacheck 1998", 4),
        ("trunk_roll", "trunk from the vertical, to a side, most", 0, 10, "°", "wanted", 4),
        ("step_width", "step width", -0.02, 0.12, "m", "wanted", 0.03),
        ("slip", "way a loaded foot slips in a stance", 0, 10, "mm", "wanted", 6),
    )
}  # fmt: skip
"""Of adults who run at about 3 m/s; written down before the run was searched for."""
