"""Quality on one set: build, mill, compute the truth, score webmill and its peers."""

import shutil

from . import peers, report, scores
from .edits import distance
from .measure import spent
from .results import read_duplicates, read_texts
from .sets import build
from .truth import ShingleSets, words_of


def measure(name, options):
    """Scores a set, prints its tables and returns the numbers, to be kept as JSON."""
    words = lambda texts: words_of(texts, options.words)
    folder, about = build(name, options.cache, options.webmill, words)
    out = options.cache / "results" / name
    used = mill(folder, out, options)
    found = read_duplicates(out / "out", read_texts(out / "out"))
    truth = scores.Truth(found, words, ShingleSets, options.bound)
    print(f"== {name}: {len(found.urls)} pages with text, {len(truth.texts)} texts, {int(truth.lengths.sum())} words")
    print(f"   {len(truth.j)} pairs with J >= {options.bound}, {len(truth.near)} with J >= .8;", end=" ")
    print(f"{truth.short} pairs of texts under {scores.MIN_WORDS} words left out")
    answers = {"webmill": scores.webmill_answer(truth, found)}
    times = {"webmill": {step: vars(one) | {"said": None} for step, one in used.items()}}
    if options.peers:
        answers |= ask_peers(name, truth, options, times)
    recalls = {who: scores.recall(truth, answer) for who, answer in answers.items()}
    report.recall_table(recalls)
    facts = scores.precision(truth, found)
    print_precision(truth, answers, facts)
    numbers = {"set": name, "pairs": len(truth.near), "precision": facts, "times": times, "recall": recalls}
    numbers["copies"] = scores.copies(truth, found)
    numbers["twins"] = scores.twins(truth, answers["webmill"])
    numbers["expected"], numbers["ideal"] = print_possible(truth, found)
    pages, together = numbers["copies"]
    print(f"  pages with a whole copy: {pages}, clustered with one: {report.share(together, pages)}")
    if "labels" in about:
        numbers["labels"] = print_labels(about["labels"], found)
    if "planted" in about:
        numbers["edits"] = print_edits(about["planted"], truth, found, answers)
    if "simulated" in about:
        numbers["simulated"] = print_simulated(about["simulated"], truth, found, answers["webmill"])
    print(flush=True)
    return numbers


def mill(folder, out, options):
    """Extracts (once for a program and a set) and finds duplicates; returns what each step spent."""
    used = {}
    recipe = options.recipe.read_text() if options.recipe else ""
    stamp = f"{recipe}{options.webmill.stat().st_mtime_ns} {(folder / 'set.json').stat().st_mtime_ns}"
    mark = out / "program"
    if not mark.exists() or mark.read_text() != stamp:
        shutil.rmtree(out, ignore_errors=True)
        out.mkdir(parents=True)
        used["extract"] = webmill(["extract", folder / "shards"], out, options)
        mark.write_text(stamp)
    shutil.rmtree(out / "out/dedup", ignore_errors=True)
    used["dedup"] = webmill(["dedup"], out, options)
    return used


def webmill(arguments, out, options):
    settings = ["--threads", options.threads, "--memory", options.memory]
    settings += ["--recipe", options.recipe] if options.recipe else []
    used = spent([options.webmill, *arguments, *([] if arguments[0] == "dedup" else ["--out"]), out / "out", *settings], out / f"{arguments[0]}.log")
    if used.status:
        raise SystemExit(f"webmill {arguments[0]} failed:\n{used.said[-2000:]}")
    return used


def ask_peers(name, truth, options, times):
    """What each peer finds among the texts, one of each: pairs or labels by number of text."""
    folder = options.cache / "peers" / name
    enough = [i for i in range(len(truth.texts)) if truth.lengths[i] >= scores.MIN_WORDS]
    texts, words = [truth.texts[i] for i in enough], [truth.words[i] for i in enough]
    peers.hand_over(texts, words, ShingleSets(words), folder)
    answers = {}
    for peer, _ in peers.installed(options.peers):
        used, steps, answer = peers.run(peer, folder, options.threads, options.limit)
        times[peer] = {"wall": used.wall, "cpu": used.cpu, "peak_mib": used.peak_mib, "steps": steps}
        if answer:
            answers[peer] = renumbered(answer, enough, len(truth.texts))
    shutil.rmtree(folder, ignore_errors=True)
    return answers


def renumbered(answer, numbers, count):
    links = {(min(numbers[a], numbers[b]), max(numbers[a], numbers[b])) for a, b in answer.links}
    clusters = None
    if answer.clusters:
        clusters = [set() for _ in range(count)]
        for number, own in zip(numbers, answer.clusters):
            clusters[number] = own
    return scores.Answer(links, clusters)


def print_precision(truth, answers, facts):
    rows = []
    for name, answer in answers.items():
        links, near = scores.linked_precision(truth, answer)
        several, supported = scores.supported(truth, answer)
        texts, together = scores.twins(truth, answer)
        twins = report.share(together, texts) if answer.clusters else "-"
        rows.append([name, links, report.share(near, links), several, report.share(supported, several), texts, twins])
    header = ["", "pairs found", "J >= .8", "clustered", "with a twin there", "with a twin", "clustered with it"]
    report.table(header, rows)
    stated, verified = facts["rows stated >= .8"], facts["verified"]
    print(f"  webmill: rows stated >= .8: {stated}, true: {report.share(verified, stated)};", end=" ")
    print(f"near rows {facts['near rows']}, without resemblance {facts['unverified']};", end=" ")
    print(f"largest error of a stated resemblance {facts['largest error']:.1e}")
    members, near = facts["members"], facts["members with J >= .8"]
    print(
        f"  webmill: members of clusters {members}, J with representative >= .8: {report.share(near, members)};",
        end=" ",
    )
    equal, same = facts["equal rows"], facts["equal rows with J = 1"]
    print(f"equal rows {equal}, of them J = 1: {report.share(same, equal)}")
    if facts["other rows"]:
        print(f"  rows of other kinds: {facts['other rows']}")


def print_possible(truth, found):
    """What bands and stars can reach at all."""
    expected = scores.expected(truth)
    form = lambda share: "-" if share is None else report.share(share, 1)
    rows = [[shape, form(high), form(low), more] for shape, (high, low, more) in expected.items()]
    report.table(["bands x rows, expected", "J >= .9", ".8 <= J < .9", "candidates below .8"], rows)
    stars = scores.ideal(truth, found)
    texts, together = scores.twins(truth, stars)
    clustered = sum(stars.clustered(a, b) for a, b, _ in truth.near)
    print(
        f"  stars about representatives, all candidates known: with a twin clustered {report.share(together, texts)},",
        end=" ",
    )
    print(f"pairs in one cluster {report.share(clustered, len(truth.near))}")
    return expected, [texts, together, len(truth.near), clustered]


def print_labels(labels, found):
    """Members of clusters whose label is their representative's: one licence, or two whose texts are nearly the same."""
    pairs = [(page, head) for page, head in found.representative.items() if head not in (None, page)]
    same = sum(labels.get(found.urls[page]) == labels.get(found.urls[head]) for page, head in pairs)
    print(f"  members with their representative's label: {report.share(same, len(pairs))} of {len(pairs)}")
    return [len(pairs), same]


def print_edits(planted, truth, found, answers):
    counts = {who: scores.edits(truth, found, answer, planted, distance) for who, answer in answers.items()}
    kept, lost = counts["webmill"]
    report.edits_table(kept, {who: count for who, (count, _) in counts.items()})
    print(f"  {lost} of {len(planted)} copies differ otherwise after extraction and are left out")
    return {who: count for who, (count, _) in counts.items()}


def print_simulated(lines, truth, found, answer):
    """By kind of plant: pages whose original has text too, linked or clustered with it."""
    number = {url: page for page, url in enumerate(found.urls)}
    counts = {}
    for line in lines:
        source = line["mirror_of"] or line["of"]
        pages = number.get(line["url"]), number.get(source)
        if not source or None in pages:
            continue
        a, b = (truth.text_of[page] for page in pages)
        if min(truth.lengths[a], truth.lengths[b]) < scores.MIN_WORDS:
            continue
        kind = "mirror" if line["mirror_of"] else line["kind"]
        near = a == b or truth.sets.resemblance([a], [b])[0] >= scores.BOUND
        own = [found.cluster.get(page) for page in pages]
        together = own[0] is not None and own[0] == own[1]
        count = counts.setdefault((kind, "J >= .8" if near else "J < .8"), [0, 0, 0])
        count[0] += 1
        count[1] += together or (a != b and answer.linked(a, b))
        count[2] += together
    rows = [
        [f"{kind}, {near}", n, report.share(f, n), report.share(c, n)]
        for (kind, near), (n, f, c) in sorted(counts.items())
    ]
    report.table(["planted", "pages", "linked", "clustered"], rows)
    return {f"{kind}, {near}": count for (kind, near), count in counts.items()}
