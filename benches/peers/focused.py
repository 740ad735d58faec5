#!/usr/bin/env python3
"""Focused crawling of WebKB: from the department pages of a university find its course or faculty pages with the topic learnt on others.

    cargo build --release --example focused
    benches/peers/focused.py WEBKB [--universities cornell,texas] [--classes course,faculty] [--webmill target/release/webmill]

WEBKB is the folder CLASS/UNIVERSITY/FILE of CMU's 8,282 pages of 1997, whose names are URLs (`^` stands for `/`). Pages are packed into one
WARC, read by `webmill extract`, and for each held-out university `examples/focused.rs` runs with examples of the other
three. Besides, peers that are implemented here alone: OPIC (Abiteboul et al. 2003), order by PageRank of the whole graph (an oracle of
links, not of topics), Shark search (Hersovici et al. 1998) with the words of the topic, and two oracles: `next` knows of each link at hand
whether its target is relevant (else first in, first out), `near` how many links each page is from the nearest relevant one. Prints the area under the recall curve of each,
its ratio to breadth-first, and the bound of that ratio: all that can be reached fetched before anything else.
"""
import argparse, collections, json, math, os, pathlib, re, subprocess, sys, tempfile

UNIVERSITIES = ["cornell", "texas", "washington", "wisconsin"]
SEEDS = {
    "cornell": "http://www.cs.cornell.edu/",
    "texas": "http://www.cs.utexas.edu/",
    "washington": "http://www.cs.washington.edu/",
    "wisconsin": "http://www.cs.wisc.edu/",
}


def pages(folder):
    for path in sorted(pathlib.Path(folder).glob("*/*/*")):
        # Characters that file systems refuse are kept as private ones, 0xF000 higher.
        name = "".join(chr(ord(c) - 0xF000) if 0xF000 <= ord(c) < 0xF100 else c for c in path.name)
        url = re.sub(r"^http_?:?\^\^", "http://", name).replace("^", "/")
        yield path.parent.parent.name, path.parent.name, url, path.read_bytes()


def pack(folder, work):
    files = {}
    for number, (_, university, url, body) in enumerate(pages(folder)):
        out = files.get(university) or files.setdefault(university, open(work / f"{university}.warc", "wb"))
        head, _, rest = body.replace(b"\r\n", b"\n").partition(b"\n\n")
        lines = [line for line in head.split(b"\n") if re.match(rb"[A-Za-z-]+:", line)]
        drop = (b"content-length", b"transfer", b"content-encoding")
        answer = b"HTTP/1.0 200 OK\r\n"
        answer += b"".join(line + b"\r\n" for line in lines if not line.lower().startswith(drop)) + b"\r\n" + rest
        record = (
            f"WARC/1.0\r\nWARC-Type: response\r\nWARC-Record-ID: <urn:uuid:00000000-0000-4000-8000-{number:012d}>\r\n"
            f"WARC-Date: 1997-01-01T00:00:00Z\r\nWARC-Target-URI: {url}\r\n"
            f"Content-Type: application/http;msgtype=response\r\nContent-Length: {len(answer)}\r\n\r\n"
        ).encode() + answer + b"\r\n\r\n"
        out.write(record)
    for out in files.values():
        out.close()


def extract(args, work, name, universities):
    results = work / name
    if not (results / "extract" / "latest").exists():
        shards = [str(work / f"{university}.warc") for university in universities]
        subprocess.run([args.webmill, "extract", *shards, "--out", str(results)], check=True, capture_output=True)
    return results


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("webkb")
    parser.add_argument("--universities", default=",".join(UNIVERSITIES), help="held out, one after the other")
    parser.add_argument("--train", default=",".join(UNIVERSITIES), help="universities of the examples, but for the one held out")
    parser.add_argument("--classes", default="course,faculty")
    parser.add_argument("--webmill", default="target/release/webmill")
    parser.add_argument("--work", default="target/focused-webkb")
    parser.add_argument("--topic-extra", default="", help="lines added to each topic file")
    parser.add_argument("--replay", default="target/release/examples/focused")
    parser.add_argument("--peers", action="store_true", help="run the peers too (needs polars)")
    args = parser.parse_args()
    work = pathlib.Path(args.work)
    work.mkdir(parents=True, exist_ok=True)
    if not (work / "wisconsin.warc").exists():
        pack(args.webkb, work)
    of = collections.defaultdict(list)
    for kind, university, url, _ in pages(args.webkb):
        of[kind, university].append(url)
    sums = collections.defaultdict(list)
    for kind in args.classes.split(","):
        for university in args.universities.split(","):
            train = [u for u in args.train.split(",") if u != university]
            name = f"{kind}-{university}"
            stored = extract(args, work, f"web-{university}", [university])
            known = extract(args, work, "learn-" + "-".join(train), train)
            examples = work / f"{name}-examples.txt"
            examples.write_text("\n".join(url for u in train for url in of[kind, u]) + "\n")
            truth = work / f"{name}-truth.txt"
            truth.write_text("\n".join(of[kind, university]) + "\n")
            topic = work / f"{name}.toml"
            topic.write_text(
                f"kind = 'examples'\n{args.topic_extra}\n[examples]\nresults = '{known.name}'\nurls_file = '{examples.name}'\n"
            )
            seeds = work / f"{university}-seeds.txt"
            seeds.write_text("\n".join(of["department", university]) + "\n")
            command = [args.replay, str(stored), str(topic), str(seeds), str(truth)]
            ran = subprocess.run(command, capture_output=True, text=True)
            if ran.returncode:
                sys.exit(ran.stderr)
            rows = [line.split("\t") for line in ran.stdout.splitlines()[1:]]
            area = {row[0]: float(row[5]) for row in rows}
            # All relevant pages that links lead to, first of all.
            found, longest, all_of_them = int(rows[0][2]), max(int(row[1]) for row in rows), float(rows[0][2]) / max(1e-9, float(rows[0][4]))
            bound = found * (longest - (found - 1) / 2) / (all_of_them * longest)
            if args.peers:
                area.update(peers(work, stored, known, examples, truth, seeds, max(int(row[1]) for row in rows)))
            print(name, " ".join(f"{k}={v:.4f}" for k, v in area.items()), f"ratio={area['focused'] / area['breadth']:.3f} bound={bound / area['breadth']:.3f}",
                  "harvested", rows[0][1], rows[0][2], flush=True)
            for k, v in area.items():
                sums[kind, k].append(v / area["breadth"])
    for (kind, strategy), ratios in sums.items():
        print(f"{kind}\t{strategy}\tmean ratio to breadth {sum(ratios) / len(ratios):.3f}\tof {['%.2f' % r for r in ratios]}")


def peers(work, stored, known, examples, truth, seeds, longest):
    """Areas of OPIC, order by PageRank, and Shark search."""
    import polars as pl

    canon = lambda url: re.sub(r"^http://([^/]*)/*", lambda m: "http://" + m[1].lower() + "/", url)
    read = lambda results, table: pl.read_parquet(f"{results}/extract/latest/{table}/*.parquet")
    urls = read(stored, "pages").filter("is_current")["url"].to_list()
    texts = dict(read(stored, "texts").filter("is_current").select("url", "text").iter_rows())
    links = collections.defaultdict(list)
    here = set(urls)
    for source, target, anchor, before, after in (
        read(stored, "links").select("source_url", "target_url", "anchor", "before", "after").iter_rows()
    ):
        if source in here and target in here:
            links[source].append((target, anchor, before + " " + after))
    relevant = {canon(line) for line in truth.read_text().split()} & {canon(url) for url in here}
    start = [url for url in urls if canon(url) in {canon(line) for line in seeds.read_text().split()}]

    def area(order):
        found = total = 0
        for n in range(longest):
            found += n < len(order) and canon(order[n]) in relevant
            total += found
        return total / max(1, len(relevant)) / longest

    def best(score_of):
        """Greedy by a score that may change; `score_of(url, parent, link)` is told each link."""
        waiting, done, order = {url: 1e9 for url in start}, set(), []
        while waiting:
            url = max(waiting, key=lambda u: (waiting[u], u))
            waiting.pop(url)
            done.add(url)
            order.append(url)
            score_of(url, waiting, done)
        return order

    cash = collections.defaultdict(lambda: 1.0 / len(urls))

    def opic(url, waiting, done):
        out = {target for target, _, _ in links[url]}
        for target in out:
            cash[target] += cash[url] / len(out)
            if target not in done:
                waiting[target] = cash[target]
        cash[url] = 0.0

    rank = {url: 1.0 / len(urls) for url in urls}
    for _ in range(50):
        new = {url: 0.15 / len(urls) for url in urls}
        lost = 0.0
        for url in urls:
            out = links[url]
            if not out:
                lost += rank[url]
            for target, _, _ in out:
                new[target] += 0.85 * rank[url] / len(out)
        rank = {url: value + 0.85 * lost / len(urls) for url, value in new.items()}

    def by_rank(url, waiting, done):
        for target, _, _ in links[url]:
            if target not in done:
                waiting[target] = rank[target]

    # The topic of Shark search: tf-idf centroid of the examples, as its authors' query.
    words = lambda text: re.findall(r"[a-z]{2,}", text.lower())
    known_texts = dict(read(known, "texts").filter("is_current").select("url", "text").iter_rows())
    df = collections.Counter(word for text in known_texts.values() for word in set(words(text)))
    idf = {word: math.log(1 + len(known_texts) / n) for word, n in df.items()}

    def vector(text):
        counted = collections.Counter(words(text))
        found = {word: (1 + math.log(n)) * idf.get(word, 0.0) for word, n in counted.items()}
        length = math.sqrt(sum(value * value for value in found.values())) or 1.0
        return {word: value / length for word, value in found.items()}

    wanted = {canon(line) for line in examples.read_text().split()}
    topic = collections.Counter()
    for url, text in known_texts.items():
        if canon(url) in wanted:
            topic.update(vector(text))
    length = math.sqrt(sum(value * value for value in topic.values())) or 1.0
    alike = lambda text: sum(value * topic.get(word, 0.0) for word, value in vector(text).items()) / length
    inherited = collections.defaultdict(lambda: 1.0)

    def shark(url, waiting, done):
        own = alike(texts.get(url) or "")
        hand = 0.5 * (own if own > 0 else inherited[url])
        for target, anchor, context in links[url]:
            if target in done:
                continue
            of_anchor = alike(anchor)
            of_context = 1.0 if of_anchor > 0 else alike(context)
            score = 0.5 * hand + 0.5 * (0.8 * of_anchor + 0.2 * of_context)
            if score > waiting.get(target, -1.0):
                waiting[target] = score
                inherited[target] = hand

    # Links to the nearest relevant page.
    into = collections.defaultdict(set)
    for source, out in links.items():
        for target, _, _ in out:
            into[target].add(source)
    far = {url: 0 for url in urls if canon(url) in relevant}
    queue = list(far)
    for url in queue:
        for source in sorted(into[url]):
            if source not in far:
                far[source] = far[url] + 1
                queue.append(source)

    def oracle(most):
        def tell(url, waiting, done):
            for target, _, _ in links[url]:
                if target not in done and target not in waiting:
                    waiting[target] = -(min(far.get(target, 99), most) + len(waiting_since) * 1e-6)
                    waiting_since.append(target)

        waiting_since = []
        return area(best(tell))

    return {
        "opic": area(best(opic)),
        "pagerank": area(best(by_rank)),
        "shark": area(best(shark)),
        "next": oracle(1),
        "near": oracle(99),
    }


if __name__ == "__main__":
    main()
