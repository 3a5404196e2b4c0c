"""Hybrid systems ready to run."""

from gambol.hybrid.models.ball import BouncingBall
from gambol.hybrid.models.catching_plate import CatchingPlate
from gambol.hybrid.models.compass import CompassWalker
from gambol.hybrid.models.rimless_wheel import RimlessWheel
from gambol.hybrid.models.slip import APEX, SpringHopper
from gambol.hybrid.models.stick_slip import StickSlip

__all__ = ["APEX", "BouncingBall", "CatchingPlate", "CompassWalker", "RimlessWheel", "SpringHopper", "StickSlip"]
