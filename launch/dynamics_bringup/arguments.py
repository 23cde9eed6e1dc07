# SPDX-License-Identifier: Apache-2.0
"""Reads and checks the values of launch arguments; errors give the argument."""

import dataclasses
import math

from dynamics_bringup.description import DescriptionError, has_link, tip_of


class ArgumentError(ValueError):
    """An invalid launch argument; the message says what would be right."""


def numbers(text, name, count=None, of=""):
    """Return finite numbers separated by spaces or commas; exactly `count` of them if given."""
    try:
        values = [float(word) for word in text.replace(",", " ").split()]
    except ValueError:
        raise ArgumentError(f"{name}:='{text}': must be numbers") from None
    if not all(map(math.isfinite, values)):
        raise ArgumentError(f"{name}:='{text}': numbers must be finite")
    if count is not None and len(values) != count:
        raise ArgumentError(f"{name}:='{text}': must be {count} numbers{of}")
    return values


def number(text, name, least=0.0, above=False):
    """Return one number that is at least `least`, or greater than `least`."""
    value = numbers(text, name, 1)[0] if text.split() else math.nan
    if not (value > least if above else value >= least):
        raise ArgumentError(
            f"{name}:='{text}': must be a number {'greater than' if above else 'of at least'} "
            f"{least:g}")
    return value


def positions(text, name, joints):
    """Return one number per joint, or an empty list if the text is empty."""
    return numbers(text, name, len(joints), f", for {', '.join(joints)}") if text.split() else []


@dataclasses.dataclass
class Payload:
    """A point mass on a link."""

    mass: float
    center: list
    frame: str


def payload(text, urdf):
    """Return the payload of 'mass [x y z] [link]', or None if the text is empty."""
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
            f"payload:='{text}': must be 'mass' or 'mass x y z', optionally followed by a link")
    values = numbers(" ".join(words), "payload")
    if values[0] <= 0.0:
        raise ArgumentError(f"payload:='{text}': mass must be greater than 0 kg")
    if frame and not has_link(urdf, frame):
        raise DescriptionError(f"payload:='{text}': link '{frame}' does not exist")
    return Payload(values[0], (values[1:] or [0.0] * 3), frame or tip_of(urdf))
