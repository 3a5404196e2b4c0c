"""A wheel that carries machine code is for one Python and one platform; any other is for all."""

import os

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class WheelTag(BuildHookInterface):
    """Sets the tag that scripts/wheel asks for."""

    def initialize(self, version, build_data):
        """Before the wheel is written."""
        if tag := os.environ.get("GAMBOL_WHEEL_TAG"):
            build_data["tag"], build_data["pure_python"] = tag, False
