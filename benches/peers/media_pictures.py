"""Pictures made by other programs, for media.py: of every format, size, kind of notes and turning."""

import gzip
import struct
import subprocess

from media_files import TAGS, VIDEO


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
    m.add("svgz/plain.svgz", lambda _: gzip.compress(plain.encode()), **size)
