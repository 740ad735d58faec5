//! Pages as the software of boards lays them out, three of each: English, English with a quote and code, Chinese.

use super::*;
use crate::{MainText, PageType, TextLimits, main_text};
use webmill_html::{Limits, metadata, parse};

/// A post as it is written and as it should be read.
struct Said {
    name: &'static str,
    written: &'static str,
    date: &'static str,
    quote: Option<&'static str>,
    text: [&'static str; 2],
    code: Option<&'static str>,
}

const fn said(
    name: &'static str,
    written: &'static str,
    date: &'static str,
    text: [&'static str; 2],
) -> Said {
    Said { name, written, date, quote: None, text, code: None }
}

const PUMP: [&str; 4] = [
    "The pump in our cellar starts every ten minutes, although it has not rained for a week, and the pit is nearly dry when I look into it.",
    "Check the valve in the pipe behind it, since the water that stands in the pipe runs back as soon as the motor stops, and fills the pit again.",
    "I had the same last winter, and it was the float, which hung on the cable and could not sink far enough to switch the pump off in time.",
    "It was the valve indeed: a stone as large as a pea lay in it, and since I took that out the pump has been silent for two days.",
];
const MORE: [&str; 4] = [
    "Has anybody seen such a thing, and what would you look at first before I call somebody?",
    "A new one costs less than ten crowns, and it takes a quarter of an hour to change it.",
    "Move the float to the other side and tie the cable up, then try again.",
    "Thank you all, I will put a sieve in front of it so that this does not come back.",
];
const ZH: [&str; 4] = [
    "家里地下室的水泵每隔十分钟就启动一次，可是已经一个星期没有下雨了，我去看的时候集水坑里几乎是干的。",
    "先检查水泵后面管子里的止回阀，电机一停，管子里的水就倒流回来，坑又满了，所以水泵才会反复启动。",
    "去年冬天我家也是这样，后来发现是浮球的电缆缠住了，浮球沉不下去，水泵就一直停不下来。",
    "果然是止回阀的问题，里面卡了一颗豌豆大小的石子，取出来以后水泵已经安静了两天，谢谢各位。",
];
const ZH_MORE: [&str; 4] = [
    "有没有人遇到过这种情况？请师傅之前应该先看哪里？",
    "新的阀门不到十块钱，十几分钟就能换好。",
    "把浮球挪到另一边，电缆扎起来再试试看。",
    "打算在前面加一个滤网，免得以后再卡住。",
];

fn english() -> Vec<Said> {
    let of = |i: usize| [PUMP[i], MORE[i]];
    vec![
        said("millpond", "14 Mar 2009, 10:01", "2009-03-14T10:01:00", of(0)),
        said("old_tom", "14 Mar 2009, 11:32", "2009-03-14T11:32:00", of(1)),
        said("Gerda K", "15 Mar 2009, 08:07", "2009-03-15T08:07:00", of(2)),
        said("millpond", "17 Mar 2009, 21:45", "2009-03-17T21:45:00", of(3)),
    ]
}

fn quoting() -> Vec<Said> {
    let mut all = english();
    all[2].quote = Some("The water that stands in the pipe runs back as soon as the motor stops.");
    all[3].code = Some("pump --log\n  starts: 2");
    all
}

fn chinese() -> Vec<Said> {
    let of = |i: usize| [ZH[i], ZH_MORE[i]];
    vec![
        said("老船工", "2012-5-3 08:15", "2012-05-03T08:15:00", of(0)),
        said("河边的树", "2012-5-3 09:40", "2012-05-03T09:40:00", of(1)),
        said("qingfeng", "2012-5-4 20:06", "2012-05-04T20:06:00", of(2)),
        said("老船工", "2012-5-6 12:30", "2012-05-06T12:30:00", of(3)),
    ]
}

/// The words of a template in the language of a page.
#[derive(Copy, Clone)]
struct Lang {
    zh: bool,
    title: &'static str,
}

impl Lang {
    fn of(self, en: &'static str, zh: &'static str) -> &'static str {
        if self.zh { zh } else { en }
    }
}

/// A post's text as elements, with its quote by the template's own markup.
fn body(it: &Said, quote: impl Fn(&str) -> String, paragraph: impl Fn(&[&str; 2]) -> String) -> String {
    let code = it.code.map(|code| format!("<pre><code>{code}</code></pre>")).unwrap_or_default();
    format!("{}{}{code}", it.quote.map(quote).unwrap_or_default(), paragraph(&it.text))
}

fn breaks(text: &[&str; 2]) -> String {
    text.join("<br><br>")
}

fn paragraphs(text: &[&str; 2]) -> String {
    format!("<p>{}</p><p>{}</p>", text[0], text[1])
}

fn phpbb(lang: Lang, all: &[Said]) -> String {
    let quote = |text: &str| format!("<blockquote><div><cite>old_tom wrote:</cite>{text}</div></blockquote>");
    let post = |(n, it): (usize, &Said)| {
        format!(
            "<div id=p{n} class='post has-profile bg1'><div class=inner><dl class=postprofile><dt class=has-avatar><a class=username href=./memberlist.php?mode=viewprofile&u={n}>{}</a></dt><dd class=profile-rank>{}</dd><dd class=profile-posts><strong>{}:</strong> 1{n}7</dd><dd class=profile-joined><strong>{}:</strong> 06 Mar 2006, 12:00</dd></dl><div class=postbody><h3><a href=#p{n}>Re: {}</a></h3><ul class=post-buttons><li><a href=#q>{}</a></li></ul><p class=author><a href=#p{n}><span>Post</span></a><span>{} <strong><a class=username href=#u>{}</a></strong> » </span><time>{}</time></p><div class=content>{}</div><div class=signature>{}</div></div></div></div><hr class=divider>",
            it.name,
            lang.of("Junior member", "初级会员"),
            lang.of("Posts", "帖子"),
            lang.of("Joined", "注册时间"),
            lang.title,
            lang.of("Quote", "引用"),
            lang.of("by", "由"),
            it.name,
            it.written,
            body(it, quote, breaks),
            lang.of("Fair winds to all who read this.", "一路顺风。"),
        )
    };
    let posts: String = all.iter().enumerate().map(post).collect();
    format!(
        "<div class=navbar><a href=/f>{}</a></div><h2 class=topic-title><a href=#t>{}</a></h2><div class=action-bar><a href=#r>{}</a></div>{posts}",
        lang.of("Board index", "论坛首页"),
        lang.title,
        lang.of("Post Reply", "回复主题")
    )
}

fn vbulletin(lang: Lang, all: &[Said]) -> String {
    let quote = |text: &str| {
        format!(
            "<div class=bbcode_container><div class=bbcode_quote><div class=quote_container><div class=bbcode_postedby>Originally Posted by <strong>old_tom</strong></div><div class=message>{text}</div></div></div></div>"
        )
    };
    let post = |(n, it): (usize, &Said)| {
        format!(
            "<table class=tborder id=post{n}><tr><td class=thead><a name=post{n}></a>{}</td><td class=thead align=right>#<a href=#x>{}</a></td></tr><tr><td class=alt2 width=175><a class=bigusername href=member.php?u={n}>{}</a><div class=smallfont>{}</div><div class=smallfont>{}: Mar 2006<br>{}: 1{n}7</div></td><td class=alt1 id=td_post_{n}><div id=post_message_{n}>{}</div></td></tr><tr><td class=alt2>&nbsp;</td><td class=alt1 align=right><a href=#r>{}</a></td></tr></table>",
            it.written,
            n + 1,
            it.name,
            lang.of("Senior Member", "高级会员"),
            lang.of("Join Date", "注册日期"),
            lang.of("Posts", "帖子"),
            body(it, quote, breaks),
            lang.of("Reply With Quote", "引用回复"),
        )
    };
    let posts: String = all.iter().enumerate().map(post).collect();
    format!(
        "<div class=navbar><a href=/>{}</a></div><h1>{}</h1><div id=posts>{posts}</div><div>{}</div>",
        lang.of("Forum", "论坛"),
        lang.title,
        lang.of("You may not post new threads", "上一主题 下一主题")
    )
}

fn discourse(lang: Lang, all: &[Said]) -> String {
    let quote = |text: &str| {
        format!(
            "<aside class=quote data-username=old_tom><div class=title>old_tom:</div><blockquote><p>{text}</p></blockquote></aside>"
        )
    };
    let post = |(n, it): (usize, &Said)| {
        format!(
            "<div id=post_{n} class='topic-body crawler-post' itemprop=comment><div class=crawler-post-meta><span class=creator itemprop=author><a rel=nofollow href=/u/{n}><span itemprop=name>{}</span></a></span><span class=crawler-post-infos><time class=post-time>{}</time><span itemprop=position>{}</span></span></div><div class=post itemprop=text>{}</div><div><span class=post-likes>{n} {}</span></div></div>",
            it.name,
            it.written,
            n + 1,
            body(it, quote, paragraphs),
            lang.of("Likes", "个赞"),
        )
    };
    let posts: String = all.iter().enumerate().map(post).collect();
    format!(
        "<header><a href=/>{}</a></header><div id=topic-title><h1><a href=/t/1>{}</a></h1></div>{posts}<div id=related-topics><h3>{}</h3><a href=/t/2>Ice in the gutter</a></div>",
        lang.of("Community", "社区"),
        lang.title,
        lang.of("Related topics", "相关话题")
    )
}

fn discuz(lang: Lang, all: &[Said]) -> String {
    let quote = |text: &str| {
        format!("<div class=quote><blockquote><font size=2>old_tom</font><br>{text}</blockquote></div>")
    };
    let post = |(n, it): (usize, &Said)| {
        format!(
            "<div id=post_{n}><table id=pid{n} class=plhin><tr><td class=pls rowspan=2><div class=pi><div class=authi><a href=space-uid-{n}.html class=xw1>{}</a></div></div><p><em>{}</em></p><dl class=pil><dt>UID</dt><dd>1{n}7</dd><dt>{}</dt><dd>2005-1-1</dd></dl></td><td class=plc><div class=pi><strong><a href=#f><em>{}</em><sup>#</sup></a></strong><div class=pti><div class=authi><em>{} {}</em> | <a href=#o>{}</a></div></div></div><div class=pct><div class=pcb><table><tr><td class=t_f id=postmessage_{n}>{}</td></tr></table></div></div></td></tr><tr><td class=plc><div class=pob><em><a class=fastre href=#r>{}</a></em> <a href=#s>{}</a></div></td></tr></table></div>",
            it.name,
            lang.of("Group", "注册会员"),
            lang.of("Registered", "注册时间"),
            n + 1,
            lang.of("Posted", "发表于"),
            it.written,
            lang.of("Only this author", "只看该作者"),
            body(it, quote, breaks),
            lang.of("Reply", "回复"),
            lang.of("Report", "举报"),
        )
    };
    let posts: String = all.iter().enumerate().map(post).collect();
    format!(
        "<div id=nv><ul><li><a href=/>{}</a></li></ul></div><div id=postlist class=pl><h1 class=ts><span id=thread_subject>{}</span></h1>{posts}</div><div>Powered by Discuz!</div>",
        lang.of("Forum", "论坛"),
        lang.title
    )
}

fn stack(lang: Lang, all: &[Said]) -> String {
    let quote = |text: &str| format!("<blockquote><p>{text}</p></blockquote>");
    let signed = |it: &Said, how: &str| {
        format!(
            "<div class=user-info><div class=user-action-time>{how} <span class=relativetime title='{}'>{}</span></div><div class=user-details><a href=/users/7/x>{}</a><span class=reputation-score>1,207</span></div></div>",
            it.date, it.written, it.name
        )
    };
    let (asked, answered) = (lang.of("asked", "提问于"), lang.of("answered", "回答于"));
    let answer = |it: &Said| {
        format!(
            "<div class=answer><div class=votecell><div class=js-vote-count>12</div></div><div class=answercell><div class='s-prose js-post-body' itemprop=text>{}</div><div class=post-signature>{}</div><ul class=comments-list><li class=comment><span class=comment-copy>{}</span> – <a class=comment-user href=/users/9/gull>gull</a></li></ul></div></div>",
            body(it, quote, paragraphs),
            signed(it, answered),
            lang.of("Thanks, this helped me a lot.", "谢谢，很有帮助，已经修好了。"),
        )
    };
    let first = &all[0];
    let answers: String = all[1..].iter().map(answer).collect();
    format!(
        "<body class='question-page unified-theme'><header><a href=/>{}</a></header><div id=question-header><h1><a href=/q/1>{}</a></h1></div><div id=question class=question><div class='s-prose js-post-body' itemprop=text>{}</div><div class=post-taglist><a class=post-tag href=/t/pump>pump</a></div>{}</div><div id=answers><h2>3 {}</h2>{answers}</div>",
        lang.of("Questions", "问题"),
        lang.title,
        body(first, quote, paragraphs),
        signed(first, asked),
        lang.of("Answers", "个回答")
    )
}

fn nested(lang: Lang, all: &[Said]) -> String {
    let quote = |text: &str| format!("<blockquote><p>{text}</p></blockquote>");
    let comment = |it: &Said, inner: &str| {
        format!(
            "<div class='thing comment'><div class=entry><p class=tagline><a class=author href=/user/x>{}</a> <span class=score>7 {}</span> <time>{}</time></p><form><div class=md>{}</div></form><ul class='flat-list buttons'><li><a href=#p>{}</a></li><li><a href=#r>{}</a></li></ul></div><div class=child>{inner}</div></div>",
            it.name,
            lang.of("points", "分"),
            it.written,
            body(it, quote, paragraphs),
            lang.of("permalink", "永久链接"),
            lang.of("reply", "回复"),
        )
    };
    let first = &all[0];
    let replies = comment(&all[1], &comment(&all[2], "")) + &comment(&all[3], "");
    format!(
        "<div id=header><a href=/r/water>{}</a></div><div class=content><div class='thing link'><p class=title><a href=/1>{}</a></p><p class=tagline>{} <time>{}</time> {} <a class=author href=/user/x>{}</a></p><div class=usertext-body><div class=md>{}</div></div></div><div class=commentarea>{replies}</div></div>",
        lang.of("Discussion", "讨论"),
        lang.title,
        lang.of("submitted", "提交于"),
        first.written,
        lang.of("by", "由"),
        first.name,
        body(first, quote, paragraphs)
    )
}

fn tieba(lang: Lang, all: &[Said]) -> String {
    let quote = |text: &str| format!("<blockquote>{text}</blockquote>");
    let post = |(n, it): (usize, &Said)| {
        format!(
            "<div class='l_post j_l_post'><div class=d_author><ul class=p_author><li class=d_name><a class=p_author_name href=/home/main?un=x>{}</a></li><li class=l_badge><div class=d_badge_lv>1{n}</div></li></ul></div><div class=d_post_content_main><div><cc><div class='d_post_content j_d_post_content'>{}</div></cc></div><div class=core_reply><div class=post-tail-wrap><span class=tail-info>{}{}</span><span class=tail-info>{}</span><a href=#r>{}</a></div></div></div></div>",
            it.name,
            body(it, quote, breaks),
            n + 1,
            lang.of("F", "楼"),
            it.written,
            lang.of("Reply", "回复"),
        )
    };
    let posts: String = all.iter().enumerate().map(post).collect();
    format!(
        "<div class=card_title><a href=/f>{}</a></div><h3 class=core_title_txt>{}</h3><div>4 {}</div><div class=p_postlist>{posts}</div>",
        lang.of("Water bar", "水泵吧"),
        lang.title,
        lang.of("replies", "回复贴，共1页")
    )
}

type Template = fn(Lang, &[Said]) -> String;
const BOARDS: [(&str, Template); 7] = [
    ("phpbb", phpbb),
    ("vbulletin", vbulletin),
    ("discourse", discourse),
    ("discuz", discuz),
    ("stack", stack),
    ("nested", nested),
    ("tieba", tieba),
];
const TITLES: [&str; 2] = ["Pump starts every ten minutes", "水泵每隔十分钟启动一次"];

fn page(template: Template, zh: bool, all: &[Said]) -> String {
    let title = TITLES[usize::from(zh)];
    format!("<html><head><title>{title}</title></head>{}</html>", template(Lang { zh, title }, all))
}

fn read(html: &str) -> MainText {
    let dom = parse(html, &Limits::default());
    let base = webmill_html::base_of(&dom, None);
    main_text(&dom, &metadata(&dom, base.as_ref(), &[]), &TextLimits::default())
}

/// Author, date, text and quotes of each post of the thread, as they should be.
fn hold(board: &str, html: &str, all: &[Said]) -> MainText {
    let found = read(html);
    assert_eq!(found.page_type, PageType::Forum, "{board}: {}", found.text);
    let posts: Vec<&Post> = found.posts.iter().filter(|post| post.kind.is_text()).collect();
    assert_eq!(posts.len(), all.len(), "{board}: {posts:#?}");
    for (post, want) in posts.iter().zip(all) {
        let who = (post.author.as_deref(), post.date.as_deref());
        assert_eq!(who, (Some(want.name), Some(want.date)), "{board}: {post:?}");
        let mut text = want.text.join("\n");
        text.extend(want.code.map(|code| format!("\n{code}")));
        let lines =
            |text: &str| text.lines().filter(|line| !line.is_empty()).map(str::to_owned).collect::<Vec<_>>();
        assert_eq!(lines(&post.text), lines(&text), "{board}");
        let quoted = post.quotes.join("\n");
        assert_eq!(want.quote.is_some(), !quoted.is_empty(), "{board}: {post:?}");
        assert!(quoted.ends_with(want.quote.unwrap_or_default()), "{board}: {quoted}");
    }
    assert_eq!(
        (found.about.author.as_deref(), found.about.published.as_deref()),
        (Some(all[0].name), Some(all[0].date)),
        "{board}"
    );
    found
}

#[test]
fn boards_of_known_software() {
    for (board, template) in BOARDS {
        for (zh, all) in [(false, english()), (false, quoting()), (true, chinese())] {
            let found = hold(board, &page(template, zh, &all), &all);
            let headings =
                found.markdown.lines().filter(|line| line.starts_with("## ") && line.contains(", 20"));
            assert_eq!(headings.count(), all.len(), "{board}: {}", found.markdown);
            let answers = found.posts.iter().filter(|post| post.kind == PostKind::Answer).count();
            let comments = found.posts.iter().filter(|post| post.kind == PostKind::Comment);
            assert_eq!(
                (answers, comments.clone().count()),
                if board == "stack" { (3, 3) } else { (0, 0) },
                "{board}"
            );
            assert!(comments.clone().all(|post| post.author.as_deref() == Some("gull")), "{:?}", found.posts);
        }
    }
}

/// A page without the names of its elements.
fn nameless(html: &str) -> String {
    let mut out = String::new();
    for part in html.split('<') {
        let Some((tag, rest)) = part.split_once('>') else { continue };
        let name = tag.split_whitespace().next().unwrap_or_default();
        let href = tag.split_whitespace().find(|it| it.starts_with("href=")).unwrap_or_default();
        out += &format!("<{name} {href}>{rest}");
    }
    out
}

#[test]
fn boards_that_nobody_names_are_found_by_repetition() {
    for (board, template) in [("phpbb", phpbb as Template), ("discuz", discuz), ("tieba", tieba)] {
        for (zh, all) in [(false, english()), (true, chinese())] {
            let all: Vec<Said> = all.into_iter().map(|it| Said { code: None, ..it }).collect();
            hold(board, &nameless(&page(template, zh, &all)), &all);
        }
    }
}

/// The thread of a page of which all long blocks are chosen.
fn threaded(html: &str) -> thread::Thread {
    let dom = parse(html, &Limits::default());
    let page = crate::blocks::blocks(&dom, dom.body().unwrap());
    let chosen: Vec<bool> = page.blocks.iter().map(|block| block.counts.units >= 8.0).collect();
    let context = crate::threads::PageContext { dom: Some(&dom), ..Default::default() };
    thread::thread(&ThreadPage { dom: &dom, page: &page, chosen: &chosen, headline: None, context })
}

#[test]
fn posts_over_the_limit_are_counted() {
    let post = |n: usize| {
        format!(
            "<div class=post><b>ann{n}x</b> <i>3 May 2020, 10:01</i><p>These are some words of mine, and there are {n} others.</div>"
        )
    };
    let found = threaded(&(0..MAX_POSTS + 7).map(post).collect::<String>());
    assert_eq!((found.posts.len(), found.left_out), (MAX_POSTS, 7));
}

#[test]
fn hostile_threads_are_bounded() {
    let post = "<div class=quote><blockquote><a class=author href=/u>A</a> 2020-01-01<p>words that are here, of which there are many more</blockquote>";
    for html in [
        post.repeat(4_000),
        format!("{}{}", "<blockquote>".repeat(600), post.repeat(600)),
        "<p>2020-01-01 10:00".repeat(9_000),
    ] {
        assert!(threaded(&html).posts.len() <= MAX_POSTS);
    }
}

#[test]
fn days_of_members_and_of_edits_are_no_days_of_posts() {
    let post = |name: &str, n: usize| {
        format!(
            "<div class=post><div><b>{name}</b><br>Joined: 1 May 2001<br>Posts: 12</div><p>Posted: {n} June 2010</p><p>{}</p><p>Last edited by {name} on 9 July 2011</p></div>",
            PUMP[n]
        )
    };
    let found = threaded(&format!("{}{}{}", post("Ann", 1), post("Bo", 2), post("Cy", 3)));
    let read: Vec<_> = found
        .posts
        .iter()
        .map(|post| (post.author.as_deref(), post.date.as_deref(), post.text.as_str()))
        .collect();
    let want = [("Ann", "2010-06-01", PUMP[1]), ("Bo", "2010-06-02", PUMP[2]), ("Cy", "2010-06-03", PUMP[3])];
    assert_eq!(read, want.map(|(name, date, text)| (Some(name), Some(date), text)));
}
