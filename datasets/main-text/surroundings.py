"""What stands around short posts: biographies, site descriptions, newsletters, notices on cookies, appeals, feet.

Sentences are written for this, in six languages; layouts are after those of common themes, with and without names. `blog_page` makes a
whole page of a blog around a post, as small ones are: a header, the post with its date and labels, a side bar, a foot.
"""

import re
from html import escape

NAMES = {
    "en": ["Mara Quill", "Tom Aldous", "Jean Farrow", "R. P. Haskell", "Ines Okoro", "Bill Strand"],
    "de": ["Anna Brandl", "Jochen Weiß", "Uwe Sander", "Lena Krug"],
    "fr": ["Claire Morin", "Luc Perret", "Odile Faure"],
    "es": ["Marta Ruiz", "Jorge Lago", "Inés Prado"],
    "zh": ["老林", "小满", "王一帆", "南山客", "阿敏", "陈默"],
    "ja": ["田中", "みどり", "さとう", "ハル"],
}
BIOGRAPHY = {
    "en": [
        "{name} has written about food, rivers and small towns for twelve years, and lives with two cats near the coast.",
        "{name} is a teacher by day and writes here at night about books, old cameras and whatever grows in the garden.",
        "About the author: {name} worked as a carpenter, a nurse and a mail carrier before starting this diary in 2006.",
        "I am {name}, a father of three, a slow runner and a collector of maps. You can write to me or follow me, I answer everyone.",
        "{name} is a reporter based in the north of the country. Her first book was published last year and won two prizes.",
    ],
    "de": ["{name} schreibt seit zehn Jahren über Gärten, Brot und alte Häuser und lebt mit ihrer Familie am See.", "Hier bloggt {name}, Lehrer, Radfahrer und Sammler von Landkarten. Fragen beantworte ich gern per Post."],
    "fr": ["{name} écrit sur les jardins, la cuisine et les trains depuis dix ans, et vit près de la mer avec deux chats.", "Professeur le jour, {name} tient ce carnet le soir et répond à tous les courriers."],
    "es": ["{name} escribe sobre cocina, viajes y libros desde hace diez años, y vive cerca del mar con su familia.", "Soy {name}, maestra y corredora lenta. Aquí cuento lo que veo por el camino."],
    "zh": ["{name}，自由撰稿人，喜欢旅行、摄影和做饭，住在南方的一座小城，养了两只猫。", "关于我：{name}，白天写代码，晚上写字，周末种花，欢迎来信交流。", "作者简介：{name}，从事新闻工作十五年，著有散文集两部，现居江城。"],
    "ja": ["{name}です。会社員をしながら、料理や旅のことをのんびり書いています。猫が二匹います。", "このブログは{name}が毎日の出来事を書いているものです。感想はお気軽にどうぞ。"],
}
SITE = {
    "en": [
        "This site collects short notes on what happens in our street. It has no advertising and never will have any.",
        "Welcome! Here you find pictures, recipes and stories from the valley, new ones nearly every day since 2004.",
        "You can follow us here, or get every post by mail. We also have a channel with films that we made over the years.",
        "All pictures and texts are my own unless I say otherwise. Please ask before you use them somewhere else.",
    ],
    "de": ["Willkommen! Hier stehen kurze Notizen aus unserem Dorf, fast jeden Tag eine neue, seit 2004.", "Alle Bilder und Texte sind von mir, wenn nichts anderes dabeisteht. Bitte vorher fragen."],
    "fr": ["Bienvenue ! Vous trouverez ici des photos, des recettes et des histoires de la vallée, presque chaque jour depuis 2004."],
    "es": ["¡Bienvenidos! Aquí encontrará fotos, recetas e historias del valle, casi todos los días desde 2004."],
    "zh": ["本站记录日常生活中的点滴，所有文字和图片除注明外均为原创，转载请先联系站长。", "欢迎光临，这里有照片、菜谱和旅行笔记，从2006年起几乎每天更新。"],
    "ja": ["このサイトでは、毎日の写真や料理、旅の記録を紹介しています。2004年から続いています。"],
}
NEWSLETTER = {
    "en": ["Join {n} readers who get our letter every Thursday morning, with the best stories of the week. You can leave at any time.", "Enter your address to get new posts by mail. We never give it to anybody else."],
    "de": ["Der Newsletter kommt jeden Donnerstag, kostenlos und jederzeit kündbar. Schon {n} Leser sind dabei."],
    "fr": ["Recevez chaque jeudi notre lettre, comme {n} autres lecteurs. Désabonnement à tout moment."],
    "es": ["Reciba cada jueves nuestro boletín, como otros {n} lectores. Puede darse de baja cuando quiera."],
    "zh": ["订阅我们的邮件，每周四早上收到一周精选，已有{n}位读者加入，可随时退订。"],
    "ja": ["毎週木曜日にメールマガジンをお届けします。{n}人の読者が登録しています。"],
}
COOKIES = {
    "en": ["We and our partners store and read data on your device, such as cookies, to measure how this site is used. You may accept, refuse, or choose in the settings.", "This site uses cookies. By going on you agree to their use; our policy says how to refuse them."],
    "de": ["Wir verwenden Cookies, um die Nutzung dieser Seite zu messen. Sie können zustimmen, ablehnen oder in den Einstellungen auswählen."],
    "fr": ["Nous utilisons des cookies pour mesurer l'audience du site. Vous pouvez accepter, refuser ou choisir dans les réglages."],
    "es": ["Usamos cookies para medir el uso de este sitio. Puede aceptarlas, rechazarlas o elegir en los ajustes."],
    "zh": ["本站使用Cookie来统计访问情况，继续浏览即表示您同意我们的隐私政策，也可以在设置中关闭。"],
    "ja": ["当サイトではアクセス解析のためにクッキーを使用しています。設定から無効にすることもできます。"],
}
APPEAL = {
    "en": ["This site is kept by volunteers. If you like what we do, please give what you can: every coin pays for a day of the server.", "The notice board is run by three friends in their free time, on Tuesdays and Fridays. Notices are taken down after a month."],
    "de": ["Diese Seite wird von Freiwilligen betrieben. Wenn Ihnen gefällt, was wir tun, freuen wir uns über eine kleine Spende."],
    "fr": ["Ce site est tenu par des bénévoles. Si vous l'aimez, aidez-nous par un petit don."],
    "es": ["Este sitio lo mantienen voluntarios. Si le gusta, ayúdenos con una pequeña donación."],
    "zh": ["本站由志愿者维护，如果您喜欢我们的内容，欢迎捐助，每一分钱都用于服务器。"],
    "ja": ["このサイトは有志が運営しています。よろしければ運営費のご支援をお願いします。"],
}
FOOT = {
    "en": ["Herald House Limited is registered in the county under number {n}. Its office is at 12 Mill Lane. Complaints are answered within two weeks.", "The opinions here are those of the writer and of nobody else; nothing here is advice. Prices and dates may have changed."],
    "de": ["Verantwortlich für den Inhalt ist der Heimatverein, eingetragen unter der Nummer {n}. Für verlinkte Seiten haften deren Betreiber."],
    "fr": ["Les opinions exprimées ici sont celles de leurs auteurs. Société enregistrée sous le numéro {n}."],
    "es": ["Las opiniones son de sus autores. Empresa inscrita con el número {n}."],
    "zh": ["本站内容仅代表作者个人观点，与任何机构无关，如有问题请在三十日内与我们联系，备案编号{n}。"],
    "ja": ["掲載内容は個人の見解であり、所属する団体とは関係ありません。登録番号{n}。"],
}
# kind: (sentences, headings, names, places)
KINDS = {
    "biography": (BIOGRAPHY, {"en": ["About the author", "Written by {name}", "{name}", ""], "zh": ["关于作者", "作者", ""], "de": ["Über die Autorin", ""], "": [""]}, ["author-box", "about-author", "post-author", "bio vcard"], ["inside", "inside", "after", "after", "outside"]),
    "site": (SITE, {"en": ["About", "About this site", "Welcome", ""], "zh": ["关于本站", "公告", ""], "de": ["Über diese Seite", ""], "": [""]}, ["widget widget_text", "sidebar", "textwidget", "about"], ["outside", "outside", "after"]),
    "newsletter": (NEWSLETTER, {"en": ["Newsletter", "Stay in touch", ""], "zh": ["邮件订阅", ""], "": [""]}, ["newsletter", "signup-box", "subscribe"], ["inside", "after", "after", "outside"]),
    "cookies": (COOKIES, {"en": ["We value your privacy", "Cookies", ""], "": [""]}, ["cookie-banner", "consent-modal", "cc-window"], ["before", "outside", "top"]),
    "appeal": (APPEAL, {"en": ["Support us", ""], "zh": ["支持本站", ""], "": [""]}, ["donate", "support-box"], ["inside", "after", "outside", "top"]),
    "foot": (FOOT, {"": [""]}, ["footer", "site-info", "legal"], ["outside", "outside", "after"]),
}


def surroundings(lang, rng):
    """[(source, places)] of one to four of these, each of a kind of its own."""
    lang = lang if lang in NAMES else "en"
    out = []
    for kind in rng.sample(sorted(KINDS), rng.choice((1, 1, 2, 2, 3, 4))):
        sentences, heads, names, places = KINDS[kind]
        name = rng.choice(NAMES[lang])
        own = sentences[lang]
        text = ("" if lang in ("zh", "ja") else " ").join(rng.sample(own, rng.randint(1, min(3, len(own)))))
        text = text.format(name=name, n=rng.randint(900, 90000))
        head = rng.choice(heads.get(lang) or heads[""]).format(name=name)
        level = rng.choice(("h2", "h3", "h4", "strong", "div"))
        head = f"<{level}>{head}</{level}>" if head else ""
        picture = '<img src="face.jpg" alt="">' if kind == "biography" and rng.random() < 0.5 else ""
        tag = rng.choice(("p", "p", "div", "span"))
        links = rng.choice(("", "", '<a href="/about">…</a>', '<ul><li><a href="/rss">RSS</a></li><li><a href="/contact">E-mail</a></li></ul>'))
        box = rng.choice(("div", "div", "section", "aside"))
        named = f' class="{rng.choice(names)}"' if rng.random() < 0.5 else ""
        out.append((f"\n<{box}{named}>{picture}{head}<{tag}>{text}</{tag}>{links}</{box}>\n", places))
    return out


WORDS = {
    "en": dict(home="Home", about="About", archives="Archives", roll="Blogroll", filed="Filed under", no="No comments", some="{n} comments", by="Posted by {name} on {date}", said="{name} says:", reply="Reply", leave="Leave a comment", recent="Recent posts", tags="Tags"),
    "de": dict(home="Startseite", about="Über mich", archives="Archiv", roll="Links", filed="Abgelegt unter", no="Keine Kommentare", some="{n} Kommentare", by="Geschrieben von {name} am {date}", said="{name} schrieb:", reply="Antworten", leave="Kommentar schreiben", recent="Neueste Beiträge", tags="Schlagwörter"),
    "zh": dict(home="首页", about="关于", archives="文章归档", roll="友情链接", filed="分类：", no="暂无评论", some="{n} 条评论", by="{name} 发表于 {date}", said="{name} 说：", reply="回复", leave="发表评论", recent="最新文章", tags="标签"),
    "ja": dict(home="ホーム", about="プロフィール", archives="アーカイブ", roll="リンク", filed="カテゴリー：", no="コメントはありません", some="コメント {n}件", by="{date} 投稿者：{name}", said="{name} より：", reply="返信", leave="コメントを書く", recent="最近の記事", tags="タグ"),
}


def blog_page(lang, title, text, others, said, rng):
    """The source of a page; `others` are titles of other posts, `said` what readers say."""
    lang = lang if lang in WORDS else "en"
    w, name = WORDS[lang], rng.choice(NAMES[lang])
    year, month, day = rng.randint(2003, 2019), rng.randint(1, 12), rng.randint(1, 28)
    date = f"{year}-{month:02}-{day:02}" if lang in ("zh", "ja") or rng.random() < 0.4 else f"{day} {'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'.split()[month - 1]} {year}"
    link = lambda t, to="/x": f'<a href="{to}">{escape(t, quote=False)}</a>'
    level = rng.choice(("h1", "h2", "h2", "h3"))
    head = link(title, "/p") if rng.random() < 0.6 else escape(title, quote=False)
    picture = rng.choice(("", "", '<p><img src="a.jpg" alt=""></p>', '<figure><img src="a.jpg" alt=""></figure>'))
    inner = escape(text, quote=False)
    if rng.random() < 0.3 and " " in inner:
        words = inner.split(" ")
        at = rng.randrange(len(words))
        words[at] = f'<a href="http://www.example.org/">{words[at]}</a>'
        inner = " ".join(words)
    body = rng.choice(("<p>{}</p>", "<p>{}</p>", "<div>{}</div>", "{}<br>")).format(inner)
    byline = rng.choice(("", f'<p class="meta">{w["by"].format(name=name, date=date)}</p>', f'<div class="date">{date}</div>'))
    some = rng.sample(said, min(len(said), rng.choice((0, 0, 0, 1, 2, 4))))
    count = w["some"].format(n=len(some)) if some else w["no"]
    labels = rng.choice(("", f'<div class="meta">{w["filed"]} {link(rng.choice(others)[:8])} | {link(count, "#respond")}</div>', f'<p class="postmetadata">{link(count, "#c")}</p>'))
    boxes = {place: "" for place in ("inside", "after", "outside", "before", "top")}
    for source, places in surroundings(lang, rng):
        boxes[rng.choice(places)] += source
    content = rng.choice(("entry-content", "storycontent", "post-body", "entry", "text"))
    post = f'<div class="post" id="post-{rng.randint(1, 9999)}"><{level} class="entry-title">{head}</{level}>{byline}<div class="{content}">{picture}{body}</div>{labels}{boxes["inside"]}</div>'
    thread = ""
    if some:
        items = "".join(f'<li id="comment-{n}"><cite>{w["said"].format(name=rng.choice(NAMES[lang]))}</cite> <small>{date} {rng.randint(0, 23)}:{rng.randint(10, 59)}</small><p>{escape(t, quote=False)}</p>{link(w["reply"], "#r")}</li>' for n, t in enumerate(some, 11))
        thread = f'<h3 id="comments">{count}</h3><ol class="commentlist">{items}</ol>'
    thread += rng.choice(("", f'<h3 id="respond">{w["leave"]}</h3><form><textarea></textarea></form>'))
    rows = lambda some: "<ul>" + "".join(f"<li>{link(t)}</li>" for t in some) + "</ul>"
    lists = [f'<h2>{w["archives"]}</h2>' + rows([f"{year}-{m:02}" for m in range(1, rng.randint(3, 9))]), f'<h2>{w["recent"]}</h2>' + rows(rng.sample(others, min(5, len(others)))), f'<h2>{w["roll"]}</h2>' + rows(rng.sample(NAMES[lang], 3)), ""]
    side = f'<div id="sidebar">{boxes["outside"]}{"".join(rng.sample(lists, rng.randint(1, 3)))}</div>'
    menu = rng.choice(("", f'<div id="nav">{link(w["home"], "/")} {link(w["about"])}</div>'))
    site = rng.choice((f"{name}", f"{rng.choice(others)[:10]}"))
    header = rng.choice(("", f'<div id="header"><h1>{link(site, "/")}</h1></div>', f'<div id="header">{link(site, "/")}</div>'))
    foot = rng.choice(("", f'<div id="footer"><p>© {year} {site}</p></div>'))
    parts = [f'<div id="content">{boxes["before"]}{post}{thread}{boxes["after"]}</div>', side]
    if rng.random() < 0.25:
        parts.reverse()
    columns = "".join(parts)
    if rng.random() < 0.2:
        columns = "<table><tr>" + "".join(f'<td valign="top">{part}</td>' for part in parts) + "</tr></table>"
    html = boxes["top"] + header + menu + columns + foot
    if rng.random() < 0.35:
        html = re.sub(r' (class|id)="[^"]*"', "", html)
    stated = rng.choice((f"{title} - {site}", f"{site} » {title}", title))
    return f'<!DOCTYPE html>\n<html lang="{lang}"><head><meta charset="utf-8"><title>{escape(stated, quote=False)}</title></head>\n<body>{html}</body></html>\n'
