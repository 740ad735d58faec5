"""Time and memory on synthetic pages: webmill and its peers in turns, the same documents for all.

webmill reads tables of pages and texts, the peers a file of JSON lines or the hashes of the shingles. What dedup does
not do, as `extract` has done it in its one pass, is cutting words, hashing shingles and sketching them. The example
`sketch_bands` times that on the same texts (`sign`), and whole pipelines are compared with sign and dedup together;
also with dedup alone, and with extraction whole, parsing and main text included."""

import json
import shutil

import numpy as np

from . import peers, report
from .measure import spent, three
from .results import read_duplicates, read_texts
from .synthetic import NAMES as NAMES
from .synthetic import build
from .truth import ShingleSets, words_of

COMPARED = ("corpus",)  # the peers run on these sets


def measure(name, options):
    folder = build(name, options.cache, options.documents)
    out = options.cache / "results" / f"speed-{name}-{options.documents}"
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir(parents=True)
    print(f"== {name}, {options.documents * (20 if name == 'large' else 1)} pages", flush=True)
    extract = webmill(["extract", folder / "shards"], out, options)
    rows = [line("webmill extract", extract)]
    compared = options.peers if name in COMPARED else []
    handed = options.cache / "peers" / f"speed-{name}"
    facts = {}
    times, kernels = {"webmill": []}, {}
    for turn in range(options.rounds if compared else 1):
        shutil.rmtree(out / "out/dedup", ignore_errors=True)
        dedup = webmill(["dedup"], out, options)
        times["webmill"].append(dedup)
        rows.append(line("webmill dedup", dedup))
        if turn == 0 and dedup.status == 0 and name != "large":
            facts = look(name, folder, out, options, handed if compared else None)
        if turn == 0 and dedup.status:
            print(f"  webmill dedup: status {dedup.status}: {dedup.said.strip()[-300:]}")
        if compared and options.sketcher.exists() and (handed / "starts").exists():
            given = [handed / name for name in ("hashes", "starts", "texts")]
            used = spent([options.sketcher, *given], out / "sketcher.log", options.limit)
            steps = json.loads(used.said)
            rows.append(line("webmill sketches, bands", used, steps))
            kernels.setdefault("webmill", []).append(steps)
        for peer, _ in peers.installed(compared):
            used, steps, answer = peers.run(peer, handed, options.threads, options.limit)
            rows.append(line(peer, used, steps))
            if answer:
                times.setdefault(peer, []).append(used)
                if steps:
                    kernels.setdefault(peer, []).append(steps)
    report.table(["", "wall s", "CPU s", "peak MiB", "status", "steps (CPU s)"], rows)
    if facts:
        print("  " + "; ".join(f"{what}: {value}" for what, value in facts.items()) + "\n")
    print_kernels(kernels, compared and options.sketcher)
    print_ratios(times, kernels.get("webmill"), extract)
    shutil.rmtree(handed, ignore_errors=True)
    shutil.rmtree(out / "out", ignore_errors=True)
    return {
        "set": name,
        "extract": brief(extract),
        "times": {k: [brief(u) for u in v] for k, v in times.items()},
        "kernels": kernels,
        **facts,
    }


def webmill(arguments, out, options):
    settings = ["--threads", options.threads, "--memory", options.memory]
    settings += ["--recipe", options.recipe] if options.recipe else []
    log = out / f"{arguments[0]}.log"
    used = spent([options.webmill, *arguments, *([] if arguments[0] == "dedup" else ["--out"]), out / "out", *settings], log, options.limit)
    if used.status and arguments[0] == "extract":
        raise SystemExit(f"webmill extract failed:\n{used.said[-2000:]}")
    return used


def line(name, used, steps=None):
    said = ", ".join(f"{step} {seconds:.2f}" for step, seconds in (steps or {}).items())
    status = {0: "0", -9: "time up"}.get(used.status, str(used.status))
    return [name, f"{used.wall:.2f}", f"{used.cpu:.2f}", f"{used.peak_mib:.0f}", status, said]


def brief(used):
    return {"wall": used.wall, "cpu": used.cpu, "peak_mib": used.peak_mib, "status": used.status}


def look(name, folder, out, options, handed):
    """What was found: rows and clusters, of the plants with J >= .8 those that were found; hands the texts over to the peers."""
    found = read_duplicates(out / "out", read_texts(out / "out"))
    facts = {"equal rows": len(found.equal), "near rows": len(found.near), "clustered pages": len(found.cluster)}
    planted = json.loads((folder / "planted.json").read_text())
    if name not in ("equal", "large"):
        words = words_of(found.texts, options.words)
        sets = ShingleSets(words)
        if handed:
            peers.hand_over(found.texts, words, sets, handed)
        facts |= sample(sets)
        facts |= plants(planted, found, sets)
    return facts


def sample(sets):
    """The resemblance of random pairs: whether extraction kept what the set is about."""
    draw = np.random.default_rng(1)
    a, b = draw.integers(len(sets), size=(2, 2000))
    return {"median J of random pairs": f"{np.median(sets.resemblance(a[a != b], b[a != b])):.3f}"}


def plants(planted, found, sets):
    number = {url: page for page, url in enumerate(found.urls)}
    pairs = [(number[copy], number[of]) for copy, of, _ in planted if copy in number and of in number]
    if not pairs:
        return {}
    a, b = np.array(pairs).T
    near = sets.resemblance(a, b) >= 0.8
    rows = {frozenset(pair) for pair in found.equal} | {frozenset(row[:2]) for row in found.near}
    together = lambda x, y: found.cluster.get(x, -1) == found.cluster.get(y, -2)
    hit = sum(together(x, y) or frozenset((x, y)) in rows for x, y in zip(a[near].tolist(), b[near].tolist()))
    return {"plants with J >= .8": int(near.sum()), "found": report.share(hit, int(near.sum()))}


def print_kernels(kernels, sketcher):
    """Peer / webmill on the same hashes of shingles, one thread: sketches, sketches and look-up by bands, and the check too."""
    ours = kernels.pop("webmill", None)
    if ours is None:
        if sketcher:
            print(f"  {sketcher} is not there: sketches and bands are not compared")
        return
    for peer, theirs in kernels.items():
        for parts in (["sketch"], ["sketch", "bands"], ["sketch", "bands", "check"], ["sketch strings", "bands"]):
            if not set(parts) <= set(theirs[0]):
                continue
            # Who gives strings pays for hashing them; ours are given as hashes.
            own = [part.removesuffix(" strings") for part in parts]
            ratios = [sum(t[p] for p in parts) / sum(o[p] for p in own) for t, o in zip(theirs, ours)]
            print(f"  {peer} / webmill, {' + '.join(parts)}: {three(ratios)}")
    kernels["webmill"] = ours


def print_ratios(times, kernels, extract):
    """Peer / webmill, round by round; `sign` is CPU only, of one thread."""
    ours = times["webmill"]
    for peer, theirs in times.items():
        if peer == "webmill":
            continue
        for what in ("cpu", "wall"):
            turns = list(zip(theirs, ours))
            ratios = [("dedup", [getattr(used, what) / getattr(our, what) for used, our in turns])]
            if kernels:
                signed = [
                    getattr(used, what) / (getattr(our, what) + kernel["sign"])
                    for (used, our), kernel in zip(turns, kernels)
                ]
                ratios.append(("sign and dedup", signed))
            whole = [getattr(used, what) / (getattr(our, what) + getattr(extract, what)) for used, our in turns]
            ratios.append(("extract and dedup", whole))
            print(f"  {peer} / webmill, {what}: " + ", ".join(f"{three(r)} ({name})" for name, r in ratios))
    print(flush=True)
