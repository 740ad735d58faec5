"""Pictures, sound and video made by other programs, for media.py: each file with what it was made to say.

`make_all(folder)` gives a list of (path, truth). Files that are there already are not made again; a file whose program
is missing is left out and named. Pictures are in media_pictures.py, MPEG sound in media_mp3.py.
"""

import json
import pathlib
import shutil
import struct
import subprocess

TAGS = {
    "title": "雨 Rain", "artist": "陆羽", "album": "Weather — 天气", "year": 1999, "track": 3, "genre": "Rock",
    "comment": "Two words",
}  # fmt: skip
LATIN = {
    "title": "Rain", "artist": "Lu Yu", "album": "Weather", "year": 1999, "track": 3, "genre": "Rock",
    "comment": "Two words",
}  # fmt: skip
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
    m.add("flac/id3-before.flac", lambda _: tagged(3) + (m.folder / "flac/picture.flac").read_bytes(), title="雨 Rain", duration=SECONDS)
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


def tagged(version):
    from media_mp3 import id3, texts

    return id3(version, texts(version, (1, "utf-16")))


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
    from media_mp3 import mp3
    from media_pictures import pictures

    maker = Maker(folder)
    for group in (pictures, sounds, mp3, videos):
        group(maker)
    (maker.folder / "truth.json").write_text(json.dumps([[str(path.relative_to(maker.folder)), truth] for path, truth in maker.made], ensure_ascii=False, indent=1))
    return maker.made, maker.missing
