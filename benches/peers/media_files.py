"""Pictures, sound and video made by other programs, for media.py: each file with what it was made to say.

`make_all(folder)` gives a list of (path, truth). Files that are there already are not made again; a file whose program
is missing is left out and named. Tags that no program here writes (ID3v2.2, footers, damaged charsets) are built by hand.
"""

import json
import pathlib
import shutil
import struct
import subprocess
import zlib

TAGS = {
    "title": "雨 Rain", "artist": "陆羽", "album": "Weather — 天气", "year": 1999, "track": 3, "genre": "Rock",
    "comment": "Two words",
}  # fmt: skip
LATIN = {
    "title": "Rain", "artist": "Lu Yu", "album": "Weather", "year": 1999, "track": 3, "genre": "Rock",
    "comment": "Two words",
}  # fmt: skip
# Titles, artists and albums in the charsets that writers put where Latin-1 should stand.
CHARSETS = {
    "gbk": ("月亮代表我的心", "邓丽君", "岛国之情歌第二集"),
    "big5": ("戀曲一九九零", "羅大佑", "愛人同志"),
    "shift_jis": ("さくらの花が咲く", "宇多田ヒカル", "はじまりのうた"),
    "koi8_r": ("Подмосковные вечера", "Владимир Трошин", "Песни о Москве"),
    "cp1251": ("Подмосковные вечера", "Владимир Трошин", "Песни о Москве"),
    "cp1252": ("Les Mots passés", "Édith Piaf", "À la carte"),
    "euc_kr": ("봄날은 간다", "백설희", "한국 가요 전집"),
    "utf_8": ("月亮代表我的心", "邓丽君", "岛国之情歌第二集"),
}
SECONDS = 3
VIDEO = f"-f lavfi -i testsrc=size=176x144:rate=25:duration={SECONDS}"


def sine(rate=44100, channels=2, seconds=SECONDS):
    layout = {1: "mono", 2: "stereo", 6: "5.1"}[channels]
    # A changing tone, so that variable bit rates vary.
    source = f"aevalsrc='0.4*sin(2*PI*t*(300+250*t))*(1+sin(3*t))/2+0.05*random(0)*gt(sin(2*t)\\,0)':s={rate}:d={seconds}"
    return ["-f", "lavfi", "-i", source + f",aformat=channel_layouts={layout}"]


class Maker:
    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self.made = []
        self.missing = []

    def add(self, name, make, **truth):
        """Makes a file by a function of its path, or by a list of arguments in which `OUT` is its path."""
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if not path.exists():
            # Programs go by the end of a name.
            part = path.with_name("part-" + path.name)
            try:
                if callable(make):
                    data = make(part)
                    if isinstance(data, bytes):
                        part.write_bytes(data)
                else:
                    if shutil.which(make[0]) is None:
                        raise FileNotFoundError(make[0])
                    done = subprocess.run([str(part) if a == "OUT" else str(a) for a in make], capture_output=True)
                    if done.returncode:
                        raise ValueError(done.stderr.decode(errors="replace")[-300:])
                part.rename(path)
            except Exception as error:  # noqa: BLE001 - whatever is missing here, the other files can be made
                part.unlink(missing_ok=True)
                self.missing.append(f"{name}: {type(error).__name__} {str(error)[-200:]}")
                return None
        self.made.append((path, truth))
        return path

    def ffmpeg(self, name, inputs, arguments, tags=None, **truth):
        command = ["ffmpeg", "-v", "error", "-y"]
        command += inputs.split() if isinstance(inputs, str) else inputs
        if tags:
            for key, value in tags.items():
                key = {"year": "date"}.get(key, key)
                command += ["-metadata", f"{key}={value}" + ("/12" if key == "track" else "")]
            truth = {**tags, **truth}
        command += arguments.split() if isinstance(arguments, str) else arguments
        return self.add(name, [*command, "OUT"], **truth)


def pictures(m):
    from PIL import Image, PngImagePlugin

    picture = Image.radial_gradient("L").resize((120, 80)).convert("RGB")
    size = {"width": 120, "height": 80}

    def save(name, image=picture, truth=None, **how):
        return m.add(name, lambda path: image.save(path, **how), **{**size, **(truth or {})})

    save("jpeg/plain.jpg")
    save("jpeg/progressive.jpg", progressive=True)
    save("jpeg/comment.jpg", comment=b"by hand", truth={"comment": "by hand"})
    for mode in ("L", "CMYK"):
        save(f"jpeg/{mode}.jpg", picture.convert(mode))
    save("jpeg/large.jpg", picture.resize((3001, 2003)), quality=95, truth={"width": 3001, "height": 2003})
    exif(m, picture)
    for mode in ("1", "L", "P", "RGB", "RGBA", "I;16"):
        save(f"png/{mode.replace(';', '')}.png", picture.convert("L").convert("I").convert("I;16") if ";" in mode else picture.convert(mode))
    info = PngImagePlugin.PngInfo()
    for key, value in (("Title", "Rain"), ("Author", "Lu Yu"), ("Comment", "Two words")):
        info.add_text(key, value)
    save("png/texts.png", pnginfo=info, truth={"title": "Rain", "artist": "Lu Yu", "comment": "Two words"})
    info = PngImagePlugin.PngInfo()
    info.add_itxt("Title", TAGS["title"], zip=True)
    info.add_itxt("Author", TAGS["artist"])
    info.add_text("Comment", "Two words", zip=True)
    save("png/itxt.png", pnginfo=info, truth={k: TAGS[k] for k in ("title", "artist", "comment")})
    frames = [picture.rotate(36 * turn) for turn in range(10)]
    moving = {"save_all": True, "append_images": frames[1:], "duration": 70}
    save("png/apng.png", frames[0], truth={"frames": 10, "duration": 0.7}, **moving)
    save("gif/plain.gif", truth={"frames": 1})
    save("gif/moving.gif", frames[0], truth={"frames": 10, "duration": 0.7}, loop=0, **moving)
    save("gif/comment.gif", comment=b"tea", truth={"comment": "tea", "frames": 1})
    m.ffmpeg("gif/ffmpeg.gif", VIDEO, "", width=176, height=144, frames=75, duration=3)
    for name, how in (("lossy", {}), ("lossless", {"lossless": True})):
        save(f"webp/{name}.webp", **how)
    save("webp/alpha.webp", picture.convert("RGBA"))
    save("webp/moving.webp", frames[0], truth={"frames": 10, "duration": 0.7}, **moving)
    m.ffmpeg("webp/ffmpeg.webp", VIDEO, "-vcodec libwebp_anim -loop 0", width=176, height=144, frames=75, duration=3)
    save("bmp/v3.bmp")
    save("bmp/P.bmp", picture.convert("P"))
    m.ffmpeg("bmp/ffmpeg.bmp", VIDEO, "-frames:v 1", width=176, height=144)
    for kind, head in (("core", struct.pack("<IHHHH", 12, 120, 80, 1, 24)), ("os2", struct.pack("<IIIHH", 64, 120, 80, 1, 24) + bytes(48)),
                       ("v5", struct.pack("<IiiHH", 124, 120, -80, 1, 24) + bytes(108)), ("v2", struct.pack("<IiiHH", 52, 120, 80, 1, 24) + bytes(36))):  # fmt: skip
        rows = 120 * 3 * 80
        m.add(f"bmp/{kind}.bmp", lambda _, head=head: b"BM" + struct.pack("<IHHI", 14 + len(head) + rows, 0, 0, 14 + len(head)) + head + bytes(rows), **size)
    m.add("ico/three.ico", lambda path: picture.resize((256, 256)).save(path, sizes=[(16, 16), (48, 48), (256, 256)]), width=256, height=256, frames=3)
    m.add("ico/one.ico", lambda path: picture.resize((32, 32)).save(path, sizes=[(32, 32)]), width=32, height=32, frames=1)
    m.add("ico/bmp.ico", lambda path: picture.resize((64, 64)).save(path, sizes=[(64, 64), (24, 24)], bitmap_format="bmp"), width=64, height=64, frames=2)
    m.add("ico/cursor.cur", lambda _: b"\0\0\2\0\1\0\x20\x20\0\0\3\0\4\0\x30\x11\0\0\x16\0\0\0" + bytes(0x1130), width=32, height=32)
    for compression in ("raw", "tiff_lzw", "jpeg", "tiff_adobe_deflate"):
        save(f"tiff/{compression}.tif", compression=compression, truth={"frames": 1})
    save("tiff/pages.tif", truth={"frames": 4}, save_all=True, append_images=frames[1:4])
    save("tiff/big.tif", truth={"frames": 1}, big_tiff=True)
    save("tiff/big-pages.tif", truth={"frames": 4}, big_tiff=True, save_all=True, append_images=frames[1:4])
    m.add("tiff/motorola.tif", ["convert", "-size", "120x80", "gradient:", "-endian", "MSB", "OUT"], **size, frames=1)
    save("tiff/tags.tif", tiffinfo={270: "Rain", 315: "Lu Yu", 271: "NIKON CORPORATION", 272: "NIKON D70", 306: "2004:05:01 12:30:59", 274: 6},
         truth={"title": "Rain", "artist": "Lu Yu", "camera": "NIKON D70", "created": "2004-05-01T12:30:59", "orientation": 6})  # fmt: skip
    save("avif/pillow.avif")
    save("avif/moving.avif", frames[0], truth={"frames": 10, "duration": 0.7}, **moving)
    png = m.folder / "png/RGB.png"
    m.add("avif/avifenc.avif", ["avifenc", "-s", "10", png, "OUT"], **size)
    m.add("avif/turned.avif", ["avifenc", "-s", "10", "--irot", "1", png, "OUT"], **size, orientation=8)
    m.add("avif/mirrored.avif", ["avifenc", "-s", "10", "--imir", "0", png, "OUT"], **size)
    m.add("heic/heif-enc.heic", ["heif-enc", png, "-o", "OUT"], **size)
    m.add("heic/pillow.heic", heic_with_exif(picture), **size, **EXIF)
    m.add("jxl/cjxl.jxl", ["cjxl", png, "OUT", "-e", "1"], **size)
    m.add("jxl/box.jxl", ["cjxl", png, "OUT", "-e", "1", "--container=1"], **size)
    m.add("jxl/ffmpeg.jxl", ["ffmpeg", "-v", "error", "-y", *VIDEO.split(), "-frames:v", "1", "OUT"], width=176, height=144)
    m.add("jxl/of-jpeg.jxl", ["cjxl", m.folder / "jpeg/plain.jpg", "OUT"], **size)
    m.add("jp2/ffmpeg.jp2", ["ffmpeg", "-v", "error", "-y", *VIDEO.split(), "-frames:v", "1", "OUT"], width=176, height=144)
    m.add("psd/convert.psd", ["convert", "-size", "120x80", "gradient:", "OUT"], **size)
    vectors(m)


def heic_with_exif(picture):
    def make(path):
        import pillow_heif

        pillow_heif.register_heif_opener()
        picture.save(path, format="HEIF", exif=exif_block(1))

    return make


def exif_block(orientation):
    import piexif

    block = {
        "0th": {271: "Canon", 272: "Canon EOS 5D", 274: orientation, 306: "2010:01:01 00:00:00", 315: "Lu Yu", 270: "Rain"},
        "Exif": {0x9003: "2004:05:01 12:30:59", 0x9011: "+08:00", 0x9286: b"ASCII\0\0\0Two words"},
        "GPS": {1: "N", 2: ((39, 1), (54, 1), (27, 1)), 3: "W", 4: ((116, 1), (23, 1), (17, 1))},
    }
    return piexif.dump(block)


EXIF = {"camera": "Canon EOS 5D", "created": "2004-05-01T12:30:59+08:00", "artist": "Lu Yu", "title": "Rain",
        "comment": "Two words", "gps": "39.907500,-116.388056"}  # fmt: skip


def exif(m, picture):
    for order, name in (("II", "little"), ("MM", "big")):
        for turned in range(1, 9):
            exiftool = ["exiftool", "-q", "-overwrite_original", f"-ExifByteOrder={order}", f"-Orientation#={turned}", "-Make=Canon",
                        "-Model=Canon EOS 5D", "-DateTimeOriginal=2004:05:01 12:30:59", "-OffsetTimeOriginal=+08:00", "-ModifyDate=2010:01:01 00:00:00",
                        "-EXIF:Artist=Lu Yu", "-EXIF:ImageDescription=Rain", "-EXIF:UserComment=Two words", "-GPSLatitude=39.9075", "-GPSLatitudeRef=N",
                        "-GPSLongitude=116.388055556", "-GPSLongitudeRef=W"]  # fmt: skip

            kinds = ["jpeg"] if turned > 2 else ["jpeg", "png", "webp", "tiff"]
            for kind in kinds:

                def make(path, kind=kind, exiftool=exiftool):
                    picture.save(path, format=kind.upper())
                    subprocess.run([*exiftool, path], check=True, capture_output=True)

                end = {"jpeg": "jpg", "tiff": "tif"}.get(kind, kind)
                m.add(f"{kind}/exif-{name}-{turned}.{end}", make, width=120, height=80, orientation=turned, **EXIF)

    def unicode_comment(path):
        picture.save(path)
        subprocess.run(["exiftool", "-q", "-overwrite_original", "-charset", "UTF8", "-EXIF:UserComment=两个字", "-XPTitle=雨", "-XPAuthor=陆羽", path], check=True)

    m.add("jpeg/exif-unicode.jpg", unicode_comment, width=120, height=80, comment="两个字", title="雨", artist="陆羽")

    def xmp_only(path):
        picture.save(path)
        subprocess.run(["exiftool", "-q", "-overwrite_original", "-XMP:Title=雨", "-XMP:Creator=陆羽", "-XMP:Description=Two words", "-XMP:CreateDate=2004:05:01 12:30:59", path], check=True)

    m.add("jpeg/xmp.jpg", xmp_only, width=120, height=80, title="雨", artist="陆羽", comment="Two words", created="2004-05-01T12:30:59")
    m.add("png/xmp.png", xmp_only, width=120, height=80, title="雨", artist="陆羽", comment="Two words", created="2004-05-01T12:30:59")

    def iptc_only(path):
        picture.save(path)
        subprocess.run(["exiftool", "-q", "-overwrite_original", "-IPTC:ObjectName=Rain", "-IPTC:By-line=Lu Yu", "-IPTC:Caption-Abstract=Two words", path], check=True)

    m.add("jpeg/iptc.jpg", iptc_only, width=120, height=80, title="Rain", artist="Lu Yu", comment="Two words")


def vectors(m):
    svg = "<svg xmlns='http://www.w3.org/2000/svg' {}><title>Rain</title><rect width='9' height='9'/></svg>"
    for name, attributes, width, height in (
        ("plain", "width='120' height='80'", 120, 80), ("px", "width='120px' height='80px'", 120, 80), ("box", "viewBox='0 0 120 80'", 120, 80),
        ("mm", "width='25.4mm' height='50.8mm'", 96, 192), ("percent", "width='100%' height='100%' viewBox='0 0 120 80'", 120, 80),
        ("negative", "viewBox='-60 -40 120 80'", 120, 80), ("one-side", "width='240' viewBox='0 0 120 80'", 240, 160), ("in", "width='1in' height='2in'", 96, 192),
        ("pt", "width='72pt' height='144pt'", 96, 192), ("exponent", "width='1.2e2' height='8E1'", 120, 80),
    ):  # fmt: skip
        m.add(f"svg/{name}.svg", lambda _, a=attributes: svg.format(a).encode(), width=width, height=height, title="Rain")
    plain = svg.format("width='120' height='80'")
    size = {"width": 120, "height": 80, "title": "Rain"}
    m.add("svg/utf16.svg", lambda _: ("<?xml version='1.0' encoding='UTF-16'?>" + plain).encode("utf-16"), **size)
    m.add("svg/utf16be.svg", lambda _: b"\xfe\xff" + ("<?xml version='1.0' encoding='UTF-16'?>" + plain).encode("utf-16-be"), **size)
    m.add("svg/entities.svg", lambda _: ("<?xml version='1.0'?><!DOCTYPE svg PUBLIC '-//W3C//DTD SVG 1.1//EN' 'x.dtd' [<!ENTITY w '120'><!ENTITY ns 'http://www.w3.org/2000/svg'>]>"
          "<svg xmlns='&ns;' width='&w;' height='80'><title>Rain</title></svg>").encode(), **size)  # fmt: skip
    m.add("svg/comment-first.svg", lambda _: ("<?xml version='1.0'?>\n<!-- " + "made by hand " * 900 + "-->\n" + plain).encode(), **size)
    m.add("svg/prefix.svg", lambda _: b"<s:svg xmlns:s='http://www.w3.org/2000/svg' width='120' height='80'><s:title>Rain</s:title></s:svg>", **size)
    m.add("svgz/plain.svgz", lambda _: __import__("gzip").compress(plain.encode()), **size)


def seven(value):
    return bytes(value >> shift & 127 for shift in (21, 14, 7, 0))


def id3(version, frames, flags=0, before=b"", padding=64, footer=False, unsynchronised=False):
    """An ID3v2 tag of frames (id, data)."""
    body = before
    for name, data in frames:
        if unsynchronised and version == 4:
            data = unsync(data)
        size = struct.pack(">I", len(data))[1:] if version == 2 else seven(len(data)) if version == 4 else struct.pack(">I", len(data))
        body += name + size + (b"" if version == 2 else b"\0\2" if unsynchronised and version == 4 else b"\0\0") + data
    body += bytes(0 if footer else padding)
    if unsynchronised and version < 4:
        body = unsync(body)
    flags |= (0x80 if unsynchronised else 0) | (0x10 if footer else 0)
    head = bytes([version, 0, flags]) + seven(len(body))
    return b"ID3" + head + body + (b"3DI" + head if footer else b"")


def unsync(data):
    out = bytearray()
    for at, byte in enumerate(data):
        out.append(byte)
        following = data[at + 1] if at + 1 < len(data) else 0
        if byte == 255 and (following >= 0xE0 or following == 0):
            out.append(0)
    return bytes(out)


def texts(version, encoding, tags=TAGS, genre="(17)", date="1999"):
    """Frames of tags in an encoding: number as ID3v2 has it and codec."""
    number, codec = encoding
    zero = b"\0\0" if number in (1, 2) else b"\0"
    names = [b"TT2", b"TP1", b"TAL", b"TYE", b"TRK", b"TCO"] if version == 2 else [b"TIT2", b"TPE1", b"TALB", b"TYER" if version == 3 else b"TDRC", b"TRCK", b"TCON"]
    values = [tags["title"], tags["artist"], tags["album"], date, "3/12", genre]
    frames = [(name, bytes([number]) + value.encode(codec)) for name, value in zip(names, values)]
    comment = tags["comment"].encode(codec)
    mark = "".encode(codec) if codec != "utf-16" else "".encode("utf-16")
    frames.append((b"COM" if version == 2 else b"COMM", bytes([number]) + b"eng" + mark + zero + comment))
    return frames


def id3v1(tags, codec="latin-1", numbered=True):
    def fixed(text, length):
        return text.encode(codec)[:length].ljust(length, b"\0")

    comment = fixed(tags["comment"], 28) + bytes([0, 3]) if numbered else fixed(tags["comment"], 30)
    return b"TAG" + fixed(tags["title"], 30) + fixed(tags["artist"], 30) + fixed(tags["album"], 30) + b"1999" + comment + bytes([17])


def mp3(m):
    plain = "-write_xing 0 -id3v2_version 0 -c:a libmp3lame"
    for rate in (8000, 11025, 12000, 16000, 22050, 24000, 32000, 44100, 48000):
        for channels in (1, 2):
            m.ffmpeg(f"mp3/cbr-{rate}-{channels}.mp3", sine(rate, channels), f"{plain} -b:a {'64k' if rate > 24000 else '32k'}", sample_rate=rate, channels=channels)
    sound = m.ffmpeg("mp3/bare.mp3", sine(), f"{plain} -b:a 128k", sample_rate=44100, channels=2, bitrate=128000)
    for rate in (32, 96, 160, 192, 256, 320):
        m.ffmpeg(f"mp3/cbr-{rate}k.mp3", sine(), f"{plain} -b:a {rate}k", sample_rate=44100, channels=2, bitrate=rate * 1000)
    for quality in (0, 2, 5, 9):
        m.ffmpeg(f"mp3/vbr-{quality}.mp3", sine(), f"-c:a libmp3lame -q:a {quality}", channels=2, duration=SECONDS)
        m.ffmpeg(f"mp3/vbr-bare-{quality}.mp3", sine(seconds=60), f"{plain} -q:a {quality}", channels=2, duration=60, bitrate="mean")
    m.ffmpeg("mp3/abr.mp3", sine(), "-c:a libmp3lame -abr 1 -b:a 140k", duration=SECONDS)
    m.ffmpeg("mp3/long.mp3", sine(seconds=400), f"{plain} -b:a 128k", duration=400)
    wav = m.folder / "wav/pcm_s16le.wav"
    for name, how in (("joint", "-m j"), ("mono", "-m m"), ("free", "--freeformat -b 100"), ("crc", "-p"), ("v1", "--id3v1-only --tt Rain --ta Lu_Yu --ty 1999 --tn 3 --tg 17 --tc x")):
        m.add(f"mp3/lame-{name}.mp3", ["lame", "--quiet", *how.split(), wav, "OUT"], duration=SECONDS, **({"title": "Rain", "year": 1999, "track": 3, "genre": "Rock"} if name == "v1" else {}))
    m.add("mp3/lame-utf16.mp3", ["lame", "--quiet", "--id3v2-only", "--id3v2-utf16", "--tt", TAGS["title"], "--ta", TAGS["artist"], wav, "OUT"], duration=SECONDS)
    m.ffmpeg("mp2/twolame.mp2", sine(), "-c:a libtwolame -b:a 192k", duration=SECONDS, bitrate=192000)
    m.ffmpeg("mp2/low.mp2", sine(24000, 1), "-c:a libtwolame -b:a 64k", duration=SECONDS)
    for version in (3, 4):
        m.ffmpeg(f"mp3/ffmpeg-{version}.mp3", sine(), f"-c:a libmp3lame -b:a 128k -id3v2_version {version} -write_id3v1 1", TAGS, duration=SECONDS)
    sound = sound.read_bytes() if sound else b""
    vbri = bytearray(sound[:417]) if len(sound) > 417 else bytearray(417)
    vbri[36:62] = b"VBRI" + struct.pack(">HHHIIHHHH", 1, 0, 75, len(sound) + 417, 3000, 0, 1, 2, 1)
    m.add("mp3/vbri.mp3", lambda _: bytes(vbri) + sound, duration=3000 * 1152 / 44100)

    def tagged(name, before=b"", behind=b"", truth=TAGS, **more):
        m.add(f"id3/{name}.mp3", lambda _: before + sound + behind, **{**truth, **more}, sample_rate=44100, channels=2)

    codings = {"utf16": (1, "utf-16"), "utf16be": (2, "utf-16-be"), "utf8": (3, "utf-8"), "latin": (0, "latin-1")}
    for version in (2, 3, 4):
        for name, coding in codings.items():
            tags = LATIN if name == "latin" else TAGS
            frames = texts(version, coding, tags)
            tagged(f"v2{version}-{name}", id3(version, frames), truth=tags)
            tagged(f"v2{version}-{name}-unsync", id3(version, frames, unsynchronised=True), truth=tags)
        tagged(f"v2{version}-v1", id3(version, texts(version, codings["utf16"])), id3v1(LATIN))
    frames3, frames4 = texts(3, codings["utf16"]), texts(4, codings["utf8"])
    tagged("v23-extended", id3(3, frames3, 0x40, struct.pack(">IHI", 6, 0, 64)))
    tagged("v23-extended-crc", id3(3, frames3, 0x40, struct.pack(">IHII", 10, 0x8000, 64, 7)))
    tagged("v24-extended", id3(4, frames4, 0x40, seven(6) + b"\1\0"))
    tagged("v24-extended-crc", id3(4, frames4, 0x40, seven(12) + b"\1\x20\5\0\0\0\0\7"))
    tagged("v24-footer", id3(4, frames4, footer=True))
    tagged("v24-at-end", behind=id3(4, frames4, footer=True))
    tagged("v24-at-end-v1", behind=id3(4, frames4, footer=True) + id3v1(LATIN))
    tagged("v23-twice", id3(3, [(b"TIT2", b"\0Rain")]) + id3(3, frames3), truth={**TAGS, "title": "Rain"})
    picture = b"\0image/jpeg\0\3\0" + bytes([255, 216, 255]) + zlib.compress(bytes(range(256)))
    for size in (50_000, 1_000_000):
        tagged(f"v23-picture-{size}", id3(3, [*frames3, (b"APIC", picture + b"\x55" * size)]))
        tagged(f"v23-picture-first-{size}", id3(3, [(b"APIC", picture + b"\x55" * size), *frames3]), id3v1(LATIN), truth=TAGS if size < 200_000 else LATIN)
    tagged("v23-comments", id3(3, [(b"COMM", b"\0engiTunNORM\0 000"), (b"COMM", b"\0XXXID3v1 Comment\0short"), *frames3]))
    tagged("v23-lyrics", id3(3, [*frames3, (b"USLT", b"\1eng" + "".encode("utf-16") + b"\0\0" + "第一行\n第二行".encode("utf-16"))]))
    timed = b"\3eng\2\1\0" + b"".join(word.encode() + b"\0" + struct.pack(">I", ms) for word, ms in (("第一行", 1000), ("第二行", 2500)))
    tagged("v24-sylt", id3(4, [*frames4, (b"SYLT", timed)]))
    several = texts(4, codings["utf8"], {**TAGS, "artist": "陆羽\0皎然"}, genre="17\0Tea")
    tagged("v24-several", id3(4, several), truth={**TAGS, "artist": "陆羽; 皎然", "genre": "Rock; Tea"})
    tagged("v23-several", id3(3, texts(3, codings["utf16"], {**TAGS, "artist": "陆羽/皎然"}, genre="(17)(51)")), truth={**TAGS, "artist": "陆羽/皎然", "genre": "Rock; Techno-Industrial"})
    tagged("v24-date", id3(4, texts(4, codings["utf8"], date="1999-05-01T12:30:00")))
    tagged("v1", behind=id3v1(LATIN, numbered=False), truth={k: v for k, v in LATIN.items() if k != "track"})
    tagged("v11", behind=id3v1(LATIN), truth=LATIN)
    for codec, words in CHARSETS.items():
        tags = {**LATIN, **dict(zip(("title", "artist", "album"), words))}
        for version in (3, 4):
            tagged(f"charset-{codec}-v2{version}", id3(version, texts(version, (0, codec), tags)), truth=tags)
        short = {key: tags[key].encode(codec)[:30].decode(codec, "ignore") for key in ("title", "artist", "album")}
        tagged(f"charset-{codec}-v1", behind=id3v1(tags, codec), truth={**tags, **short})

    def mutagen_ape(path):
        from mutagen.apev2 import APEv2

        path.write_bytes(sound)
        tag = APEv2()
        for key, value in (("Title", TAGS["title"]), ("Artist", TAGS["artist"]), ("Album", TAGS["album"]), ("Year", "1999"), ("Track", "3/12"), ("Genre", "Rock"), ("Comment", "Two words")):
            tag[key] = value
        tag.save(path)

    m.add("id3/apev2.mp3", mutagen_ape, **TAGS)


def sounds(m):
    for codec in ("pcm_s16le", "pcm_u8", "pcm_s24le", "pcm_s32le", "pcm_f32le", "pcm_f64le", "pcm_mulaw", "pcm_alaw", "adpcm_ms", "adpcm_ima_wav", "mp2", "libmp3lame", "ac3"):
        m.ffmpeg(f"wav/{codec}.wav", sine(), f"-c:a {codec}", {k: v for k, v in LATIN.items()}, duration=SECONDS, sample_rate=44100, channels=2)
    m.ffmpeg("wav/extensible.wav", sine(48000, 6), "-c:a pcm_s24le", duration=SECONDS, sample_rate=48000, channels=6)
    m.ffmpeg("wav/rf64.wav", sine(), "-c:a pcm_s16le -rf64 always", duration=SECONDS, sample_rate=44100, channels=2)
    m.ffmpeg("wav/w64.w64", sine(), "-c:a pcm_s16le -f w64", duration=SECONDS, sample_rate=44100, channels=2)
    m.ffmpeg("wav/bext.wav", sine(), "-c:a pcm_s16le -write_bext 1", duration=SECONDS)
    m.ffmpeg("wav/utf8.wav", sine(), "-c:a pcm_s16le", TAGS, duration=SECONDS)
    m.add("wav/sox.wav", ["sox", "-n", "-r", "22050", "-c", "1", "OUT", "synth", "3", "sine", "440"], duration=3, sample_rate=22050, channels=1)
    m.add("wav/gsm.wav", ["sox", "-n", "-r", "8000", "-c", "1", "-e", "gsm-full-rate", "OUT", "synth", "3", "sine", "440"], duration=3, sample_rate=8000, channels=1)
    m.ffmpeg("aiff/pcm.aiff", sine(), "-c:a pcm_s16be -write_id3v2 1", TAGS, duration=SECONDS, sample_rate=44100, channels=2)
    m.ffmpeg("aiff/float.aifc", sine(48000, 1), "-c:a pcm_f32be -f aiff", duration=SECONDS, sample_rate=48000, channels=1)
    m.ffmpeg("aiff/text.aiff", sine(), "-c:a pcm_s16be", {"title": "Rain", "comment": "Two words"}, duration=SECONDS, sample_rate=44100, channels=2)
    m.add("aiff/sox.aiff", ["sox", "-n", "-r", "22050", "-c", "1", "OUT", "synth", "3", "sine", "440"], duration=3, sample_rate=22050, channels=1)
    m.ffmpeg("au/pcm.au", sine(), "-c:a pcm_s16be", duration=SECONDS, sample_rate=44100, channels=2)
    m.ffmpeg("flac/ffmpeg.flac", sine(), "-c:a flac", TAGS, duration=SECONDS, sample_rate=44100, channels=2)
    m.ffmpeg("flac/96k.flac", sine(96000, 1), "-c:a flac -sample_fmt s32", TAGS, duration=SECONDS, sample_rate=96000, channels=1)
    picture = m.folder / "jpeg/plain.jpg"
    wav = m.folder / "wav/pcm_s16le.wav"
    m.add("flac/picture.flac", ["flac", "-s", "-f", f"--picture={picture}", "--tag=TITLE=雨 Rain", "--tag=ARTIST=陆羽", "--tag=ARTIST=皎然", "--tag=DATE=1999", "--tag=TRACKNUMBER=3", "--tag=GENRE=Rock", "--tag=COMMENT=Two words", "--tag=ALBUM=Weather", "-o", "OUT", wav],
          **{**TAGS, "artist": "陆羽; 皎然", "album": "Weather"}, duration=SECONDS)  # fmt: skip
    big = m.folder / "jpeg/large.jpg"
    m.add("flac/large-picture.flac", ["flac", "-s", "-f", f"--picture={big}", "--tag=TITLE=雨 Rain", "--tag=ARTIST=陆羽", "-o", "OUT", wav], title="雨 Rain", artist="陆羽", duration=SECONDS)
    m.add("flac/in-ogg.oga", ["flac", "-s", "-f", "--ogg", "--tag=TITLE=雨 Rain", "-o", "OUT", wav], title="雨 Rain", duration=SECONDS, sample_rate=44100, bitrate=None)
    m.add("flac/id3-before.flac", lambda _: id3(3, texts(3, (1, "utf-16"))) + (m.folder / "flac/picture.flac").read_bytes(), title="雨 Rain", duration=SECONDS)
    # The bit rates that Vorbis and Speex write are what encoders aimed at.
    m.ffmpeg("ogg/vorbis.ogg", sine(), "-c:a libvorbis -q:a 4", TAGS, duration=SECONDS, sample_rate=44100, channels=2, bitrate=None)
    m.add("ogg/oggenc.ogg", ["oggenc", "-Q", "-t", "雨 Rain", "-a", "陆羽", "-l", "Weather", "-G", "Rock", "-d", "1999", "-N", "3", "-c", "COMMENT=Two words", "-o", "OUT", wav], **{**TAGS, "album": "Weather"}, duration=SECONDS, sample_rate=44100, bitrate=None)
    m.ffmpeg("ogg/opus.opus", sine(48000), "-c:a libopus -b:a 64k", TAGS, duration=SECONDS, channels=2)
    m.add("ogg/opusenc.opus", ["opusenc", "--quiet", "--title", "雨 Rain", "--artist", "陆羽", "--album", "Weather", "--genre", "Rock", "--date", "1999", "--picture", str(big), wav, "OUT"], title="雨 Rain", artist="陆羽", album="Weather", genre="Rock", year=1999, duration=SECONDS)
    m.ffmpeg("ogg/mono.opus", sine(16000, 1), "-c:a libopus -b:a 16k", duration=SECONDS, channels=1)
    m.ffmpeg("ogg/speex.spx", sine(16000, 1), "-c:a libspeex", TAGS, duration=SECONDS, sample_rate=16000, channels=1, bitrate=None)
    m.ffmpeg("ogg/theora.ogv", [*VIDEO.split(), *sine()], "-c:v libtheora -c:a libvorbis", TAGS, duration=SECONDS, width=176, height=144, sample_rate=44100)
    m.ffmpeg("ogg/vp8.ogv", VIDEO, "-c:v libvpx -f ogg", duration=SECONDS, width=176, height=144)
    for name, codec in (("aac", "aac"), ("alac", "alac")):
        m.ffmpeg(f"m4a/{name}.m4a", sine(), f"-c:a {codec}", TAGS, duration=SECONDS, sample_rate=44100, channels=2)
    m.ffmpeg("m4a/front.m4a", sine(), "-c:a aac -movflags +faststart", TAGS, duration=SECONDS, sample_rate=44100, channels=2)
    m.ffmpeg("m4a/long.m4a", sine(seconds=60), "-c:a aac -b:a 256k", TAGS, duration=60, sample_rate=44100, channels=2)
    m.ffmpeg("m4a/book.m4b", sine(22050, 1), "-c:a aac -f ipod", TAGS, duration=SECONDS, sample_rate=22050, channels=1)

    def covered(path):
        from mutagen.mp4 import MP4, MP4Cover

        path.write_bytes((m.folder / "m4a/aac.m4a").read_bytes())
        file = MP4(path)
        file["covr"] = [MP4Cover(big.read_bytes(), MP4Cover.FORMAT_JPEG)]
        file["\xa9lyr"] = "[00:01.00]a"
        file.save()

    m.add("m4a/cover.m4a", covered, **TAGS, duration=SECONDS)
    for rate, channels in ((44100, 2), (48000, 1), (22050, 2), (8000, 1)):
        m.ffmpeg(f"aac/{rate}-{channels}.aac", sine(rate, channels), "-c:a aac", sample_rate=rate, channels=channels)
    m.ffmpeg("aac/id3.aac", sine(), "-c:a aac -write_id3v2 1", TAGS, duration=SECONDS, sample_rate=44100)
    m.ffmpeg("aac/long.aac", sine(seconds=60), "-c:a aac -b:a 192k", duration=60, sample_rate=44100)
    m.ffmpeg("wma/v2.wma", sine(), "-c:a wmav2", TAGS, duration=SECONDS, sample_rate=44100, channels=2)
    m.ffmpeg("wv/ffmpeg.wv", sine(), "-c:a wavpack -write_apetag 1", TAGS, duration=SECONDS, sample_rate=44100, channels=2)
    m.ffmpeg("tta/ffmpeg.tta", sine(), "-c:a tta", TAGS, duration=SECONDS, sample_rate=44100, channels=2)
    m.ffmpeg("ac3/ffmpeg.ac3", sine(48000, 6), "-c:a ac3 -b:a 384k", duration=SECONDS, sample_rate=48000, channels=6, bitrate=384000)
    m.ffmpeg("ac3/ffmpeg.eac3", sine(48000, 2), "-c:a eac3 -b:a 192k", duration=SECONDS, sample_rate=48000, channels=2)
    m.add("amr/tone.amr", lambda _: b"#!AMR\n" + (b"\x3c" + bytes(31)) * 150, duration=3, sample_rate=8000, channels=1)
    m.ffmpeg("caf/pcm.caf", sine(), "-c:a pcm_s16le", duration=SECONDS, sample_rate=44100, channels=2)
    m.add("ape/hand.ape", monkey, duration=2 * 73728 / 44100 + 1000 / 44100, sample_rate=44100, channels=2)
    m.add("mid/hand.mid", midi, duration=2.0)
    lrc = "[ti:雨]\n[ar:陆羽]\n[al:天气]\n[00:12.50][01:10]x\n[00:05.00]y\n"
    for codec in ("utf-8", "gbk", "utf-16", "utf-8-sig", "big5"):
        text = lrc.replace("陆", "李").replace("羽", "白").replace("天气", "天下") if codec == "big5" else lrc + "[00:20.00]你问我爱你有多深我爱你有几分\n"
        m.add(f"lrc/{codec}.lrc", lambda _, c=codec, t=text: t.encode(c), title="雨", artist="李白" if codec == "big5" else "陆羽")


def monkey(_):
    descriptor = b"MAC " + struct.pack("<HHIIIIIII", 3990, 0, 52, 24, 0, 44, 1000, 0, 0) + bytes(16)
    header = struct.pack("<HHIIIHHI", 2000, 0, 73728, 1000, 3, 16, 2, 44100)
    return descriptor + header + bytes(2000)


def midi(_):
    track = b"\0\xff\x03\x04Rain\0\xff\x51\x03\x07\xa1\x20\0\x90\x3c\x40\x83\x60\x80\x3c\x40\x87\x40\x90\x3c\x40\x83\x60\x80\x3c\0\0\xff\x2f\0"
    return b"MThd" + struct.pack(">IHHH", 6, 0, 1, 480) + b"MTrk" + struct.pack(">I", len(track)) + track


def videos(m):
    both = [*VIDEO.split(), *sine()]
    size = {"width": 176, "height": 144, "duration": SECONDS}
    x264 = "-c:v libx264 -pix_fmt yuv420p -c:a aac -shortest"
    # B frames are shown two pictures late where no list of edits says otherwise.
    late = {**size, "duration": SECONDS + 0.08}
    # B frames are shown two pictures late where no list of edits says otherwise.
    late = {**size, "duration": SECONDS + 0.08}
    m.ffmpeg("mp4/end.mp4", both, x264, TAGS, **size, frames=75, sample_rate=44100, channels=2)
    m.ffmpeg("mp4/front.mp4", both, x264 + " -movflags +faststart", TAGS, **size, frames=75, sample_rate=44100, channels=2)
    m.ffmpeg("mp4/fragmented.mp4", both, x264 + " -movflags +frag_keyframe+empty_moov+default_base_moof", **late)
    m.ffmpeg("mp4/dash.mp4", both, x264 + " -movflags +dash+global_sidx+frag_keyframe+empty_moov", **late)
    m.ffmpeg("mp4/frag-long.mp4", [*"-f lavfi -i testsrc=size=320x240:rate=25:duration=60".split(), *sine(seconds=60)], "-c:v mpeg4 -b:v 600k -c:a aac -movflags +frag_keyframe+empty_moov+default_base_moof", width=320, height=240, duration=60)
    long = [*"-f lavfi -i testsrc=size=320x240:rate=25:duration=30".split(), *sine(seconds=30)]
    m.ffmpeg("mp4/long-end.mp4", long, "-c:v mpeg4 -b:v 800k -c:a aac", TAGS, width=320, height=240, duration=30)
    m.ffmpeg("mp4/long-front.mp4", long, "-c:v mpeg4 -b:v 800k -c:a aac -movflags +faststart", TAGS, width=320, height=240, duration=30)

    def beyond(path):
        data = (m.folder / "mp4/long-end.mp4").read_bytes()
        path.write_bytes(data + struct.pack(">I4s", 300_008, b"free") + bytes(300_000))

    m.add("mp4/beyond.mp4", beyond, unreachable=True)
    m.ffmpeg("mp4/hevc.mp4", both, "-c:v libx265 -x265-params log-level=none -c:a aac -shortest", **size)
    m.ffmpeg("mp4/av1.mp4", both, "-c:v libsvtav1 -c:a libopus -shortest", **size)
    m.ffmpeg("mp4/silent.mp4", VIDEO, "-c:v libx264", **size, frames=75)
    m.ffmpeg("mp4/mp3.mp4", both, "-c:v mpeg4 -c:a libmp3lame -shortest", **size)
    for turn, orientation in ((90, 6), (180, 3), (270, 8)):
        m.add(f"mp4/matrix-{turn}.mp4", turned(m.folder / "mp4/silent.mp4", turn), **size, orientation=orientation)
    m.ffmpeg("mov/end.mov", both, "-c:v libx264 -pix_fmt yuv420p -c:a pcm_s16le -shortest", TAGS, **size, track=None, sample_rate=44100, channels=2)
    m.ffmpeg("mov/prores.mov", both, "-c:v prores -c:a aac -shortest -movflags +use_metadata_tags", TAGS, **size)
    m.ffmpeg("mov/created.mov", VIDEO, "-c:v libx264 -metadata creation_time=2004-05-01T12:30:59Z", **size, created="2004-05-01T12:30:59Z")
    m.ffmpeg("mp4/created.mp4", VIDEO, "-c:v libx264 -metadata creation_time=2004-05-01T12:30:59Z -metadata location=+39.9075-116.3881/", **size, created="2004-05-01T12:30:59Z", gps="39.907500,-116.388100")
    m.ffmpeg("3gp/h263.3gp", [*"-f lavfi -i testsrc=size=176x144:rate=15:duration=3".split(), *sine(8000, 1)], "-c:v h263 -c:a aac -ar 8000 -shortest", **size, channels=1)
    for kind, codecs in (("mkv", "-c:v libx264 -c:a aac"), ("webm", "-c:v libvpx -c:a libvorbis")):
        m.ffmpeg(f"{kind}/plain.{kind}", both, codecs + " -shortest", TAGS, **size, sample_rate=44100, channels=2)
        m.ffmpeg(f"{kind}/cues-front.{kind}", both, codecs + " -shortest -cues_to_front 1 -reserve_index_space 8192", TAGS, **size)
        m.add(f"{kind}/live.{kind}", piped(both, codecs + f" -shortest -f {'matroska' if kind == 'mkv' else 'webm'}"), **size)
        m.ffmpeg(f"{kind}/long.{kind}", long, codecs + " -b:v 600k", TAGS, width=320, height=240, duration=30)
        m.add(f"{kind}/live-long.{kind}", piped(long, codecs + f" -b:v 600k -f {'matroska' if kind == 'mkv' else 'webm'}"), width=320, height=240, duration=30)
    m.ffmpeg("webm/vp9.webm", both, "-c:v libvpx-vp9 -deadline realtime -c:a libopus -shortest", TAGS, **size)
    m.ffmpeg("webm/sound.webm", sine(48000), "-c:a libopus", TAGS, duration=SECONDS, sample_rate=48000)
    m.add("mkv/mkvmerge.mkv", ["mkvmerge", "-q", "-o", "OUT", "--title", TAGS["title"], m.folder / "mp4/end.mp4"], **size, title=TAGS["title"])
    m.ffmpeg("mkv/sound.mka", sine(), "-c:a flac", TAGS, duration=SECONDS, sample_rate=44100, channels=2)
    m.ffmpeg("avi/mpeg4.avi", both, "-c:v mpeg4 -c:a libmp3lame -shortest", LATIN, **size, sample_rate=44100, channels=2)
    m.ffmpeg("avi/mjpeg.avi", both, "-c:v mjpeg -c:a pcm_s16le -shortest", LATIN, **size, frames=75)
    m.ffmpeg("avi/msmpeg4.avi", VIDEO, "-c:v msmpeg4 -vtag DIV3", **size, frames=75)
    m.ffmpeg("avi/opendml.avi", "-f lavfi -i testsrc=size=320x240:rate=25:duration=30", "-c:v rawvideo -pix_fmt yuv420p -f avi", width=320, height=240, duration=30, frames=750)
    m.ffmpeg("ts/h264.ts", both, x264, **size)
    m.ffmpeg("ts/blu.m2ts", both, x264, **size)
    m.ffmpeg("ts/mpeg2.ts", both, "-c:v mpeg2video -c:a mp2 -shortest", **size)
    m.ffmpeg("mpg/mpeg1.mpg", both, "-c:v mpeg1video -c:a mp2 -shortest", **size)
    m.ffmpeg("mpg/mpeg2.vob", both, "-c:v mpeg2video -c:a ac3 -shortest", **size)
    m.ffmpeg("flv/flv1.flv", both, "-c:v flv -c:a libmp3lame -shortest", **size)
    m.ffmpeg("flv/h264.flv", both, x264, **late)
    m.ffmpeg("wmv/wmv2.wmv", both, "-c:v wmv2 -c:a wmav2 -shortest", TAGS, **size, sample_rate=44100, channels=2)
    m.ffmpeg("rm/rv10.rm", both, "-c:v rv10 -c:a ac3 -shortest", **size)


def piped(inputs, arguments):
    """A file that its program could not go back in."""

    def make(path):
        done = subprocess.run(["ffmpeg", "-v", "error", *inputs, *arguments.split(), "-"], capture_output=True, check=True)
        path.write_bytes(done.stdout)

    return make


def turned(source, turn):
    """A movie whose matrix turns it clockwise."""
    one, less = 1 << 16, (1 << 32) - (1 << 16)
    parts = {90: (0, one, less, 0), 180: (less, 0, 0, less), 270: (0, less, one, 0)}[turn]

    def make(path):
        data = bytearray(source.read_bytes())
        at = data.index(b"tkhd") + 4 + 40
        a, b, c, d = parts
        data[at : at + 36] = struct.pack(">9I", a, b, 0, c, d, 0, 0, 0, 1 << 30)
        path.write_bytes(data)

    return make


def make_all(folder):
    maker = Maker(folder)
    for group in (pictures, sounds, mp3, videos):
        group(maker)
    (maker.folder / "truth.json").write_text(json.dumps([[str(path.relative_to(maker.folder)), truth] for path, truth in maker.made], ensure_ascii=False, indent=1))
    return maker.made, maker.missing
