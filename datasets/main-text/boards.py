#!/usr/bin/env python3
"""Make pages of boards, shops, listings and portals as common software lays them out, for page types above all.

    boards.py --data DIR --titles FILE --out DIR [--each N]

--data holds the unpacked sets: sentences come from readers' comments that text-marked has, English and Chinese; --titles is a
file of Chinese headlines. `type` is what the layout is; `text` is there for threads (what the posts say) and products (what is
said about it), and null for listings and collections, which have no one text. `posts` are the posts of a thread: author, date as
the page writes it, text. `site` and the host of `url` are the layout, so
that folds of sites are folds of layouts. All made up: for training beside real pages, no measure of anything.
"""

import argparse
import json
import random
import re
from html import escape, unescape
from pathlib import Path

from sets import Writer

EACH = 16


class Words:
    """Sentences, headlines and names of a language."""

    def __init__(self, lang, sentences, titles, rng):
        self.lang, self.sentences, self.titles, self.rng = lang, sentences, titles, rng
        self.zh = lang == "zh"

    def say(self, low=1, high=4):
        return ("" if self.zh else " ").join(self.rng.choice(self.sentences) for _ in range(self.rng.randint(low, high)))

    def title(self):
        return self.rng.choice(self.titles)

    def name(self):
        if self.zh and self.rng.random() < 0.6:
            return "".join(self.rng.choice("风云清月山水小大海天星雨梦阳林飞龙心北南老猫鱼花") for _ in range(self.rng.randint(2, 5)))
        return self.rng.choice(["alex", "mike", "dark", "sue", "tom", "blue", "jan", "kit", "zed", "rob", "ana", "lee"]) + self.rng.choice(["", "_x", "99", "fan", "2004", "man", "girl", ".k"])

    def date(self):
        r = self.rng
        y, m, d, h, s = r.randint(2003, 2023), r.randint(1, 12), r.randint(1, 28), r.randint(0, 23), r.randint(0, 59)
        month = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split()[m - 1]
        forms = [f"{y}-{m}-{d} {h:02}:{s:02}", f"{y}年{m}月{d}日 {h}:{s:02}"] if self.zh else [f"{month} {d}, {y} {h}:{s:02}", f"{d:02}-{m:02}-{y}, {h:02}:{s:02}", f"{d} {month} {y}", f"{r.randint(2, 11)} months ago"]
        return r.choice(forms)

    def price(self):
        return f"¥{self.rng.randint(9, 4999)}.00" if self.zh else self.rng.choice("$£€") + f"{self.rng.randint(3, 900)}.{self.rng.choice(('99', '00', '50'))}"

    def of(self, en, zh):
        return zh if self.zh else en


def p(text, tag="p", **names):
    attributes = "".join(f' {k.rstrip("_")}="{escape(str(v))}"' for k, v in names.items())
    return f"<{tag}{attributes}>{text}</{tag}>"


def link(text, href="#", **names):
    return p(text, "a", href=href, **names)


def menu(w, n, tag="li"):
    some = [w.title()[: w.rng.randint(4, 8)] if w.zh else w.title().split()[0] for _ in range(n)]
    return "".join(p(link(escape(t), f"/{i}"), tag) for i, t in enumerate(some))


def posts(w, low=3, high=14):
    if w.rng.random() < 0.4:  # a question and some short answers
        return [(w.name(), w.date(), [escape(w.say(1, 2 if n else 3))]) for n in range(w.rng.randint(2, 6))]
    return [(w.name(), w.date(), [escape(w.say()) for _ in range(w.rng.choice((1, 1, 1, 2, 3)))]) for _ in range(w.rng.randint(low, high))]


def texts(thread):
    return "\n".join("\n".join(body) for _, _, body in thread)


# Layouts: each returns (body, posts, or a text, or None).


def phpbb(w, t):
    thread, out = posts(w), []
    for n, (name, date, body) in enumerate(thread):
        out.append(f'<div id="p{n}" class="post bg{n % 2 + 1}"><div class="inner"><dl class="postprofile"><dt>{link(name)}</dt><dd>{w.of("Posts", "帖子")}: {w.rng.randint(1, 9000)}</dd><dd>{w.of("Joined", "注册")}: {w.date()}</dd></dl><div class="postbody"><h3>{link("Re: " + t)}</h3><p class="author">{w.of("by", "由")} <strong>{name}</strong> » {date}</p><div class="content">{"<br><br>".join(body)}</div></div><div class="back2top">{link(w.of("Top", "回到顶部"))}</div></div></div>')
    return f'<div id="page-header"><ul class="linklist">{menu(w, 5)}</ul></div><h2 class="topic-title">{link(t)}</h2><div class="action-bar">{link(w.of("Post Reply", "回复"))} {len(thread)} {w.of("posts", "帖")}</div>{"".join(out)}<div id="page-footer">{w.of("Who is online: 1 guest", "在线用户: 1 位游客")}<p>Powered by phpBB</p></div>', thread


def phpbb2(w, t):
    thread, out = posts(w), []
    for name, date, body in thread:
        out.append(f'<tr><td width="150" align="left" valign="top" class="row1"><span class="name"><b>{name}</b></span><br><span class="postdetails">{w.of("Joined", "注册时间")}: {w.date()}<br>{w.of("Posts", "帖子")}: {w.rng.randint(1, 999)}</span></td><td class="row1" valign="top"><table width="100%"><tr><td><span class="postdetails">{w.of("Posted", "发表于")}: {date} {w.of("Post subject", "标题")}: {t}</span></td></tr><tr><td colspan="2"><hr></td></tr><tr><td><span class="postbody">{"<br><br>".join(body)}</span></td></tr></table></td></tr><tr><td class="row1">{link(w.of("Back to top", "返回页首"))}</td><td></td></tr>')
    return f'<table width="100%"><tr><td class="bodyline"><table><tr>{menu(w, 6, "td")}</tr></table>{link(t, class_="maintitle")}<table class="forumline" width="100%"><tr><th>{w.of("Author", "作者")}</th><th>{w.of("Message", "留言")}</th></tr>{"".join(out)}</table></td></tr></table>', thread


def discuz(w, t):
    thread, out = posts(w), []
    for n, (name, date, body) in enumerate(thread):
        floor = ["楼主", "沙发", "板凳", "地板"][n] if w.zh and n < 4 else f"{n + 1}#"
        out.append(f'<div id="post_{n}"><table class="plhin"><tr><td class="pls" rowspan="2"><div class="authi">{link(name)}</div><p><em>{w.of("Group", "用户组")}</em></p><dl><dt>UID</dt><dd>{w.rng.randint(1, 99999)}</dd><dt>{w.of("Credits", "积分")}</dt><dd>{w.rng.randint(1, 9999)}</dd></dl></td><td class="plc"><div class="pi"><strong>{floor}</strong><em>{w.of("Posted", "发表于")} {date}</em> | {link(w.of("Only this author", "只看该作者"))}</div><div class="pct"><table><tr><td class="t_f">{"<br>".join(body)}</td></tr></table></div></td></tr><tr><td class="plc plm">{link(w.of("Reply", "回复"))} {link(w.of("Report", "举报"))} {link(w.of("Top", "TOP"))}</td></tr></table></div>')
    return f'<div id="hd"><div id="nv"><ul>{menu(w, 7)}</ul></div></div><div id="pt">{link(w.of("Forum", "论坛"))} › {link(t)}</div><div id="ct"><div id="postlist"><table><tr><td>{w.of("Views", "查看")}: {w.rng.randint(100, 99999)} | {w.of("Replies", "回复")}: {len(thread) - 1}</td><td><h1 id="thread_subject">{t}</h1></td></tr></table>{"".join(out)}</div></div><div id="ft">Powered by Discuz! X3.4</div>', thread


def vbulletin(w, t):
    thread, out = posts(w), []
    for n, (name, date, body) in enumerate(thread, 1):
        out.append(f'<li class="postbitlegacy" id="post_{n}"><div class="posthead"><span class="date">{date}</span><span class="nodecontrols">{link("#" + str(n))}</span></div><div class="postdetails"><div class="userinfo">{link(name, class_="username")}<span class="usertitle">{w.of("Senior Member", "高级会员")}</span><dl><dt>{w.of("Join Date", "加入日期")}</dt><dd>{w.date()}</dd><dt>{w.of("Posts", "帖子")}</dt><dd>{w.rng.randint(1, 9999)}</dd></dl></div><div class="postbody"><h2 class="title">{"Re: " if n > 1 else ""}{t}</h2><blockquote class="postcontent restore">{"<br><br>".join(body)}</blockquote></div></div><div class="postfoot">{link(w.of("Reply With Quote", "引用回复"))}</div></li>')
    return f'<div class="above_body"><ul>{menu(w, 6)}</ul></div><div id="breadcrumb"><ul>{menu(w, 3)}</ul></div><div class="pagetitle"><h1>{w.of("Thread", "主题")}: {t}</h1></div><ol id="posts">{"".join(out)}</ol><div>{w.of("Similar Threads", "相似主题")}<ul>{"".join(p(link(escape(w.title())), "li") for _ in range(5))}</ul></div>', thread


def discourse(w, t):
    thread, out = posts(w), []
    for n, (name, date, body) in enumerate(thread, 1):
        out.append(f'<div class="topic-body crawler-post"><div class="crawler-post-meta"><span class="creator">{link(name)}</span> <span class="crawler-post-infos"><time>{date}</time> <span>{n}</span></span></div><div class="post">{"".join(p(b) for b in body)}</div><div class="crawler-linkback-list">{w.rng.randint(1, 9)} {w.of("Likes", "个赞")}</div></div>')
    return f'<header>{link(w.of("Community", "社区"))}</header><div id="topic-title"><h1>{link(t)}</h1></div>{"".join(out)}<div id="related-topics"><h3>{w.of("Related topics", "相关话题")}</h3><table>{"".join("<tr><td>" + link(escape(w.title())) + "</td><td>" + str(w.rng.randint(1, 90)) + "</td><td>" + w.date() + "</td></tr>" for _ in range(5))}</table></div>', thread


def hackerlike(w, t):
    thread, out = posts(w, 5, 20), []
    for name, date, body in thread:
        out.append(f'<tr class="athing comtr"><td><table><tr><td class="ind"><img src="s.gif" width="{40 * w.rng.randint(0, 4)}" height="1"></td><td class="votelinks">{link("")}</td><td class="default"><span class="comhead">{link(name)} {link(w.of("3 hours ago", "3 小时前"))} | {link(w.of("parent", "上一级"))} | {link(w.of("next", "下一条"))}</span><div class="comment"><span class="commtext">{"<p>".join(body)}</span><div class="reply">{link(w.of("reply", "回复"))}</div></div></td></tr></table></td></tr>')
    return f'<center><table width="85%"><tr><td>{link("News")} | {link(w.of("new", "最新"))} | {link(w.of("ask", "提问"))}</td></tr><tr><td><table><tr><td>{link(t)}</td></tr><tr><td class="subtext">{w.rng.randint(3, 900)} {w.of("points by", "分 发布者")} {link(w.name())} | {len(thread)} {w.of("comments", "评论")}</td></tr></table><br><table class="comment-tree">{"".join(out)}</table></td></tr></table></center>', [(name, w.of("3 hours ago", "3 小时前"), body) for name, _, body in thread]


def mailman(w, t):
    name, date, _ = posts(w, 1, 1)[0]
    body = "\n\n".join(w.say(1, 3) for _ in range(w.rng.randint(2, 6)))
    quoted = "\n".join("> " + line for line in (w.say(), w.say()))
    text = f"On {date}, {w.name()} wrote:\n{quoted}\n\n{body}"
    return f'<h1>[list] {t}</h1><b>{name}</b> {link(name + " at example.org")}<br><i>{date}</i><p><ul>{p(w.of("Previous message: ", "上一封: ") + link(escape(w.title())), "li")}{p(w.of("Next message: ", "下一封: ") + link(escape(w.title())), "li")}{p("<b>Messages sorted by:</b> " + link("[ date ]") + link("[ thread ]"), "li")}</ul><hr><pre>{escape(text)}</pre><hr>', text


def tieba(w, t):
    thread, out = posts(w, 4, 18), []
    for n, (name, date, body) in enumerate(thread, 1):
        out.append(f'<div class="l_post"><div class="d_author"><ul><li>{link(name)}</li><li>{w.rng.randint(1, 15)}</li></ul></div><div class="d_post_content_main"><div class="d_post_content">{"<br>".join(body)}</div><div class="post-tail">{n}{w.of("F", "楼")} {date} {link(w.of("Reply", "回复"))}</div></div></div>')
    return f'<div class="nav">{menu(w, 5, "span")}</div><h3 class="core_title_txt">{t}</h3><div>{len(thread)} {w.of("replies", "回复贴，共1页")}</div>{"".join(out)}', thread


def answers(w, t):
    thread = posts(w, 2, 7)
    blocks = [f'<div class="answer"><div class="votecell"><span class="vote-count">{w.rng.randint(-2, 99)}</span></div><div class="post-text">{"".join(p(b) for b in body)}</div><div class="user-info">{w.of("answered", "回答于")} {date} {link(name)}</div></div>' for name, date, body in thread]
    return f'<div class="topbar">{menu(w, 4, "span")}</div><h1>{link(t)}</h1>{blocks[0].replace("answered", "asked")}<h2>{len(blocks) - 1} {w.of("Answers", "个回答")}</h2>{"".join(blocks[1:])}<div id="sidebar"><h4>{w.of("Related", "相关问题")}</h4>{"".join(p(str(w.rng.randint(0, 90)) + " " + link(escape(w.title())), "div") for _ in range(8))}</div>', thread


def bbpress(w, t):
    thread, out = posts(w, 2, 8), []
    for n, (name, date, body) in enumerate(thread):
        kind = "topic" if n == 0 else "reply"
        out.append(f'<div id="post-{w.rng.randint(100, 9999)}" class="loop-item-{n} {kind} type-{kind} hentry"><div class="bbp-reply-author">{link(name)}<div class="bbp-author-role">{w.of("Participant", "参与者")}</div></div><div class="bbp-reply-content">{"".join(p(b) for b in body)}</div><div class="bbp-meta">{date} {link("#" + str(w.rng.randint(100, 9999)))}</div></div>')
    notice = w.of(f"This topic has {len(thread) - 1} replies, 2 voices, and was last updated by ", f"该主题包含 {len(thread) - 1} 个回复，最后由 ") + link(w.name())
    end = w.of("The forum is closed to new topics and replies.", "您必须登录后才能回复此话题。")
    return f'<div class="wrap"><nav>{menu(w, 5, "span")}</nav><main><h1>{t}</h1><div class="bbpress-wrapper"><div class="bbp-template-notice info">{p(notice)}</div><ul class="bbp-replies"><li class="bbp-body">{"".join(out)}</li></ul><div class="bbp-template-notice">{p(end)}</div></div></main></div>', thread


def xenforo(w, t):
    thread, out = posts(w), []
    for n, (name, date, body) in enumerate(thread, 1):
        out.append(f'<article class="message message--post"><div class="message-cell message-cell--user"><h4>{link(name, class_="username")}</h4><h5>{w.of("Well-known member", "知名会员")}</h5><dl><dt>{w.of("Messages", "消息")}</dt><dd>{w.rng.randint(1, 9999)}</dd></dl></div><div class="message-cell message-cell--main"><header>{link(date)} {link("#" + str(n))}</header><article class="message-body"><div class="bbWrapper">{"<br><br>".join(body)}</div></article><footer>{link(w.of("Reply", "回复"))} {link(w.name())} {w.of("reacted", "点赞")}</footer></div></article>')
    return f'<header><ul>{menu(w, 6)}</ul></header><div class="p-title"><h1>{t}</h1></div><ul class="listInline">{p(w.of("Thread starter", "主题发起人") + " " + link(thread[0][0]), "li")}{p(w.of("Start date", "开始时间") + " " + thread[0][1], "li")}</ul>{"".join(out)}<p>{w.of("You must log in or register to reply here.", "您必须登录才能回复。")}</p><h3>{w.of("Similar threads", "相似主题")}</h3><div>{"".join(p(link(escape(w.title())), "div") for _ in range(5))}</div>', thread


def v2(w, t):
    thread, out = posts(w, 4, 20), []
    for n, (name, date, body) in enumerate(thread[1:], 1):
        out.append(f'<div class="cell"><table><tr><td width="48"><img src="a{n}.png" alt=""></td><td><div class="fr">{n}</div><strong>{link(name)}</strong> <span class="ago">{date}</span><div class="reply_content">{"<br>".join(body)}</div></td></tr></table></div>')
    name, date, body = thread[0]
    return f'<div id="Top">{menu(w, 5, "span")}</div><div id="Main"><div class="box"><div class="header">{link("V")} › {link(w.of("Questions", "问与答"))}<h1>{t}</h1><small>{link(name)} · {date} · {w.rng.randint(90, 9000)} {w.of("views", "次点击")}</small></div><div class="cell"><div class="topic_content">{"<br><br>".join(body)}</div></div></div><div class="box"><div class="cell">{len(out)} {w.of("replies", "条回复")}</div>{"".join(out)}</div></div><div id="Rightbar">{menu(w, 8, "div")}</div>', thread


def tree(w, t):
    thread = posts(w, 4, 16)
    def comment(n):
        name, date, body = thread[n]
        inner = f'<p class="tagline">{link(name)} {w.rng.randint(-4, 400)} {w.of("points", "分")} {date}</p><div class="md">{"".join(p(b) for b in body)}</div><ul class="flat-list buttons">{p(link(w.of("permalink", "链接")), "li")}{p(link(w.of("reply", "回复")), "li")}</ul>'
        return inner
    rows, depth = [], 0
    for n in range(1, len(thread)):
        deeper = w.rng.randint(0, min(depth + 1, 4))
        rows.append("</div>" * max(0, depth - deeper + (n > 1 and deeper <= depth)) + f'<div class="thing"><div class="entry">{comment(n)}</div>')
        depth = deeper
    name, date, body = thread[0]
    return f'<div id="header">{menu(w, 8, "span")}</div><div class="side">{p(escape(w.say(2, 4)))}<ul>{menu(w, 6)}</ul></div><div class="content"><div class="thing link"><p class="title">{link(t)}</p><p class="tagline">{w.of("submitted", "提交于")} {date} {w.of("by", "由")} {link(name)}</p><div class="usertext-body">{"".join(p(b) for b in body)}</div><ul class="buttons">{p(link(f"{len(thread) - 1} " + w.of("comments", "条评论")), "li")}{p(link(w.of("share", "分享")), "li")}</ul></div><div class="commentarea">{"".join(rows)}</div></div>', thread


def flarum(w, t):
    thread, out = posts(w), []
    for n, (name, date, body) in enumerate(thread):
        out.append(f'<div class="PostStream-item" data-index="{n}"><article class="CommentPost Post"><header class="Post-header"><ul><li class="item-user"><h3>{link(name)}</h3></li><li class="item-meta"><a class="Dropdown-toggle"><time>{date}</time></a></li></ul></header><div class="Post-body">{"".join(p(b) for b in body)}</div><aside class="Post-actions"><ul>{p(link(w.of("Reply", "回复")), "li")}{p(link(w.of("Like", "赞")), "li")}</ul></aside></article></div>')
    return f'<div id="header">{menu(w, 5, "span")}</div><div class="DiscussionPage"><header class="DiscussionHero"><h2>{t}</h2></header><div class="PostStream">{"".join(out)}</div><nav class="DiscussionPage-nav"><ul>{menu(w, 3)}</ul></nav></div>', thread


def forum_home(w, t):
    def forum():
        return f'<tr><td class="row1">{link(escape(w.title()))}<br><span class="desc">{escape(w.say(1, 1))}</span></td><td>{w.rng.randint(3, 9000)}</td><td>{w.rng.randint(9, 90000)}</td><td>{w.date()}<br>{link(w.name())}</td></tr>'
    groups = "".join(f'<h3>{link(escape(w.title()))}</h3><table class="forumbg"><tr><th>{w.of("Forum", "版块")}</th><th>{w.of("Topics", "主题")}</th><th>{w.of("Posts", "帖子")}</th><th>{w.of("Last post", "最后发表")}</th></tr>{"".join(forum() for _ in range(w.rng.randint(3, 8)))}</table>' for _ in range(w.rng.randint(2, 5)))
    return f'<div>{menu(w, 6, "span")}</div><h1>{t}</h1>{groups}<h4>{w.of("Who is online", "在线会员")}</h4><p>{w.rng.randint(3, 900)} {w.of("users online, newest member", "人在线，新会员")} {link(w.name())}</p>', None


def thread_list(w, t):
    rows = "".join(f'<tbody id="normalthread_{n}"><tr><td class="icn"></td><th class="common">[{link(w.of("Help", "求助"))}] {link(escape(w.title()), class_="s xst")}</th><td class="by"><cite>{link(w.name())}</cite><em>{w.date()}</em></td><td class="num">{link(str(w.rng.randint(0, 900)))}<em>{w.rng.randint(9, 90000)}</em></td><td class="by"><cite>{link(w.name())}</cite><em>{w.date()}</em></td></tr></tbody>' for n in range(w.rng.randint(15, 40)))
    return f'<div id="nv">{menu(w, 6, "span")}</div><div class="bm"><h1>{t}</h1><span>{w.of("Today", "今日")}: {w.rng.randint(0, 90)} | {w.of("Topics", "主题")}: {w.rng.randint(90, 9000)}</span><p>{escape(w.say(1, 2))}</p></div><table summary="forum_2">{rows}</table><div class="pg">{"".join(link(str(i)) for i in range(1, 11))}</div><form><input name="subject"><textarea></textarea></form>', None


def topic_list(w, t):
    rows = "".join(f'<div class="structItem"><div>{link(escape(w.title()))}<ul>{p(link(w.name()), "li")}{p(w.date(), "li")}</ul></div><dl><dt>{w.of("Replies", "回复")}</dt><dd>{w.rng.randint(0, 90)}</dd></dl><div>{link(w.date())} {link(w.name())}</div></div>' for _ in range(w.rng.randint(12, 30)))
    return f'<nav>{menu(w, 6, "span")}</nav><h1>{t}</h1><div class="block-outer">{link(w.of("Post thread…", "发表主题"))}</div><div class="structItemContainer">{rows}</div><aside><h3>{w.of("Latest posts", "最新帖子")}</h3>{menu(w, 5, "div")}</aside>', None


def described(w):
    lines = [escape(w.say(1, 3)) for _ in range(w.rng.randint(1, 4))]
    facts = [(k, str(w.rng.randint(1, 500)) + u) for k, u in w.rng.sample([(w.of("Weight", "重量"), " g"), (w.of("Width", "宽度"), " cm"), (w.of("Power", "功率"), " W"), (w.of("Warranty", "保修"), w.of(" months", "个月")), (w.of("Pieces", "数量"), ""), (w.of("Model", "型号"), "-X")], w.rng.randint(2, 5))]
    return lines, facts


def others(w, n, tag="li"):
    return "".join(p(f'<img src="/p{i}.jpg" alt=""> {link(escape(w.title()))} <span class="price">{w.price()}</span> {link(w.of("Add to cart", "加入购物车"))}', tag) for i in range(n))


def woo(w, t):
    lines, facts = described(w)
    table = "".join(f"<tr><th>{k}</th><td>{v}</td></tr>" for k, v in facts)
    text = "\n".join([*lines, *(f"{k} {v}" for k, v in facts)])
    return f'<nav class="woocommerce-breadcrumb">{menu(w, 3, "span")}</nav><div class="product"><div class="images"><img src="1.jpg" alt=""></div><div class="summary"><h1 class="product_title">{t}</h1><p class="price">{w.price()}</p><div class="short">{p(lines[0])}</div><button>{w.of("Add to cart", "加入购物车")}</button><span class="sku">SKU: {w.rng.randint(100, 99999)}</span></div><div class="tabs"><h2>{w.of("Description", "描述")}</h2>{"".join(p(line) for line in lines[1:])}<table>{table}</table></div><section class="related"><h2>{w.of("Related products", "相关产品")}</h2><ul>{others(w, 4)}</ul></section></div>', text


def magento(w, t):
    lines, facts = described(w)
    return f'<ul class="header links">{menu(w, 4)}</ul><main><h1 class="page-title">{t}</h1><div>{w.of("In stock", "现货")} SKU {w.rng.randint(100, 99999)}</div><div class="price-box">{w.price()}</div><div>{w.of("Qty", "数量")} 1 {link(w.of("Add to Wish List", "加入收藏"))} {link(w.of("Add to Compare", "加入比较"))}</div><div class="product data items"><div>{w.of("Details", "商品详情")}</div><div class="value">{"<br>".join(lines)}</div><div>{w.of("More Information", "规格参数")}</div><dl>{"".join(p(k, "dt") + p(v, "dd") for k, v in facts)}</dl></div><div>{w.of("We found other products you might like!", "您可能还喜欢")}<ol>{others(w, 6)}</ol></div></main>', "\n".join([*lines, *(f"{k}\n{v}" for k, v in facts)])


def old_shop(w, t):
    lines, facts = described(w)
    return f'<table width="780" align="center"><tr>{menu(w, 6, "td")}</tr></table><table width="780" align="center"><tr><td width="160" valign="top">{menu(w, 14, "div")}</td><td valign="top"><font size="4"><b>{t}</b></font><br><img src="a.jpg" width="300"><br>{w.of("Price", "市场价")}: <s>{w.price()}</s> {w.of("Our price", "会员价")}: <font color="red">{w.price()}</font><br>{"<br>".join(f"{k}: {v}" for k, v in facts)}<br><br>{"<br><br>".join(lines)}<br>{link(w.of("Order now", "立即购买"))}</td></tr></table>', "\n".join([*(f"{k}: {v}" for k, v in facts), *lines])


def grid(w, t):
    n = w.rng.randint(9, 30)
    side = f'<aside><h4>{w.of("Filter by", "筛选")}</h4><ul>{menu(w, 10)}</ul></aside>'
    return f'<ul class="nav">{menu(w, 7)}</ul><h1>{t}</h1><p>{w.of("Showing", "共")} 1–{n} / {w.rng.randint(n, 900)} {w.of("results", "件商品")}</p>{side}<ul class="products">{others(w, n)}</ul><div class="pages">{"".join(link(str(i)) for i in range(1, 9))}</div>', None


def old_grid(w, t):
    rows = "".join("<tr>" + others(w, 4, "td") + "</tr>" for _ in range(w.rng.randint(3, 7)))
    return f'<table width="780"><tr>{menu(w, 6, "td")}</tr></table><b>{t}</b><table width="780" border="0">{rows}</table>{w.of("Page", "页")} 1 {link("2")} {link("3")}', None


def gallery(w, t):
    cells = "".join(f'<figure><a href="/g{i}"><img src="/t{i}.jpg" alt=""></a><figcaption>{link(escape(w.title()))}<br>{w.name()} · {w.rng.randint(1, 900)} ♥</figcaption></figure>' for i in range(w.rng.randint(10, 30)))
    return f'<nav>{menu(w, 5, "span")}</nav><h1>{t}</h1><div class="grid">{cells}</div>', None


def portal(w, t):
    def box():
        rows = "".join(p("· " * (w.rng.random() < 0.4) + link(escape(w.title())), "li") for _ in range(w.rng.randint(5, 12)))
        return f'<div class="{w.rng.choice(("box", "mod", "blk", "area"))}"><h2>{link(w.title()[:4] if w.zh else w.title().split()[0])}{link(w.of("more", "更多>>"))}</h2><ul>{rows}</ul></div>'
    return f'<div id="top">{menu(w, 20, "span")}</div><form><input name="q"></form>{"".join(box() for _ in range(w.rng.randint(6, 14)))}<div id="foot">{menu(w, 8, "span")}<p>Copyright © 1996-{w.rng.randint(2004, 2020)}</p></div>', None


def old_portal(w, t):
    def cell():
        return '<td valign="top">' + "".join(f"·{link(escape(w.title()))}<br>" for _ in range(w.rng.randint(6, 14))) + "</td>"
    rows = "".join(f"<tr>{cell()}{cell()}{cell()}</tr>" for _ in range(w.rng.randint(2, 5)))
    return f'<table width="760"><tr><td>{" | ".join(link(w.title()[:2] if w.zh else w.title().split()[0]) for _ in range(24))}</td></tr></table><table width="760">{rows}</table>', None


def blog_home(w, t):
    entries = "".join(f'<div class="post hentry"><h2>{link(escape(w.title()))}</h2><p class="meta">{w.date()} · {link(w.name())} · {link(str(w.rng.randint(0, 60)) + w.of(" comments", " 条评论"))}</p><div class="entry">{p(escape(w.say(1, 3)))}{link(w.of("Read the rest of this entry »", "阅读全文 »"))}</div></div>' for _ in range(w.rng.randint(5, 12)))
    return f'<div id="header"><h1>{link(t)}</h1></div><div id="content">{entries}<div>{link(w.of("« Older Entries", "« 较早的文章"))}</div></div><div id="sidebar"><h2>{w.of("Archives", "文章归档")}</h2><ul>{"".join(p(link(w.date()), "li") for _ in range(8))}</ul><h2>Blogroll</h2><ul>{menu(w, 7)}</ul></div>', None


def board_index(w, t):
    rows = "".join(f'<tr><td>{link(escape(w.title()))}<br>{w.of("by", "作者")} {link(w.name())}</td><td>{w.rng.randint(0, 400)}</td><td>{w.rng.randint(10, 90000)}</td><td>{w.date()}<br>{link(w.name())}</td></tr>' for _ in range(w.rng.randint(12, 35)))
    return f'<div>{menu(w, 5, "span")}</div><h2>{t}</h2><table><tr><th>{w.of("Topics", "主题")}</th><th>{w.of("Replies", "回复")}</th><th>{w.of("Views", "查看")}</th><th>{w.of("Last post", "最后发表")}</th></tr>{rows}</table><p>{w.of("Moderators", "版主")}: {link(w.name())}</p>', None


def results(w, t):
    rows = "".join(f'<div class="r"><h3>{link(escape(w.title()))}</h3><cite>www.example.org/{i}</cite><p>{escape(w.say(1, 2))[:180]}...</p></div>' for i in range(10))
    return f'<form><input value="{t}"></form><p>{w.of("About", "约")} {w.rng.randint(100, 10**6)} {w.of("results", "条结果")}</p>{rows}<div>{"".join(link(str(i)) for i in range(1, 11))}</div>', None


def directory(w, t):
    rows = "".join(p(f"<span>[{w.date()}]</span> {link(escape(w.title()))}", w.rng.choice(("li",))) for _ in range(w.rng.randint(15, 40)))
    return f'<div class="crumbs">{menu(w, 3, "span")}</div><h3>{t}</h3><ul class="list">{rows}</ul><div class="pager">{w.of("First Previous Next Last", "首页 上一页 下一页 尾页")} 1/{w.rng.randint(2, 90)}</div>', None


LAYOUTS = {
    "forum": [phpbb, phpbb2, discuz, vbulletin, discourse, hackerlike, mailman, tieba, answers, bbpress, xenforo, v2, tree, flarum],
    "product": [woo, magento, old_shop],
    "collection": [grid, old_grid, gallery],
    "listing": [portal, old_portal, blog_home, board_index, results, directory, forum_home, thread_list, topic_list],
}


# Names that the software gives <body>; half of the pages have them.
ROOTS = {
    "phpbb": 'id="phpbb" class="nojs notouch section-viewtopic ltr"',
    "discuz": 'id="nv_forum" class="pg_viewthread"',
    "bbpress": 'class="topic bbpress no-js single single-topic postid-12"',
    "xenforo": 'data-template="thread_view" class="thread"',
    "flarum": 'class="App--discussion"',
    "vbulletin": 'class="forum showthread"',
    "board_index": 'class="forum viewforum"',
    "forum_home": 'id="phpbb" class="nojs section-index ltr"',
    "thread_list": 'id="nv_forum" class="pg_forumdisplay"',
    "topic_list": 'data-template="forum_view"',
}


def nameless(body):
    """The body without classes and ids."""
    return re.sub(r"""\s(class|id)_?="[^"]*\"""", "", body)


def sentences_of(folder, chinese):
    out = set()
    for line in open(folder / "gold.jsonl", encoding="utf-8"):
        for text in (json.loads(line).get("comments") or "").split("\n"):
            if chinese and re.search(r"[\u4e00-\u9fff]{6}", text) and len(text) < 160:
                out.add(text.strip())
            elif not chinese and 6 <= len(text.split()) <= 60 and re.match(r"[A-Z]", text):
                out.add(text.strip())
    return sorted(out)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, metavar="DIR", help="folder of unpacked sets")
    parser.add_argument("--titles", type=Path, required=True, metavar="FILE", help="Chinese headlines, a line each")
    parser.add_argument("--out", type=Path, required=True, metavar="DIR", help="the set; emptied first")
    parser.add_argument("--each", type=int, default=EACH, metavar="N", help=f"pages a layout (default: {EACH})")
    args = parser.parse_args()
    marked = args.data / "text-marked"
    zh_titles = sorted({line.split("\t")[0].strip() for line in open(args.titles, encoding="utf-8")} - {""})
    en_titles = sorted({t for name in ("en-blogs-comments", "misinfo-crawler") for line in open(marked / name / "gold.jsonl", encoding="utf-8") if len(t := (json.loads(line).get("title") or "")) > 12})
    speech = {"en": (sentences_of(marked / "en-blogs-comments", False), en_titles), "zh": (sentences_of(marked / "zh-blogs", True), zh_titles)}
    out, count = Writer(args.out), 0
    for kind, layouts in LAYOUTS.items():
        for layout in layouts:
            for n in range(args.each):
                rng = random.Random(f"{layout.__name__} {n}")
                lang = "zh" if n % 2 else "en"
                w = Words(lang, *speech[lang], rng)
                title = escape(w.title())
                body, text = layout(w, title)
                thread = text if isinstance(text, list) else None
                said = thread and [{"author": name, "date": date, "text": unescape("\n".join(lines))} for name, date, lines in thread]
                text = texts(thread) if thread else text
                body = body.replace("class_=", "class=")
                site = f"{layout.__name__.replace('_', '-')}.example"
                root = f" {ROOTS[layout.__name__]}" if layout.__name__ in ROOTS and n % 4 < 2 else ""
                page = f'<!DOCTYPE html>\n<html lang="{lang}"><head><meta charset="utf-8"><title>{title} - {w.title() if rng.random() < 0.3 else site}</title></head>\n<body{root}>{body if n % 3 else nameless(body)}</body></html>\n'
                out.add(page, id=f"{layout.__name__}-{n}", url=f"http://www.{site}/{n}", lang=lang, source="made up", licence="made up; sentences are their authors'", text=text, title=title, site=site, type=kind, posts=said)
                count += 1
    out.close()
    print(f"{count} pages")


if __name__ == "__main__":
    main()
