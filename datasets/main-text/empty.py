#!/usr/bin/env python3
"""Make pages that have no text of their own: errors, checks for robots, pages that scripts would fill.

    empty.py --data DIR --out DIR [--pages N]

Two thirds are marked pages whose text is taken out of their source, so that menus, side bars and feet remain, with nothing,
a loader, or a message in its place; the others are bare, as servers answer. `text` is empty, `type` is empty. Messages are
written for this, in eight languages. What is drawn is drawn by digests of names.
"""

import argparse
import html as entities
import random
import re
from pathlib import Path

from offsets import balanced, scan
from sets import Writer, as_utf8, order
from splice import HINTS, WORD, hash_of, host_of, read_aeb, read_marked, read_wcxb, source_of

MOST_OF_A_SITE = 4
MOST_PROSE = 80  # words of what remains, in runs of twelve and more
SETS = ("fundus", "misinfo-crawler", "zh-blogs", "other-blogs", "en-blogs-comments", "zh-cwced")

# (title, headline, message)
MISSING = {
    "en": [
        ("Page not found", "404", "Sorry, the page you are looking for does not exist. It may have been moved or deleted."),
        ("404 Not Found", "Oops! That page can't be found.", "It looks like nothing was found at this location. Maybe try a search?"),
        ("Error", "Something went wrong", "We could not load this page. Please try again in a few minutes or go back to the front page."),
        ("Not available", "This content is no longer available", "The article you requested was removed by its author."),
    ],
    "de": [("Seite nicht gefunden", "Seite nicht gefunden", "Die gewünschte Seite existiert nicht oder ist nicht mehr verfügbar. Nutzen Sie die Suche oder gehen Sie zur Startseite.")],
    "fr": [("Page introuvable", "Erreur 404", "La page que vous cherchez n'existe pas ou n'existe plus. Revenez à l'accueil.")],
    "es": [("Página no encontrada", "Error 404", "Lo sentimos, la página que busca no existe o ha cambiado de dirección.")],
    "ru": [("Страница не найдена", "Ошибка 404", "К сожалению, запрошенная страница не существует или была удалена. Перейдите на главную.")],
    "ja": [("ページが見つかりません", "404", "お探しのページは見つかりませんでした。移動または削除された可能性があります。")],
    "ko": [("페이지를 찾을 수 없습니다", "404", "요청하신 페이지를 찾을 수 없습니다. 주소를 다시 확인해 주세요.")],
    "zh": [
        ("页面不存在", "404", "抱歉，您访问的页面不存在或已被删除，请返回首页。"),
        ("出错了", "页面找不到了", "您要查看的内容可能已删除或已下线，请检查网址后重试。"),
        ("网站维护中", "系统维护", "网站维护，暂停访问，给您带来不便敬请谅解。"),
    ],
}
CHECKS = [
    ("Just a moment...", "Checking your browser before you go on", "This takes a few seconds. Please enable JavaScript and cookies to continue.", "Ray ID: 7a1b2c3d"),
    ("Are you a robot?", "Please verify you are human", "We have seen unusual traffic from your network. Complete the captcha to go on.", ""),
    ("Access denied", "Access denied", "You don't have permission to open this page on this server.", "Reference #18.2f3a"),
    ("安全验证", "请完成安全验证", "访问过于频繁，请输入验证码后继续访问。", ""),
    ("人机验证", "正在检查您的浏览器", "请启用JavaScript后刷新本页。", ""),
    ("Sicherheitsprüfung", "Einen Moment bitte", "Bitte aktivieren Sie JavaScript, damit wir Ihren Browser prüfen können.", ""),
]
SERVERS = [
    ("404 Not Found", "The requested URL was not found on this server."),
    ("403 Forbidden", "You don't have permission to access this resource."),
    ("500 Internal Server Error", "The server encountered an internal error and was unable to complete your request. Please contact the administrator."),
    ("502 Bad Gateway", ""),
    ("503 Service Unavailable", "The server is temporarily unable to service your request due to maintenance. Please try again later."),
    ("504 Gateway Time-out", "The server didn't respond in time."),
]
LOADERS = [
    "",
    '<div id="root"></div>',
    '<div id="app"><div class="spinner">Loading...</div></div>',
    "<div>加载中...</div>",
    "<noscript>You need to enable JavaScript to run this app.</noscript><div id=root></div>",
    "<noscript><p>请启用JavaScript后浏览本站。</p></noscript>",
    "<noscript><div>This site requires JavaScript. Please turn it on.</div></noscript><main></main>",
]


def message(lang, rng):
    """(title, source of the message) of a page that is not there."""
    title, head, text = rng.choice(MISSING.get(lang, MISSING["en"]) + (MISSING["en"] if rng.random() < 0.3 else []))
    level = rng.choice(("h1", "h1", "h2", "div"))
    search = rng.choice(("", '<form><input type="search"><button>Search</button></form>', '<p><a href="/">Home</a></p>'))
    return title, f"<div><{level}>{head}</{level}><p>{text}</p>{search}</div>"


def hollow(page, source, rng):
    """The source without the element that holds the text; None if too much else remains."""
    host = host_of(page, source)
    if host is None or not host.holder.closed or host.holder.tag == "body":
        return None
    holder = host.holder
    for _ in range(rng.choice((0, 0, 1))):
        if holder.up is not None and holder.up.closed and holder.up.tag in ("div", "article", "section", "main"):
            holder = holder.up
    inner = source[holder.inner : holder.inner_end]
    rest = source[: holder.inner] + source[holder.inner_end :]
    prose = sum(n for a, b, _, link in scan(rest).texts if not link and (n := len(WORD.findall(entities.unescape(rest[a:b])))) >= 12)
    if prose > MOST_PROSE or not balanced(inner):
        return None
    rest = ""
    title = None
    if rng.random() < 0.5:
        title, rest = message(page.lang[:2] or "en", rng)
    else:
        rest = rng.choice(LOADERS)
    out = HINTS.sub("", source[: holder.inner] + rest + source[holder.inner_end :])
    if title:
        name = re.search(r"<title[^>]*>([^<]*)</title>", out, re.I)
        site = re.split(r"\s[|–—-]\s", name[1])[-1] if name else ""
        title = f"{title} - {site}" if site and rng.random() < 0.7 else title
        out = re.sub(r"<title[^>]*>[^<]*</title>", lambda _: f"<title>{title}</title>", out, count=1, flags=re.I)
    return as_utf8(out)


def bare(rng):
    """(source, language) of a page of a server, of a check, or of an application that scripts fill."""
    form = rng.randrange(5)
    if form == 0:
        title, text = rng.choice(SERVERS)
        return f"<html><head><title>{title}</title></head><body><h1>{title[4:]}</h1><p>{text}</p><hr><address>Apache Server at www.example.org Port 80</address></body></html>", "en"
    if form == 1:
        title, _ = rng.choice(SERVERS)
        return f"<html><head><title>{title}</title></head><body><center><h1>{title}</h1></center><hr><center>nginx</center></body></html>", "en"
    if form == 2:
        title, head, text, foot = rng.choice(CHECKS)
        return f'<!DOCTYPE html><html><head><meta charset="utf-8"><title>{title}</title></head><body><div class="main"><h1>www.example.org</h1><h2>{head}</h2><p>{text}</p></div><div class="footer">{foot}</div></body></html>', "zh" if re.search("[\u4e00-\u9fff]", title) else "en"
    if form == 3:
        lang = rng.choice(sorted(MISSING))
        title, body = message(lang, rng)
        return f'<!DOCTYPE html><html><head><meta charset="utf-8"><title>{title}</title></head><body>{body}</body></html>', lang
    return f'<!DOCTYPE html><html><head><meta charset="utf-8"><title>{rng.choice(("Acme Shop", "Dashboard", "News", "我的应用", "Portal"))}</title></head><body>{rng.choice(LOADERS)}<script src="/main.js"></script></body></html>', "en"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, metavar="DIR", help="folder of unpacked sets")
    parser.add_argument("--out", type=Path, required=True, metavar="DIR", help="the set; emptied first")
    parser.add_argument("--pages", type=int, default=360, metavar="N", help="how many (default: 360)")
    args = parser.parse_args()
    pages = [p for name in SETS for p in read_marked(args.data / "text-marked" / name)]
    pages += [*read_aeb(args.data / "text-aeb"), *read_wcxb(args.data / "text-wcxb-dev")]
    out, count, sites = Writer(args.out), 0, {}
    for page in sorted(pages, key=lambda p: order(f"empty {p.set}/{p.id}")):
        if count >= args.pages * 2 // 3:
            break
        if sites.get(page.site, 0) >= MOST_OF_A_SITE or not page.text:
            continue
        source = source_of(page)
        made = hollow(page, source, random.Random(hash_of(f"empty {page.set}/{page.id}"))) if source else None
        if made is None:
            continue
        sites[page.site] = sites.get(page.site, 0) + 1
        count += 1
        out.add(made, id=f"{page.set}-{page.id}"[:120], url=page.url, lang=page.lang or "en", source=f"{page.set}/{page.id}", licence=page.licence,
                text="", title=page.title, site=page.site, type="empty", host_set=page.set, donors=[], donor_sets=[])
    for n in range(args.pages - count):
        source, lang = bare(random.Random(hash_of(f"bare {n}")))
        out.add(source, id=f"bare-{n}", url=f"http://bare{n}.example/x", lang=lang, source="made up", licence="made up", text="", title=None, site=f"bare{n}.example", type="empty")
    out.close()
    print(f"{args.pages} pages, {count} of marked ones")


if __name__ == "__main__":
    main()
