#!/usr/bin/env python3
"""Facts of pictures, sound and video beside ffprobe, ExifTool, mutagen, tinytag and Pillow.

    apt-get install ffmpeg libimage-exiftool-perl lame sox vorbis-tools opus-tools flac twolame mkvtoolnix \\
        libavif-bin libheif-examples libjxl-tools imagemagick
    python -m venv target/peers/media-tools
    target/peers/media-tools/bin/pip install mutagen tinytag pillow piexif pillow-heif
    cargo build --release -p webmill-documents --example media_facts
    target/peers/media-tools/bin/python benches/peers/media.py [--program PATH] [--wrong] [--rounds 5]

The files are made by other programs in target/peers/media, some 330 (`media_files.py`); a program that is not there
leaves its files out, and they are named. What is right is what a file was made to say; where nothing was (bit rates
mostly), what two others agree on, with pictures the whole file's as ffprobe has it. Lengths may differ by 50 ms or
1 %, bit rates by 5 %, places by two metres.

Prints, by field and by format, how many of the values that should be there each reader gives right; with `--wrong`,
each value of ours that is wrong or missing and what others say. Then files a second: everything in turn in one process
and thread each (`ours / other` as minimum / median / maximum of rounds), on the files that the other can read. Ours
reads of each file what it reads in a crawl: the first 256 KiB and the last 128 KiB.
"""

import argparse
import collections
import json
import pathlib
import re
import statistics
import subprocess
import time
import unicodedata
import warnings

import media_files

ROOT = pathlib.Path(__file__).resolve().parents[2]
TAGS = ["title", "artist", "album", "year", "track", "genre", "comment", "created", "camera", "orientation", "gps"]
FIELDS = ["width", "height", "duration", "bitrate", "sample_rate", "channels", "frames", *TAGS]
READERS = ["ours", "ffprobe", "exiftool", "mutagen", "tinytag", "pillow"]
# Sound has no width, and a picture of an album is not the file's.
PICTURES = {"jpeg", "png", "gif", "webp", "avif", "heic", "bmp", "ico", "svg", "svgz", "tiff", "jxl", "jp2", "psd"}


def one(value):
    """The first of several, as text."""
    if isinstance(value, (list, tuple)):
        return "; ".join(str(item) for item in value) if value else None
    return value


def number(value):
    found = re.match(r"\s*-?\d+(\.\d+)?", str(one(value) or ""))
    return float(found[0]) if found else None


def whole(value):
    found = number(value)
    return int(found) if found else None


def year(value):
    found = re.match(r"\s*([1-9]\d{3})", str(one(value) or ""))
    return int(found[1]) if found else None


def moment(value):
    return re.sub(r"^(\d{4}):(\d\d):(\d\d) ", r"\1-\2-\3T", str(value)).replace(" ", "T") if value else None


def ours(paths, program):
    done = subprocess.run([program, "--gps", *map(str, paths)], capture_output=True, check=True)
    found = {}
    for line in done.stdout.decode().splitlines():
        row = json.loads(line)
        facts = row["facts"] or {}
        facts["duration"] = facts["duration_ms"] / 1000 if facts.get("duration_ms") else None
        found[pathlib.Path(row["file"])] = facts
    return found


def ffprobe(path):
    done = subprocess.run(["ffprobe", "-v", "quiet", "-of", "json", "-show_format", "-show_streams", path], capture_output=True)
    told = json.loads(done.stdout or b"{}")
    form, streams = told.get("format", {}), told.get("streams", [])
    kinds = {kind: [s for s in streams if s.get("codec_type") == kind] for kind in ("video", "audio")}
    moving = [s for s in kinds["video"] if not s.get("disposition", {}).get("attached_pic")]
    tags = {key.lower(): value for part in [*reversed(streams), form] for key, value in part.get("tags", {}).items()}
    out = {key: tags.get(key) for key in ("title", "artist", "album", "genre", "comment")}
    out["year"], out["track"] = year(tags.get("date")), whole(tags.get("track"))
    out["created"] = moment(re.sub(r"\.0+Z$", "Z", tags.get("creation_time", "")))
    if moving:
        out["width"], out["height"] = moving[0].get("width"), moving[0].get("height")
        out["frames"] = whole(moving[0].get("nb_frames"))
    if kinds["audio"]:
        sound = kinds["audio"][0]
        out["sample_rate"], out["channels"] = whole(sound.get("sample_rate")), sound.get("channels")
        out["bitrate"] = whole(form.get("bit_rate") if moving else sound.get("bit_rate") or form.get("bit_rate"))
    out["duration"] = number(form.get("duration"))
    return out


def exiftool(path):
    done = subprocess.run(["exiftool", "-j", "-n", "-charset", "id3=utf8", path], capture_output=True)
    told = json.loads(done.stdout or b"[{}]")[0]
    first = lambda *names: next((told[name] for name in names if told.get(name) not in (None, "")), None)  # noqa: E731
    out = {
        "width": whole(first("ImageWidth", "SourceImageWidth")), "height": whole(first("ImageHeight", "SourceImageHeight")), "duration": number(first("Duration", "TrackDuration")),
        "bitrate": whole(first("AudioBitrate", "AvgBitrate", "NominalBitrate")), "sample_rate": whole(first("SampleRate", "AudioSampleRate")),
        "channels": whole(first("NumChannels", "AudioChannels", "Channels")), "frames": whole(first("FrameCount", "AnimationFrames", "PageCount", "ImageCount")),
        "title": first("Title", "XPTitle", "ImageDescription"), "artist": one(first("Artist", "Author", "XPAuthor")), "album": first("Album"), "year": year(first("Year", "DateTimeOriginal", "ContentCreateDate", "Date")),
        "track": whole(first("Track", "TrackNumber")), "genre": one(first("Genre")), "comment": first("UserComment", "Comment", "Description"),
        "created": moment(first("DateTimeOriginal", "CreateDate", "ModifyDate")), "orientation": first("Orientation"),
    }  # fmt: skip
    if first("OffsetTimeOriginal") and out["created"]:
        out["created"] += first("OffsetTimeOriginal")
    make, model = str(first("Make") or ""), str(first("Model") or "")
    out["camera"] = model if model.split(" ")[0] == make.split(" ")[0] else f"{make} {model}".strip()
    if first("GPSLatitude") is not None:
        out["gps"] = f"{first('GPSLatitude'):.6f},{first('GPSLongitude'):.6f}"
    return out


def mutagen_reader(path):
    import mutagen

    file = mutagen.File(path, easy=True)
    if file is None:
        return {}
    tags = {key.lower(): [str(value) for value in (values if isinstance(values, list) else [values])] for key, values in (file.tags or {}).items() if isinstance(key, str)}
    first = lambda *names: next((one(tags[name]) for name in names if tags.get(name)), None)  # noqa: E731
    out = {"title": first("title"), "artist": first("artist", "author"), "album": first("album", "wm/albumtitle"), "genre": first("genre", "wm/genre"),
           "year": year(first("date", "year", "wm/year")), "track": whole(first("tracknumber", "track", "wm/tracknumber")), "comment": first("comment", "description")}  # fmt: skip
    for field, name in (("duration", "length"), ("bitrate", "bitrate"), ("sample_rate", "sample_rate"), ("channels", "channels")):
        out[field] = getattr(file.info, name, None) or None
    return out


def tinytag_reader(path):
    import tinytag

    tag = tinytag.TinyTag.get(path)
    out = {key: getattr(tag, key) for key in ("title", "artist", "album", "genre", "comment", "track", "duration", "channels")}
    out.update(year=year(tag.year), sample_rate=tag.samplerate, bitrate=whole((tag.bitrate or 0) * 1000))
    return out


def pillow_reader(path):
    from PIL import Image

    with Image.open(path) as image:
        exif = image.getexif()
        out = {"width": image.width, "height": image.height, "frames": getattr(image, "n_frames", None), "orientation": exif.get(274), "title": exif.get(270), "artist": exif.get(315)}
        out["created"] = moment(exif.get_ifd(0x8769).get(0x9003) or exif.get(306))
        return out


PEERS = {"ffprobe": ffprobe, "exiftool": exiftool, "mutagen": mutagen_reader, "tinytag": tinytag_reader, "pillow": pillow_reader}


def read_by(reader, path):
    try:
        return {key: value for key, value in reader(path).items() if value not in (None, "", 0)}
    except Exception:  # noqa: BLE001 - a reader that fails says nothing
        return {}


def plain(text):
    text = unicodedata.normalize("NFC", str(text)).replace("\0", "; ").replace("\r\n", "\n")
    return re.sub(r"\s+", " ", text).strip()


def agrees(field, value, other):
    if value is None or other is None:
        return False
    if field == "duration":
        return abs(float(value) - float(other)) <= max(0.05, 0.01 * float(other))
    if field == "bitrate":
        return abs(float(value) - float(other)) <= 0.05 * float(other)
    if field == "created":
        return plain(value)[:19] == plain(other)[:19]
    if field == "gps":
        pairs = [[float(part) for part in str(text).split(",")] for text in (value, other)]
        return all(abs(a - b) < 2e-5 for a, b in zip(*pairs))
    if field in ("title", "artist", "album", "genre", "comment", "camera"):
        return plain(value) == plain(other)
    return float(value) == float(other)


def right_values(truth, said, is_picture):
    """The right value of each field that a file states."""
    right = {field: value for field, value in truth.items() if field in FIELDS and value is not None}
    if right.get("bitrate") == "mean":
        right["bitrate"] = truth["bytes"] * 8 / truth["duration"]
    # With pictures it is that of the whole file, which only ffprobe gives.
    if "width" in said["ffprobe"] and "bitrate" in said["ffprobe"] and not is_picture:
        right["bitrate"] = said["ffprobe"]["bitrate"]
    for field in FIELDS:
        if field in truth or field in right or (is_picture and field in ("bitrate", "duration", "frames")) or field in TAGS:
            continue
        values = [said[name][field] for name in READERS[1:] if field in said[name]]
        for at, value in enumerate(values):
            if any(agrees(field, value, other) for other in values[at + 1 :]):
                right[field] = value
                break
    return right


def table(head, rows):
    widths = [max(len(str(row[at])) for row in [head, *rows]) for at in range(len(head))]
    for row in [head, *rows]:
        print("  ".join(str(cell).ljust(width) if at == 0 else str(cell).rjust(width) for at, (cell, width) in enumerate(zip(row, widths))).rstrip())
    print()


def agreement(made, program, show):
    found = ours([path for path, _ in made], program)
    by = {"field": collections.defaultdict(collections.Counter), "format": collections.defaultdict(collections.Counter)}
    missed = []
    readable = collections.defaultdict(list)
    for path, truth in made:
        if truth.get("unreachable"):
            continue
        said = {name: read_by(reader, path) for name, reader in PEERS.items()}
        said["ours"] = found.get(path) or {}
        for name in ("mutagen", "tinytag", "pillow"):
            if said[name]:
                readable[name].append(path)
        truth = {**truth, "bytes": path.stat().st_size}
        for field, value in right_values(truth, said, path.parent.name in PICTURES).items():
            for kind, key in (("field", field), ("format", path.parent.name)):
                by[kind][key]["all"] += 1
                for name in READERS:
                    by[kind][key][name] += agrees(field, said[name].get(field), value)
            if not agrees(field, said["ours"].get(field), value):
                others = {name: said[name][field] for name in READERS[1:] if field in said[name]}
                missed.append(f"{path.parent.name}/{path.name} {field}: ours {said['ours'].get(field)!r}, right {value!r}, others {others}")
    for kind, counts in by.items():
        order = FIELDS if kind == "field" else sorted(counts)
        rows = [[key, counts[key]["all"], *(counts[key][name] for name in READERS)] for key in order if counts[key]["all"]]
        rows.append(["all", *(sum(row[at] for row in rows) for at in range(1, 2 + len(READERS)))])
        table([kind, "values", *READERS], rows)
    if show:
        print("\n".join(missed) + "\n")
    return readable


def speed(readable, program, rounds):
    rows = []
    for name, paths in readable.items():
        ratios, rates = [], []
        for _ in range(rounds):
            # Enough files that starting our program weighs little, as it does in a crawl.
            many = 20
            began = time.perf_counter()
            subprocess.run([program, *map(str, paths * many)], stdout=subprocess.DEVNULL, check=True)
            own = (time.perf_counter() - began) / many
            began = time.perf_counter()
            for path in paths:
                read_by(PEERS[name], path)
            other = time.perf_counter() - began
            ratios.append(other / own)
            rates.append((len(paths) / own, len(paths) / other))
        own, other = (statistics.median(rate[at] for rate in rates) for at in (0, 1))
        rows.append([name, len(paths), f"{own:,.0f}", f"{other:,.0f}", " / ".join(f"{f(ratios):.1f}" for f in (min, statistics.median, max))])
    table(["beside", "files", "ours/s", "other/s", "ratio min / median / max"], rows)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--folder", default=ROOT / "target/peers/media", type=pathlib.Path)
    parser.add_argument("--program", default=str(ROOT / "target/release/examples/media_facts"))
    parser.add_argument("--wrong", action="store_true")
    parser.add_argument("--rounds", type=int, default=5)
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    made, missing = media_files.make_all(arguments.folder)
    for line in missing:
        print("not made:", line)
    print(f"{len(made)} files\n")
    readable = agreement(made, arguments.program, arguments.wrong)
    if arguments.rounds:
        speed(readable, arguments.program, arguments.rounds)


if __name__ == "__main__":
    main()
