"""MPEG sound and its tags, for media.py.

Tags that no program here writes (ID3v2.2, footers, charsets that are not those they name) are built by hand.
"""

import struct
import zlib

from media_files import LATIN, SECONDS, TAGS, sine

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
