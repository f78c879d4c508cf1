#!/usr/bin/env python3
# Copyright 2026 Nobody.
"""Sends mail. And does more.

Details follow.
"""
from __future__ import annotations

import os, sys as system
import xml.etree.ElementTree as ET
from . import sibling
from ..pay.charge import Card, charge as take
from typing import *

LIMIT: int = 10
RETRIES = 3
lower = 4
__all__ = ["Mail", "send"]
Names = dict[str, int]
type Alias[T] = list[T]

if sys.version_info > (3, 12):
    def modern(): ...
else:
    def old(): ...

try:
    import fast
except ImportError:
    fast = None


class Mail(Base, metaclass=Meta):
    """A mail to one reader."""

    KIND = "mail"
    subject: str = ""

    class Header:
        """Its head."""

        def encode(self) -> bytes:
            'Encodes it'
            return b""

    def __init__(self, to: str, *, retries: int = 3, **rest: object) -> None:
        self.to = to

        def local():
            pass

    @property
    def size(self) -> int:
        return 0

    @staticmethod
    async def send_all(
        mails: list[Mail],  # in order
        timeout: float = 1.0,
    ) -> dict[str, int]:
        r"""Sends all
        of them.  Then sleeps."""

    def _hidden(self): pass


@dataclass(frozen=True)
class Größe[T]:
    width: int


@app.get("/users/{id}")
@cached
async def send(mail: Mail, to: "str | None" = None) -> bool:
    """Sends one.

    :param mail: it
    """
    return True


def _private(): pass


def outer():
    def inner():
        pass
    class Local: pass
