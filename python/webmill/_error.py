"""What functions of webmill raise."""

from __future__ import annotations


class Error(Exception):
    """What went wrong, with where it is.

    ``path``: the file or folder, or ``None``. ``offset``: the byte in the file as stored, or ``None``. ``reason``: why,
    without the place. ``kind``: ``io``, ``corrupt``, ``config``, ``incompatible``, ``limit``, ``refused`` or ``internal``.

    >>> fault = Error("a length that is no number", path="a.warc", offset=120, kind="corrupt")
    >>> str(fault)
    'a.warc at byte 120: a length that is no number'
    >>> fault.offset
    120
    """

    path: str | None
    offset: int | None
    reason: str
    kind: str

    def __init__(
        self, reason: str, path: str | None = None, offset: int | None = None, kind: str = "config"
    ) -> None:
        place = "" if path is None else path if offset is None else f"{path} at byte {offset}"
        super().__init__(f"{place}: {reason}" if place else reason)
        self.reason, self.path, self.offset, self.kind = reason, path, offset, kind

    def __reduce__(self) -> tuple[type[Error], tuple[str, str | None, int | None, str]]:  # pickled by its parts, for pools of processes
        return type(self), (self.reason, self.path, self.offset, self.kind)


class ArgumentError(Error, ValueError):
    """An argument or a setting that cannot be: an :class:`Error` of ``kind`` ``config``, and a ``ValueError``."""


def one_of(name: str, value: object, allowed: tuple[str, ...]) -> None:
    """Refuses a value that is none of these, with all that there are.

    >>> one_of("format", "pdf", ("json", "text"))
    Traceback (most recent call last):
    webmill._error.ArgumentError: format is 'json' or 'text', not 'pdf'
    """
    if value not in allowed:
        *others, last = map(repr, allowed)
        raise ArgumentError(f"{name} is {', '.join(others)}{' or ' if others else ''}{last}, not {value!r}")
