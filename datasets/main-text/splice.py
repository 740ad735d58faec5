#!/usr/bin/env python3
"""Make copies of marked articles into which parts of other pages are put that are no part of their text.

    splice.py --data DIR --out DIR [--pages N] [--titles FILE] [--brief]

--data holds the unpacked sets. The text of the host page stays its marked text; what is put in (`parts` of the gold) is
threads of comments, lists of links, teasers, boxes (authors, terms, polls), galleries and second articles, which are found
in other pages by repetition. `site` is the host's, `donors` the sites that parts come from: a page may be trained on where
neither is held out. --titles is a file of Chinese headlines, a line each, for lists as portals have them.

With --brief all but three to sixty words of each host's text are taken out first: short posts in the surroundings of long ones.

Hosts, places and parts are drawn by digests of names: the result is the same each time. See SETS.md.
"""

import argparse
import html as entities
import json
import random
import re
import sys
from collections import Counter, defaultdict
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from offsets import ATTRIBUTE, balanced, scan, shown
from sets import Writer, as_utf8, decode, order, text_of, tree_of
from surroundings import blog_page, surroundings

MOST_OF_A_SITE = 20  # short posts
LARGEST = 500_000  # bytes of a page
PART_LARGEST = 60_000  # characters of a part's source
HAN = re.compile(r"[\u3400-\u9fff]")
WORD = re.compile(r"[\u3041-\u30ff\u3400-\u9fff]|[^\W\u3041-\u30ff\u3400-\u9fff]+")
DATE = re.compile(
    r"\b(19|20)\d\d[-/.年]\s?\d{1,2}|\b\d{1,2}[./:]\d\d\b|\b(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.? \d|"
    r"\b\d+ (minute|hour|day|week|month|year)s? ago|\d+\s?(分钟|小时|天|月|年)前", re.I)
THREAD = re.compile(r"comment(?!ed)|\brepl(y|ies)\b|disqus|thread|responses|留言|评论|kommentar", re.I)
BOX = re.compile(r"author|bio\b|about-|terms|disclaim|newsletter|subscri|poll|vote|copyright|legal|donat|promo|signup|banner-text|profile", re.I)
HINTS = re.compile(
    r"<script\b[^>]*ld\+json[^>]*>.*?</script\s*>|<meta\b[^>]*(?:og:|article:|twitter:|dc\.|parsely|sailthru|itemprop)[^>]*>|<link\b[^>]*canonical[^>]*>",
    re.I | re.S)
TROUBLE = re.compile(r"<(script|style|iframe|noscript|object|video|audio|svg|template|form|textarea|select)\b.*?</\1\s*>|<!--.*?-->|<(?:input|link|meta|embed|base)\b[^>]*>|</?form\b[^>]*>", re.I | re.S)
NAMES = re.compile(r"""\s(class|id|itemprop|itemtype|itemscope|role|rel|data-[\w-]+|aria-[\w-]+|style|on\w+)(\s*=\s*("[^"]*"|'[^']*'|[^\s"'>]+))?(?=[\s/>])""", re.I)
EVENTS = re.compile(r"""\s(itemprop|itemtype|itemscope|on\w+)(\s*=\s*("[^"]*"|'[^']*'|[^\s"'>]+))?(?=[\s/>])""", re.I)
# What may hold a part; in others it would be moved by a parser.
HOLDERS = {"div", "td", "article", "section", "main", "body", "aside", "center"}

LABELS = {
    ("thread", "zh"): ["网友评论", "最新评论", "评论（{n}）", "发表评论", "{n} 条评论", "热门跟帖", "已有{n}人参与讨论", ""],
    ("links", "zh"): ["相关新闻", "热点排行", "相关阅读", "推荐阅读", "热门文章", "更多精彩", "点击排行榜", "24小时热点", "图片新闻", "延伸阅读", "猜你喜欢", ""],
    ("teasers", "zh"): ["推荐阅读", "编辑推荐", "精彩推荐", "频道推荐", ""],
    ("box", "zh"): ["免责声明", "关于作者", ""],
    ("gallery", "zh"): ["精彩图片", "图库", ""],
    ("second", "zh"): ["下一篇", ""],
    ("thread", ""): ["Comments", "{n} Comments", "{n} responses", "Reader comments", "Join the discussion", "What our readers say", "Have your say", "{n} thoughts", ""],
    ("links", ""): ["Related stories", "Most read", "More from this section", "You may also like", "Read more", "Recent posts", "Popular", "Elsewhere", "Archives", ""],
    ("teasers", ""): ["More stories", "Recommended", "Don't miss", "Top news", "From around the web", "Latest", ""],
    ("box", ""): ["About the author", "Terms of use", "", ""],
    ("gallery", ""): ["In pictures", "Photos", "Gallery", ""],
    ("second", ""): ["Next article", "Up next", "More news", ""],
}


@dataclass
class Marked:
    """A page of a set, with its marked text where it has one."""

    set: str
    id: str
    file: Path
    site: str
    lang: str = "en"
    text: str | None = None
    url: str | None = None
    title: str | None = None
    author: str | None = None
    date: str | None = None
    comments: str | None = None
    type: str = "article"
    licence: str | None = None
    encoding: str | None = None


@dataclass
class Part:
    kind: str
    lang: str
    source: str
    site: str
    set: str
    words: int


# --- Reading ---------------------------------------------------------------------------------------------------------


def site_of(url):
    """As train.py has it."""
    host = (urlsplit(url).hostname or "?").split(".")
    below_country = len(host) >= 3 and len(host[-1]) == 2 and len(host[-2]) <= 3
    return ".".join(host[-3 if below_country else -2 :])


def read_marked(folder):
    name = folder.name
    for line in open(folder / "gold.jsonl", encoding="utf-8"):
        i = json.loads(line)
        site = i.get("site") or (site_of(i["url"]) if i.get("url") else None)
        if not site and name == "misinfo-crawler":
            site = i["id"].split("-")[0]
        yield Marked(name, i["id"], folder / "html" / f"{i['id']}.html", site or name, i.get("lang") or "", i.get("text"), i.get("url"),
                     i.get("title"), i.get("author"), i.get("date"), i.get("comments"), licence=i.get("licence"), encoding=i.get("encoding"))


def read_wcxb(folder):
    for path in sorted((folder / "gold").glob("*.json")):
        i = json.loads(path.read_text(encoding="utf-8"))
        kind = (i.get("_internal") or {}).get("page_type") or "article"
        kind = (kind.get("primary") or "article") if isinstance(kind, dict) else kind
        truth = i.get("ground_truth") or {}
        yield Marked("text-wcxb-dev", path.stem, folder / "html" / f"{path.stem}.html", site_of(i["url"]) if i.get("url") else path.stem, "", truth.get("main_content"), i.get("url"),
                     truth.get("title"), type="collection" if kind == "category" else kind, licence="CC-BY-4.0")


def read_aeb(folder):
    for key, i in sorted(json.loads((folder / "ground-truth.json").read_text(encoding="utf-8")).items()):
        yield Marked("text-aeb", key, folder / f"{key}.html", site_of(i["url"]) if i.get("url") else key, "", i.get("articleBody"), i.get("url"), licence="MIT")


def read_trafilatura(folder):
    for url, i in sorted(json.loads((folder / "evaldata.json").read_text(encoding="utf-8")).items()):
        file = next((f for f in (folder / "cache" / i["file"], folder / "eval" / i["file"]) if f.is_file()), None)
        if file:
            yield Marked("text-trafilatura", i["file"], file, site_of(url), url=url)


def source_of(page):
    """The decoded source; None if it is too large or missing."""
    if not page.file.is_file() or page.file.stat().st_size > LARGEST:
        return None
    return decode(page.file.read_bytes(), page.encoding if page.encoding != "utf-8" else None)


STOP = {
    "en": "the and of to in that is for with on was are this have you".split(),
    "de": "der die und das ist nicht von mit den ein eine auch auf für im".split(),
    "fr": "le la les des et est une dans pour que qui sur pas du au".split(),
    "es": "el la los las que en una por con para del se como más es".split(),
    "ru": "и в не на что с по как это из он для от я мы".split(),
}


def language(text):
    """zh, ja, ko, by frequent words one of STOP, or "" where none is told."""
    letters = len(WORD.findall(text)) + 1
    if len(re.findall(r"[\u3041-\u30ff]", text)) > 0.1 * letters:
        return "ja"
    if len(HAN.findall(text)) > 0.3 * letters:
        return "zh"
    if len(re.findall(r"[\uac00-\ud7a3]", text)) > 0.3 * letters:
        return "ko"
    words = Counter(w.lower() for w in WORD.findall(text))
    best, hits = max(((lang, sum(words[w] for w in some)) for lang, some in STOP.items()), key=lambda b: b[1])
    return best if hits > 0.06 * letters else ""


def squeeze(text):
    return re.sub(r"\s+", "", text)


# --- Parts of other pages --------------------------------------------------------------------------------------------


def clean(source):
    """A part's source without scripts, forms, comments and what structured data it has."""
    source = TROUBLE.sub(" ", source)
    return re.sub(r"<[^!/][^>]*>", lambda m: EVENTS.sub("", m[0]), source)


def part_kind(page, element, texts, group, posts):
    """What a repeated part is, or None; `posts` says that the page is a forum."""
    text = " ".join(t for t, _ in texts)
    words = len(WORD.findall(text))
    linked = sum(len(WORD.findall(t)) for t, link in texts if link) / max(words, 1)
    each = words / len(group)
    images = page.source.count("<img", element.start, element.end)
    dates = len(DATE.findall(text))
    named = THREAD.search(element.names) or THREAD.search(group[0].names)
    if linked >= 0.6 and each <= 30 and 15 <= words <= 700:
        return "gallery" if images >= len(group) and each <= 12 else "links"
    if images >= len(group) and each <= 25 and words >= 12:
        return "gallery"
    if linked < 0.35 and each >= 8 and words >= 60 and (named or posts and dates >= 0.6 * len(group)):
        return "thread"
    if 0.1 <= linked < 0.6 and 10 <= each <= 90 and words >= 50:
        return "teasers"
    return None


def parts_of(page, source):
    """The parts that a page has to give: outermost repetitions that are not its marked text, and boxes by their names."""
    scanned = scan(source)
    gold = "" if page.type == "forum" else squeeze(page.text or "")  # posts of a forum are what is wanted of it
    found, taken, got = [], [], Counter()
    for element in scanned.elements:
        size = element.end - element.start
        if not element.closed or size < 150 or size > PART_LARGEST or any(a <= element.start < b for a, b in taken):
            continue
        if element.tag not in ("div", "ul", "ol", "section", "aside", "td", "table", "dl", "tbody", "article", "p"):
            continue
        kinds = Counter(c.kind for c in element.children if c.tag not in ("br", "script", "style", "hr", "img", "a", "b", "span", "p", "h2", "h3"))
        top = kinds.most_common(1)
        group = [c for c in element.children if top and c.kind == top[0][0]]
        repeated = len(group) >= 4
        box = element.tag in ("div", "section", "aside", "p") and BOX.search(element.names)
        if not repeated and not box:
            continue
        texts = shown(scanned, element.start, element.end)
        text = " ".join(t for t, _ in texts)
        if gold:
            inside = sum(len(squeeze(t)) for t, _ in texts if len(squeeze(t)) > 12 and squeeze(t) in gold)
            if inside > 0.05 * len(squeeze(text)):
                continue
        kind = part_kind(scanned, element, texts, group, page.type == "forum") if repeated else None
        words = len(WORD.findall(text))
        if kind is None and box and 15 <= words <= 160 and size < 8000:
            kind = "box"
        if kind is None or got[kind] >= 3:
            continue
        inner = source[element.start : element.end]
        if element.tag in ("td", "tbody"):
            inner = f"<div>{source[element.inner : element.inner_end]}</div>" if element.tag == "td" else f"<table>{inner}</table>"
        inner = clean(inner)
        if not balanced(inner) or len(WORD.findall(re.sub("<[^>]*>", " ", inner))) < 0.5 * words:
            continue
        got[kind] += 1
        taken.append((element.start, element.end))
        found.append(Part(kind, page.lang if page.lang in ("zh", "ja", "ko") else language(text), inner, page.site, page.set, words))
    return found


def thread_of(page, source):
    """The smallest element that holds the comments that the set marks."""
    wanted = squeeze(page.comments)
    if len(wanted) < 150:
        return None
    scanned = scan(source)
    at = [(a, b) for a, b, _, _ in scanned.texts if len(squeeze(entities.unescape(source[a:b]))) > 15 and squeeze(entities.unescape(source[a:b])) in wanted]
    if len(at) < 4:
        return None
    low, high = at[0][0], at[-1][1]
    fits = [e for e in scanned.elements if e.closed and e.start <= low and high <= e.end and e.tag in ("div", "ul", "ol", "section", "article", "table", "dl")]
    fits = sorted(fits, key=lambda e: e.end - e.start)
    for element in fits[:1]:
        text = squeeze(" ".join(t for t, _ in shown(scanned, element.start, element.end)))
        inner = clean(source[element.start : element.end])
        if len(inner) <= 3 * PART_LARGEST and len(wanted) > 0.7 * len(text) and balanced(inner):
            return Part("thread", language(page.comments), inner, page.site, page.set, len(WORD.findall(page.comments)))
    return None


def second_of(page, rng):
    """The beginning of a marked article, as another page would show it below."""
    lines = [line for line in page.text.split("\n") if len(WORD.findall(line)) >= 12][: rng.choice((1, 2, 3, 5))]
    title = page.title or ""
    if not lines or len(title) < 8:
        return None
    level = rng.choice(("h1", "h2", "h2", "h3", "b"))
    link = rng.random() < 0.5
    head = f"<{level}>{'<a href=%s>' % chr(34) + 'next.html' + chr(34) + '>' if False else ''}{entities.escape(title)}</{level}>"
    if link:
        head = f'<{level}><a href="/{abs(hash_of(title)) % 99999}.html">{entities.escape(title)}</a></{level}>'
    tag = rng.choice(("p", "p", "div"))
    body = "".join(f"<{tag}>{entities.escape(line)}</{tag}>\n" for line in lines)
    more = rng.choice(("", '<p><a href="more.html">Read more</a></p>' if page.lang != "zh" else '<p><a href="more.html">阅读全文</a></p>'))
    return Part("second", language(page.text), f"<div>{head}\n{body}{more}</div>", page.site, page.set, 0)


def hash_of(text):
    return int.from_bytes(order(text)[:6], "big")


def portal_list(titles, rng):
    """A list of headlines as Chinese portals have it, in one of many layouts."""
    rows = rng.sample(titles, rng.randint(5, 24))
    links = [f'<a href="/{rng.randint(2004, 2013)}-{rng.randint(1, 12):02}/{rng.randint(1, 28):02}/content_{rng.randint(10**5, 10**7)}.htm" target="_blank">{entities.escape(t)}</a>' for t in rows]
    day = lambda: f"{rng.randint(2004, 2013)}-{rng.randint(1, 12):02}-{rng.randint(1, 28):02}"
    layout = rng.randrange(10)
    if layout == 0:
        return "<ul>" + "".join(f"<li>{a}</li>" for a in links) + "</ul>"
    if layout == 1:
        return "<ul>" + "".join(f"<li>·{a}<span>({day()[5:]} {rng.randint(0, 23):02}:{rng.randint(0, 59):02})</span></li>" for a in links) + "</ul>"
    if layout == 2:
        return "<table width='100%'>" + "".join(f"<tr><td width='20'>{n}</td><td>{a}</td><td align='right'>{rng.randint(100, 99999)}</td></tr>" for n, a in enumerate(links, 1)) + "</table>"
    if layout == 3:
        return "<ol>" + "".join(f"<li><em>{n}</em>{a}<i>{rng.randint(10, 9999)}次</i></li>" for n, a in enumerate(links, 1)) + "</ol>"
    if layout == 4:
        return "<div>" + "".join(f"· {a}<br>\n" for a in links) + "</div>"
    if layout == 5:
        return "<div>" + "".join(f"<p>[{rng.choice(('国内', '国际', '社会', '财经', '体育', '娱乐', '科技', '军事', '图文'))}] {a} {day()}</p>" for a in links) + "</div>"
    if layout == 6:
        return "<dl>" + "".join(f"<dt>{a}</dt><dd>{day()} 来源：{rng.choice(('新华网', '中新网', '人民网', '新京报', '本站', '互联网'))}</dd>" for a in links[:8]) + "</dl>"
    if layout == 7:
        return "<div>" + "".join(f"<div><img src='/p/{n}.jpg' width=120 height=90 alt=''><br>{a}</div>" for n, a in enumerate(links[:9])) + "</div>"
    if layout == 8:
        return "<div>" + " | ".join(links) + "</div>"
    half = len(links) // 2
    cell = lambda some: "<td valign='top'>" + "".join(f"<li>{a}</li>" for a in some) + "</td>"
    return f"<table><tr>{cell(links[:half])}{cell(links[half:])}</tr></table>"


POLLS = {
    "zh": (["您对这条新闻的感受", "你怎么看这件事", "本期调查：您是否支持这一做法"], ["感动", "愤怒", "搞笑", "无聊", "新奇", "难过", "高兴", "路过", "支持", "反对", "说不清"], "共有{n}人参与投票", "提交"),
    "": (["What do you think?", "Poll: do you agree?", "How likely are you to share this?", "Rate this article"], ["Yes", "No", "Not sure", "Strongly agree", "Agree", "Disagree", "I don't care", "Maybe later"], "{n} votes", "Vote"),
}


ZH_TAILS = [
    "特别声明：以上内容仅代表作者本人的观点，不代表本站立场，本站仅提供信息发布平台。",
    "免责声明：本文来自合作媒体，版权归原作者所有，如有侵权请在三十日内与本站联系。",
    "（本文来源：{source}；责任编辑：{name}）",
    "来源：{source}　作者：{name}　编辑：{name}",
    "稿源：{source}　责任编辑：{name}　[打印本页] [关闭窗口]",
    "更多精彩内容，请关注{source}官方微信公众号，扫描下方二维码即可订阅。",
    "声明：转载此文是出于传递更多信息之目的，若有来源标注错误，请与我们联系更正。",
    "凡本网注明“来源：{source}”的作品，未经授权不得转载、摘编，违者将依法追究责任。",
    "相关专题：{title}",
    "上一篇：{title}<br>下一篇：{title}",
    "关键词：{name}　{source}　　浏览次数：1024",
]


def zh_tail(titles, rng):
    """What stands below a Chinese article, in its element: a declaration, where it is from, neighbours."""
    def fill(line):
        while "{" in line:
            line = line.replace("{source}", rng.choice(("新京报", "某某日报", "本站综合", "城市晚报", "互联网", "江河网")), 1)
            line = line.replace("{name}", rng.choice("王李张刘陈杨赵") + rng.choice("小明建国丽娟志强文静"), 1)
            line = line.replace("{title}", f'<a href="/{rng.randint(1, 99999)}.html">{entities.escape(rng.choice(titles))}</a>', 1)
        return line
    lines = [fill(line) for line in rng.sample(ZH_TAILS, rng.randint(1, 3))]
    tag = rng.choice(("p", "div", "span"))
    return "\n".join(f"<{tag}>{line}</{tag}>" + ("<br>" if tag == "span" else "") for line in lines)


def slideshow(titles, rng):
    """Pictures that show one after the other, each with a line, as portals put them into an article."""
    some = rng.sample(titles, rng.randint(4, 10))
    items = "".join(f'<li><a href="/photo/{n}.html"><img src="/t{n}.jpg" alt=""></a><h3><a href="/photo/{n}.html">{entities.escape(t)}</a></h3></li>' for n, t in enumerate(some))
    return f'<div><span>1/{len(some)}</span> <a href="#">{rng.choice(("上一张", "‹"))}</a> <a href="#">{rng.choice(("下一张", "›"))}</a> {rng.choice(("支持← →键翻阅图片", "查看原图", "全屏观看", "列表查看"))}<ul>{items}</ul></div>'


def poll(lang, rng):
    questions, answers, total, button = POLLS[lang]
    rows = rng.sample(answers, rng.randint(3, 6))
    shares = "".join(f"<li>{a} <b>{rng.randint(1, 60)}%</b> ({rng.randint(3, 900)})</li>" for a in rows)
    return f"<div><h3>{rng.choice(questions)}</h3><ul>{shares}</ul><p>{total.format(n=rng.randint(50, 9000))} <a href='#'>{button}</a></p></div>"


# --- Hosts -----------------------------------------------------------------------------------------------------------


@dataclass
class Host:
    page: Marked
    source: str
    gold: list  # text nodes of the marked text
    holder: object  # the deepest element that holds nearly all of it
    steps: list  # its children that hold some of it


def host_of(page, source):
    """Where the marked text stands; None if that cannot be found."""
    scanned = scan(source)
    gold = squeeze(page.text)
    nodes = []
    for a, b, element, _ in scanned.texts:
        text = squeeze(entities.unescape(source[a:b]))
        if len(text) >= (6 if page.lang in ("zh", "ja") else 15) and text in gold:
            nodes.append((a, b, element, len(text)))
    total = sum(n[3] for n in nodes)
    if len(nodes) < 2 or total < 0.6 * len(gold):
        return None
    within = defaultdict(int)
    for _, _, element, size in nodes:
        while element is not None:
            within[id(element)] += size
            element = element.up
    fits = [e for e in scanned.elements if within[id(e)] >= 0.9 * total and e.tag in HOLDERS and e.end > 0]
    if not fits:
        return None
    holder = max(fits, key=lambda e: e.start)
    inside = [n for n in nodes if holder.start <= n[0] < holder.end]
    steps = [c for c in holder.children if any(c.start <= n[0] < c.end for n in inside)]
    if not steps:
        return None
    return Host(page, source, inside, holder, steps)


def shorten(host, rng):
    """The host with the first paragraphs of its text alone, or None."""
    whole = [s for s in host.steps if s.closed]
    if len(whole) < 4 or len(whole) != len(host.steps):
        return None
    keep = rng.randint(1, 3)
    cut, end = whole[keep - 1].end, whole[-1].end
    before = squeeze("".join(entities.unescape(host.source[a:b]) for a, b, _, _ in scan(host.source[:cut]).texts))
    lines = [line for line in host.page.text.split("\n") if squeeze(line) and squeeze(line) in before]
    text = "\n".join(lines)
    if not 40 <= len(WORD.findall(text)) <= 250 or not any(len(WORD.findall(line)) >= 15 for line in lines) or not balanced(host.source[cut:end]):
        return None
    page = Marked(**{**host.page.__dict__, "text": text})
    return host_of(page, host.source[:cut] + host.source[end:])


SENTENCE = re.compile(r"[^.!?。！？…]+[.!?。！？…]+[”\"’')]*\s*")


CODE = re.compile(r"[{}=;_#<>/\\|@]|https?|\(\)")


def short_text(text, rng):
    """(three to sixty words from the beginning of one of the first lines of a text, its longer lines), or (None, lines)."""
    most = rng.choice((round(3 * 20 ** rng.random()), rng.randint(10, 60)))
    lines = [line for line in text.split("\n") if len(WORD.findall(line)) >= 8]
    for line in lines[:6]:
        short = ""
        for sentence in SENTENCE.findall(line):
            if len(WORD.findall(short + sentence)) > max(most, 8):
                break
            short += sentence
        if 3 <= len(WORD.findall(short)) <= 60 and len(squeeze(short)) >= 8 and not CODE.search(short):
            return short.strip(), lines
    return None, lines


def made_blogs(hosts, rng_of, count):
    """(source, page) of whole pages of made blogs around the beginnings of marked texts."""
    done = Counter()
    for page in sorted(hosts, key=lambda p: order(f"blog {p.set}/{p.id}")):
        rng = rng_of(page)
        text, _ = short_text(page.text or "", rng)
        same = [p for p in hosts if p.lang == page.lang and p.site != page.site]
        if text is None or not page.title or done[page.site] >= MOST_OF_A_SITE // 2 or sum(done.values()) >= count or len(same) < 40:
            continue
        near = rng.sample(same, 40)
        said = [line for p in near for line in (p.comments or "").split("\n") if 4 <= len(WORD.findall(line)) <= 60]
        titles = [p.title for p in near if p.title]
        if len(titles) < 8:
            continue
        done[page.site] += 1
        title = re.split(r"\s[|–—»-]\s", page.title)[0]
        lang = {"en": "en", "de": "de", "zh": "zh", "ja": "ja"}.get(page.lang or language(page.text), "en")
        yield blog_page(lang, title, text, titles, said, rng), page, text


def brief(host, rng):
    """The host with one short paragraph of its text alone, often beside a picture, or None."""
    steps = host.steps
    if not all(s.closed for s in steps) or not balanced(host.source[steps[0].start : steps[-1].end]):
        return None
    text, lines = short_text(host.page.text, rng)
    if text is None:
        return None
    # Nothing else of the text may stand elsewhere: in a summary over it, in another element.
    rest = host.source[: steps[0].start] + host.source[steps[-1].end :]
    left = squeeze("".join(t for t, _ in shown(scan(rest))))
    if any(squeeze(part)[:24] in left for line in lines for part in SENTENCE.findall(line) if len(squeeze(part)) >= 24):
        return None
    inner = entities.escape(text, quote=False)
    if rng.random() < 0.25 and " " in text:
        words = inner.split(" ")
        at = rng.randrange(len(words))
        words[at] = f'<a href="http://www.example.org/{at}">{words[at]}</a>'
        inner = " ".join(words)
    picture = '<img src="picture.jpg" alt="">'
    form = rng.choice(("<p>{}</p>", "<p>{}</p>", "<div>{}</div>", "<p>" + picture + "</p><p>{}</p>", picture + "<br>{}<br>", "<p>{}<br>" + picture + "</p>"))
    source = host.source[: steps[0].start] + form.format(inner) + host.source[steps[-1].end :]
    source = re.sub(r"<meta\b[^>]*description[^>]*>", "", HINTS.sub("", source), flags=re.I)
    scanned = scan(source)
    nodes = [t for t in scanned.texts if squeeze(entities.unescape(source[t[0] : t[1]])) and squeeze(entities.unescape(source[t[0] : t[1]])) in squeeze(text)]
    at = source.find(form.format(inner))
    inside = [n for n in nodes if at <= n[0] < at + len(form.format(inner))]
    if not inside:
        return None
    holder = next((e for e in reversed(scanned.elements) if e.start < at and e.end > at + len(form.format(inner)) and e.tag in HOLDERS), None)
    if holder is None:
        return None
    steps = [c for c in holder.children if any(c.start <= n[0] < c.end for n in inside)]
    page = Marked(**{**host.page.__dict__, "text": text})
    return Host(page, source, inside, holder, steps) if steps else None


def places(host, rng):
    """{place: offset} where a part may be put in."""
    holder, out = host.holder, {}
    last = max(host.gold)[1]
    after = [c for c in host.steps if c.closed]
    if after and after[-1] is host.steps[-1] and host.steps[-1].end >= last:
        out["inside"] = host.steps[-1].end
    elif holder.closed:
        out["inside"] = holder.inner_end
    if holder.closed and holder.up is not None and holder.up.tag in HOLDERS:
        out["after"] = holder.end
        out["before"] = holder.start
    up = holder.up
    if holder.closed and up is not None and up.closed and up.up is not None and up.up.tag in HOLDERS:
        out["outside"] = up.end
    if len(host.steps) >= 4 and all(s.closed for s in host.steps):
        out["between"] = rng.choice(host.steps[:-1]).end
    first = min(host.gold)[0]
    if host.steps[0].start <= first:
        out["begin"] = host.steps[0].start
    return out


SPLICE_PLACES = {
    "thread": ["inside", "inside", "after", "after", "outside"],
    "links": ["inside", "inside", "after", "after", "before", "outside", "between", "begin"],
    "teasers": ["inside", "inside", "after", "after", "outside", "before"],
    "box": ["inside", "after", "between", "begin"],
    "poll": ["inside", "after", "between"],
    "gallery": ["inside", "after", "before", "between", "begin"],
    "second": ["inside", "after", "after", "outside"],
    "tail": ["inside", "inside", "inside", "after"],
    "slides": ["begin", "between", "inside", "inside", "before"],
}


def wrap(part, rng, plain):
    """The part under a label, in an element of its own."""
    lang = "zh" if part.lang == "zh" else ""
    label = rng.choice(LABELS.get((part.kind, lang), [""])).format(n=rng.randint(3, 240)) if part.lang in ("zh", "en", "") else ""
    source = part.source
    if plain:
        source = re.sub(r"<[a-zA-Z][^>]*>", lambda m: NAMES.sub("", m[0]), source)
    level = rng.choice(("h2", "h3", "h4", "div", "p", "strong"))
    head = f"<{level}>{label}</{level}>" if label else ""
    if plain or rng.random() < 0.5:
        return f"\n<div>{head}\n{source}\n</div>\n"
    return f'\n<div class="m{rng.randint(1, 99)}">{head}\n{source}\n</div>\n'


def choose(host, pools, titles, rng, short):
    """The parts that a host gets, each with the kind that its place is drawn for."""
    lang = host.page.lang if host.page.lang in ("zh", "ja", "ko") else language(host.page.text)
    kinds = ["thread"] if short else []
    weights = {"thread": 4, "links": 6, "teasers": 4, "box": 2, "poll": 1, "gallery": 2, "second": 2}
    if lang == "zh":
        weights |= {"tail": 6, "slides": 3}
    for _ in range(rng.choice((1, 1, 2, 2, 3))):
        kinds.append(rng.choices(list(weights), list(weights.values()))[0])
    out = []
    for kind in dict.fromkeys(kinds):
        if kind == "poll":
            out.append((kind, Part("poll", "zh" if lang == "zh" else "en", poll("zh" if lang == "zh" else "", rng), "", "", 0)))
            continue
        if kind in ("tail", "slides"):
            if lang == "zh" and titles:
                source = zh_tail(titles, rng) if kind == "tail" else slideshow(titles, rng)
                out.append((kind, Part(kind, "zh", source, "", "thuc-titles", 0)))
            continue
        if kind == "links" and lang == "zh" and titles and rng.random() < 0.7:
            out.append((kind, Part("links", "zh", portal_list(titles, rng), "", "thuc-titles", 0)))
            if rng.random() < 0.4:
                out.append((kind, Part("links", "zh", portal_list(titles, rng), "", "thuc-titles", 0)))
            continue
        # Lists too short to tell their language by go with any but Chinese, Japanese and Korean pages.
        pool = [p for p in pools[(kind, lang)] if p.site != host.page.site]
        if lang not in ("zh", "ja", "ko") and kind in ("links", "gallery", "box") or len(pool) < 3 and lang not in ("zh", "en"):
            pool += [p for p in pools[(kind, "")] if p.site != host.page.site]
        if short and kind == "thread":
            pool = [p for p in pool if p.words >= 150] or pool
        if pool:
            # A site with many parts is no likelier than others.
            site = rng.choice(sorted({p.site for p in pool}))
            out.append((kind, rng.choice([p for p in pool if p.site == site])))
    return out


def made(host, pools, titles, rng, briefly=False):
    """(source, record) of a host with parts put in; None if nothing fits."""
    short = False
    if briefly:
        host, short = brief(host, rng), True
        if host is None:
            return None
    elif rng.random() < 0.3:
        less = shorten(host, rng)
        if less:
            host, short = less, True
    short = short or len(WORD.findall(host.page.text)) < 120
    spots = places(host, rng)
    inserts, record, used = [], [], Counter()
    parts = choose(host, pools, titles, rng, short)
    if briefly:  # their surroundings are what is learnt; every third gets more of them
        parts = [(kind, part) for kind, part in parts if kind in ("thread", "links", "box", "teasers", "tail")] if rng.random() < 0.35 else []
    for kind, part in parts:
        allowed = [p for p in SPLICE_PLACES[kind] if p in spots and not (briefly and p in ("begin", "before"))]
        if len(part.source) > 15_000:
            allowed = [p for p in allowed if p not in ("between", "begin", "before")]
        if not allowed:
            continue
        place = rng.choice(allowed)
        plain = rng.random() < 0.5
        inserts.append((spots[place], len(inserts), wrap(part, rng, plain)))
        record.append({"kind": part.kind, "place": place, "site": part.site, "set": part.set, "plain": plain})
    if briefly and rng.random() < 0.75:
        lang = host.page.lang if host.page.lang in ("zh", "ja") else language(host.page.text) or host.page.lang
        for part, wanted in surroundings(lang, rng):
            place = rng.choice(wanted)
            body = re.search(r"<body[^>]*>", host.source, re.I)
            at = body.end() if place == "top" and body else spots.get(place) or spots.get("after") or spots.get("inside")
            if at is not None:
                inserts.append((at, len(inserts), part))
                record.append({"kind": "made", "place": place, "site": "", "set": "", "plain": "class" not in part})
    if not inserts and not briefly:
        return None
    source = host.source
    for at, _, part in sorted(inserts, key=lambda i: (i[0], i[1]), reverse=True):
        source = source[:at] + part + source[at:]
    hints = rng.random() < 0.5
    if not hints:
        source = HINTS.sub("", source)
    return as_utf8(source), host.page, {"parts": record, "hints": hints, "short": short}


def sound(source, text):
    """Whether the page still shows nearly all lines of its text to a parser."""
    tree = tree_of(source)
    if tree is None:
        return False
    body = squeeze(text_of(tree.find("body") if tree.find("body") is not None else tree, headline=True)[1])
    lines = [squeeze(line) for line in text.split("\n") if len(squeeze(line)) > 5]
    return sum(line in body for line in lines) >= max(0.7 * len(lines), 1)


# --- The set ---------------------------------------------------------------------------------------------------------


def gather(args):
    """(hosts' pages, pools of parts by kind and language)."""
    data = args.data
    marked = {n: list(read_marked(data / "text-marked" / n)) for n in ("fundus", "misinfo-crawler", "zh-blogs", "other-blogs", "en-blogs-comments", "zh-cwced")}
    wcxb = list(read_wcxb(data / "text-wcxb-dev"))
    aeb = list(read_aeb(data / "text-aeb"))
    snippets = list(read_trafilatura(data / "text-trafilatura"))
    pools = defaultdict(list)
    seen = set()
    for page in [p for pages in marked.values() for p in pages] + wcxb + aeb + snippets:
        source = source_of(page)
        if source is None:
            continue
        found = parts_of(page, source)
        if page.comments:
            thread = thread_of(page, source)
            found = [p for p in found if p.kind != "thread" or not thread] + ([thread] if thread else [])
        rng = random.Random(hash_of(f"second {page.set}/{page.id}"))
        if page.text and page.title and page.type == "article":
            other = second_of(page, rng)
            found += [other] if other else []
        for part in found:
            key = (part.site, squeeze(re.sub("<[^>]*>", "", part.source))[:300])
            if key not in seen:
                seen.add(key)
                pools[(part.kind, part.lang)].append(part)
    if args.brief:
        # Of blogs: around articles of papers and companies stand summaries, captions and prose of which it is open whose they are.
        return [p for name in ("en-blogs-comments", "other-blogs", "zh-blogs") for p in 3 * marked[name] if "bbs" not in p.site and "2ch" not in p.site], pools
    hosts = marked["zh-blogs"] * 2 + marked["fundus"] + marked["misinfo-crawler"] + marked["other-blogs"] + aeb + [p for p in wcxb if p.type == "article"]
    return hosts, pools


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, metavar="DIR", help="folder of unpacked sets")
    parser.add_argument("--out", type=Path, required=True, metavar="DIR", help="the set; emptied first")
    parser.add_argument("--pages", type=int, default=1300, metavar="N", help="how many (default: 1300)")
    parser.add_argument("--titles", type=Path, metavar="FILE", help="Chinese headlines, a line each")
    parser.add_argument("--brief", action="store_true", help="leave three to sixty words of each host's text")
    args = parser.parse_args()
    titles = []
    if args.titles:
        titles = sorted({line.split("\t")[0].strip() for line in open(args.titles, encoding="utf-8", errors="replace")} - {""}, key=order)
    hosts, pools = gather(args)
    name = "brief" if args.brief else "splice"
    for key, pool in sorted(pools.items()):
        print(f"{key[0]:8} {key[1] or 'other':6} {len(pool):5} parts of {len({p.site for p in pool}):4} sites", file=sys.stderr)
    times, plans = Counter(), []
    for page in hosts:
        times[(page.set, page.id)] += 1
        plans.append((page, times[(page.set, page.id)]))
    plans.sort(key=lambda p: order(f"{p[0].set}/{p[0].id}/{p[1]}"))
    out, left, counts, n, sites = Writer(args.out), Counter(), Counter(), 0, Counter()
    share = Counter()
    most = {"zh-blogs": 0.3, "text-wcxb-dev": 0.3, "fundus": 0.14, "misinfo-crawler": 0.1, "other-blogs": 0.14, "text-aeb": 0.12}
    for page, time in plans:
        if n >= args.pages:
            break
        if share[page.set] >= most.get(page.set, 0.3) * args.pages or args.brief and sites[page.site] >= MOST_OF_A_SITE:
            continue
        source = source_of(page) if page.text else None
        host = host_of(page, source) if source else None
        if host is None:
            left["no place"] += 1
            continue
        rng = random.Random(hash_of(f"{name} {page.set}/{page.id}/{time}"))
        result = made(host, pools, titles, rng, args.brief)
        if result is None:
            left["no part fits"] += 1
            continue
        source, page, more = result
        if not sound(source, page.text):
            left["text lost"] += 1
            continue
        n += 1
        share[page.set] += 1
        sites[page.site] += 1
        counts.update(p["kind"] for p in more["parts"])
        donors = sorted({p["site"] for p in more["parts"] if p["site"]})
        sets = sorted({p["set"] for p in more["parts"] if p["set"]})
        out.add(source, id=f"{page.set}-{page.id}-{time}"[:120], url=page.url, lang=page.lang or language(page.text) or "en", source=f"{page.set}/{page.id}",
                licence=page.licence, text=page.text, title=page.title, author=page.author, date=page.date, site=page.site, type="article",
                donors=donors, donor_sets=sets, host_set=page.set, **more)
    if args.brief:
        for source, page, text in made_blogs(list({p.id: p for p in hosts}.values()), lambda p: random.Random(hash_of(f"blog {p.set}/{p.id}")), args.pages // 3):
            n += 1
            out.add(source, id=f"blog-{page.set}-{page.id}"[:120], url=page.url, lang=page.lang or "en", source=f"{page.set}/{page.id}", licence=page.licence, text=text,
                    title=page.title, author=None, date=None, site=page.site, type="article", donors=[], donor_sets=[], host_set=page.set, parts=[], hints=False, short=True)
    out.close()
    print(f"{n} pages; hosts {dict(share)}; parts {dict(counts)}; left out {dict(left)}")


if __name__ == "__main__":
    main()
