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

    def __reduce__(self):  # pickled by its parts, for pools of processes
        return Error, (self.reason, self.path, self.offset, self.kind)
