"""Commands that are understood and have no effect here, each with the reason."""

from gambol.corpus.table import no_effect

NO_VIDEO_DECK = "there is no video deck; numbered pictures (autorender2file) become a film with any encoder"
NO_WINDOW = "there is no window or hardware buffer; pictures are drawn into files"

_ENTRIES = {
    "parser": {
        "basicin": ("on|off: plain input without line editing", "the prompt edits lines whenever there is a terminal")
    },
    "render": {
        "retep": ("another scan converter", NO_WINDOW),
        "filtertype": ("filter of that converter", NO_WINDOW),
        "dither": ("dithering", "pictures have full colours"),
        "renderwindow": ("on|off: the render window", NO_WINDOW),
        "renderpasses": ("draws in strips", "pictures fit in memory"),
        "mssize": ("hardware multisampling", NO_WINDOW),
        "clear": ("on|off: clears between pictures", "every picture begins empty"),
        "doublebuffer": ("on|off: two buffers", NO_WINDOW),
        "doublebufferautoswitch": ("on|off: swaps buffers after a picture", NO_WINDOW),
        "doublebufferswitch": ("swaps buffers", NO_WINDOW),
        "fb_open": ("opens the frame buffer", NO_WINDOW),
        "fb_close": ("closes the frame buffer", NO_WINDOW),
        "hatch": ("hardware drawing mode", NO_WINDOW),
    },
    "camera": {
        "screenmin": ("lower corner of the screen volume", NO_WINDOW),
        "screenmax": ("upper corner of the screen volume", NO_WINDOW),
    },
    "shading": {
        "groupsave": ("undocumented", "the source does not say what it does"),
    },
    "video": dict.fromkeys(
        "animate vpranimate bvw-animate animateinit bvw-search bvw-forward bvw-readtc eject".split(),
        ("the video deck", NO_VIDEO_DECK),
    ),
}
_ALIASES = {
    "doublebuffer": "db",
    "doublebufferautoswitch": "dbas",
    "doublebufferswitch": "dbs",
    "screenmin": "screenmix",
}

for _group, _commands in _ENTRIES.items():
    for _name, (_help, _reason) in _commands.items():
        no_effect(_name, _reason, help=_help, group=_group, aliases=_ALIASES.get(_name, ""))
