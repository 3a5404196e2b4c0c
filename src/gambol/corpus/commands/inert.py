"""Commands that are understood and have no effect here, each with the reason."""

from __future__ import annotations

from gambol.corpus.table import no_effect

DECK = "there is no video deck; numbered pictures (autorender2file) become a film with any encoder"
TEXTURE = "objects have colours, no texture coordinates or maps"
WINDOW = "there is no window or hardware buffer; pictures are drawn into files"
FRICTION = "the sources print no formula for it; groundfric and groundfricb act"
SHADOW_MAP = "shadows are cast on level ground by geometry, without maps"

_ENTRIES = {
    "parser": {
        "basicin": ("on|off: plain input without line editing", "the prompt edits lines whenever there is a terminal")
    },
    "render": {
        "retep": ("another scan converter", WINDOW),
        "filtertype": ("filter of that converter", WINDOW),
        "dither": ("dithering", "pictures have full colours"),
        "renderwindow": ("on|off: the render window", WINDOW),
        "renderpasses": ("draws in strips", "pictures fit in memory"),
        "mssize": ("hardware multisampling", WINDOW),
        "clear": ("on|off: clears between pictures", "every picture begins empty"),
        "doublebuffer": ("on|off: two buffers", WINDOW),
        "doublebufferautoswitch": ("on|off: swaps buffers after a picture", WINDOW),
        "doublebufferswitch": ("swaps buffers", WINDOW),
        "fb_open": ("opens the frame buffer", WINDOW),
        "fb_close": ("closes the frame buffer", WINDOW),
        "hatch": ("hardware drawing mode", WINDOW),
    },
    "camera": {
        "screenmin": ("lower corner of the screen volume", WINDOW),
        "screenmax": ("upper corner of the screen volume", WINDOW),
    },
    "shading": {
        "pointtrans": ("transparency of a vertex", "transparency is that of a whole object (trans)"),
        "groupsave": ("undocumented", "the source does not say what it does"),
    },
    "special": {
        "objxyuv": ("flat texture coordinates", TEXTURE),
        "renderuv": ("projected texture coordinates", TEXTURE),
        "objuv": ("loads texture coordinates", TEXTURE),
    },
    "texture": dict.fromkeys(
        "getmap getmapa getmapbw getmapbwa objmap transmap pointuv mergergba makemip makemipa makemipbw".split(),
        ("texture maps", TEXTURE),
    ),
    "light": {
        **dict.fromkeys(
            "lightshadow shadowbias shadowres shadowminsize shadowmapsize".split(), ("shadow maps", SHADOW_MAP)
        ),
        "shadowlightdensity": ("darkness of shadows", SHADOW_MAP),
    },
    "forces": dict.fromkeys(
        "groundfric2 groundfric2k groundfric2e".split(), ("the second friction model of 1990", FRICTION)
    ),
    "video": dict.fromkeys(
        "animate vpranimate bvw-animate animateinit bvw-search bvw-forward bvw-readtc eject".split(),
        ("the video deck", DECK),
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
