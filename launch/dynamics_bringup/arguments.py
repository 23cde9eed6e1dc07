# SPDX-License-Identifier: Apache-2.0
"""The values of launch arguments: read, checked, and named in the error where they are wrong."""

import dataclasses
import math

from dynamics_bringup.description import DescriptionError, has_link, tip_of


class ArgumentError(ValueError):
    """A launch argument that cannot be; says what would be right."""


def numbers(text, name, count=None, of=""):
    """Return finite numbers, apart by blanks or commas; `count` of them where that is given."""
    try:
        values = [float(word) for word in text.replace(",", " ").split()]
    except ValueError:
        raise ArgumentError(f"{name}:='{text}': it must be numbers") from None
    if not all(map(math.isfinite, values)):
        raise ArgumentError(f"{name}:='{text}': the numbers must be finite")
    if count is not None and len(values) != count:
        raise ArgumentError(f"{name}:='{text}': it must be {count} numbers{of}")
    return values


def number(text, name, least=0.0, above=False):
    """Return one number, at least `least`, or above it."""
    value = numbers(text, name, 1)[0] if text.split() else math.nan
    if not (value > least if above else value >= least):
        raise ArgumentError(
            f"{name}:='{text}': it must be a number{' above' if above else ' from'} {least:g}"
            f"{'' if above else ' on'}")
    return value


def positions(text, name, joints):
    """Return one number a joint, or nothing where the text is empty."""
    return numbers(text, name, len(joints), f", for {', '.join(joints)}") if text.split() else []


@dataclasses.dataclass
class Payload:
    """A point mass on a link."""

    mass: float
    centre: list
    frame: str


def payload(text, urdf):
    """Return the payload of 'mass [x y z] [link]', or None where the text is empty."""
    words = text.replace(",", " ").split()
    if not words:
        return None
    frame = ""
    try:
        float(words[-1])
    except ValueError:
        frame = words.pop()
    if len(words) not in (1, 4):
        raise ArgumentError(
            f"payload:='{text}': it must be 'mass', 'mass x y z', or one of these and a link")
    values = numbers(" ".join(words), "payload")
    if values[0] <= 0.0:
        raise ArgumentError(f"payload:='{text}': the mass must be above 0 kg")
    if frame and not has_link(urdf, frame):
        raise DescriptionError(f"payload:='{text}': the robot has no link '{frame}'")
    return Payload(values[0], (values[1:] or [0.0] * 3), frame or tip_of(urdf))
