"""Writes PDF files byte by byte, also in ways that tools of today no longer do, and damaged ones."""

import base64
import zlib


def ascii_hex(data):
    return data.hex().encode() + b">"


def ascii_85(data):
    return base64.a85encode(data) + b"~>"


def lzw(data):
    """LZW as PDF 1.0 has it: codes of 9 to 12 bits, the width grown one code early, 256 clears, 257 ends."""
    bits, filled, out = 0, 0, bytearray()

    def put(code, width):
        nonlocal bits, filled
        bits, filled = bits << width | code, filled + width
        while filled >= 8:
            filled -= 8
            out.append(bits >> filled & 255)
            bits &= (1 << filled) - 1

    table, width = {}, 9

    def clear():
        nonlocal table, width
        put(256, width)
        table, width = {bytes([byte]): byte for byte in range(256)}, 9

    clear()
    prefix = b""
    for byte in data:
        longer = prefix + bytes([byte])
        if longer in table:
            prefix = longer
            continue
        put(table[prefix], width)
        table[longer] = len(table) + 2
        prefix = bytes([byte])
        if len(table) + 2 >= (1 << width):
            width += 1
        if len(table) + 2 >= 4094:
            clear()
    if prefix:
        put(table[prefix], width)
    put(257, width)
    if filled:
        put(0, 8 - filled)
    return bytes(out)


FILTERS = {
    "flate": ("/FlateDecode", zlib.compress),
    "lzw": ("/LZWDecode", lzw),
    "ascii-85": ("[/ASCII85Decode /FlateDecode]", lambda data: ascii_85(zlib.compress(data))),
    "ascii-hex": ("/ASCIIHexDecode", ascii_hex),
}


def string(data):
    """Bytes as a literal string."""
    escaped = data.replace(b"\\", b"\\\\").replace(b"(", b"\\(").replace(b")", b"\\)")
    return b"(" + escaped.replace(b"\r", b"\\r").replace(b"\n", b"\\n") + b")"


def text_string(words):
    """Words of the metadata."""
    return string(words.encode("ascii")) if words.isascii() else b"<FEFF" + words.encode("utf-16-be").hex().encode() + b">"


class Pdf:
    """Objects by number, written in order."""

    def __init__(self, filters=None):
        self.objects, self.filters = [], filters

    def reserve(self):
        self.objects.append(None)
        return len(self.objects)

    def add(self, body, number=None):
        number = number or self.reserve()
        self.objects[number - 1] = body if isinstance(body, bytes) else body.encode("ascii")
        return number

    def stream(self, data, entries="", plain=False):
        name = ""
        if self.filters and not plain:
            of, encode = FILTERS[self.filters]
            data, name = encode(data), f"/Filter {of} "
        head = f"<< {name}{entries} /Length {len(data)} >>\nstream\n".encode()
        return self.add(head + data + b"\nendstream")

    def bytes(self, root, info=None, damage=""):
        out, places = bytearray(b"%PDF-1.4\n%\xe2\xe3\xcf\xd3\n"), []
        for number, body in enumerate(self.objects, 1):
            places.append(len(out))
            if damage == "wrong-length":
                head, mark, rest = body.partition(b"\nstream\n")
                at = head.rfind(b"/Length ")
                body = head[:at] + b"/Length 7 >>" + mark + rest if mark else body
            out += f"{number} 0 obj\n".encode() + body + b"\nendobj\n"
        if damage == "no-xref":
            return bytes(out + f"trailer\n<< /Size {len(places) + 1} /Root {root} 0 R >>\nstartxref\n0\n%%EOF\n".encode())
        shift = 37 if damage == "wrong-offsets" else 0
        start = len(out)
        out += f"xref\n0 {len(places) + 1}\n0000000000 65535 f \n".encode()
        for place in places:
            out += f"{place + shift:010} 00000 n \n".encode()
        of = f" /Info {info} 0 R" if info else ""
        out += f"trailer\n<< /Size {len(places) + 1} /Root {root} 0 R{of} >>\nstartxref\n{start}\n%%EOF\n".encode()
        return bytes(out)
