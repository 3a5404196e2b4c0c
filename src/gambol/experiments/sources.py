"""The sources whose experiments are repeated, as they are cited."""

ARMSTRONG_GREEN_1985 = "Armstrong & Green 1985"
MCKENNA_1990 = "McKenna 1990"
MCKENNA_1994 = "McKenna 1994"
MITCHELL_1997 = "Mitchell 1997"
SARANLI_BUEHLER = "Saranli & Buehler"
