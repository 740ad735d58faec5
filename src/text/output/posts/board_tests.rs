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

/// How a board is laid out. `@name` and the like stand for a post's parts, `[one|two]` for words in English and in Chinese.
struct Board {
    name: &'static str,
    page: &'static str,
    /// The first post, where it is unlike the others.
    first: &'static str,
    post: &'static str,
    quote: &'static str,
    /// Around each paragraph of a post, or between them.
    paragraph: [&'static str; 3],
}

const BREAKS: [&str; 3] = ["", "", "<br><br>"];
const PARAGRAPHS: [&str; 3] = ["<p>", "</p>", ""];
const BOARDS: [Board; 7] = [
    Board {
        name: "phpbb",
        page: "<div class=navbar><a href=/f>[Board index|论坛首页]</a></div><h2 class=topic-title><a href=#t>@title</a></h2>\
            <div class=action-bar><a href=#r>[Post Reply|回复主题]</a></div>@posts",
        first: "",
        post: "<div id=p@n class='post has-profile bg1'><div class=inner><dl class=postprofile><dt><a class=username \
            href=./memberlist.php?mode=viewprofile&u=@n>@name</a></dt><dd class=profile-rank>[Junior member|初级会员]</dd><dd>\
            <strong>[Posts|帖子]:</strong> 1@n7</dd><dd><strong>[Joined|注册时间]:</strong> 06 Mar 2006, 12:00</dd></dl>\
            <div class=postbody><h3><a href=#p@n>Re: @title</a></h3><ul class=post-buttons><li><a href=#q>[Quote|引用]</a></li></ul>\
            <p class=author><a href=#p@n><span>Post</span></a><span>[by|由] <strong><a class=username href=#u>@name</a></strong> » \
            </span><time>@date</time></p><div class=content>@body</div><div class=signature>[Fair winds to all.|一路顺风。]</div></div></div></div>",
        quote: "<blockquote><div><cite>old_tom wrote:</cite>@quote</div></blockquote>",
        paragraph: BREAKS,
    },
    Board {
        name: "vbulletin",
        page: "<div class=navbar><a href=/>[Forum|论坛]</a></div><h1>@title</h1><div id=posts>@posts</div><div>[You may not post new \
            threads|上一主题 下一主题]</div>",
        first: "",
        post: "<table class=tborder id=post@n><tr><td class=thead>@date</td><td class=thead>#<a href=#x>@n</a></td></tr><tr>\
            <td class=alt2 width=175><a class=bigusername href=member.php?u=@n>@name</a><div class=smallfont>[Senior Member|高级会员]</div>\
            <div class=smallfont>[Join Date|注册日期]: Mar 2006<br>[Posts|帖子]: 1@n7</div></td><td class=alt1><div id=post_message_@n>@body\
            </div></td></tr><tr><td class=alt2>&nbsp;</td><td class=alt1><a href=#r>[Reply With Quote|引用回复]</a></td></tr></table>",
        quote: "<div class=bbcode_container><div class=bbcode_quote><div class=bbcode_postedby>Originally Posted by <b>old_tom</b></div>\
            <div class=message>@quote</div></div></div>",
        paragraph: BREAKS,
    },
    Board {
        name: "discourse",
        page: "<header><a href=/>[Community|社区]</a></header><div id=topic-title><h1><a href=/t/1>@title</a></h1></div>@posts\
            <div id=related-topics><h3>[Related topics|相关话题]</h3><a href=/t/2>Ice in the gutter</a></div>",
        first: "",
        post: "<div id=post_@n class='topic-body crawler-post' itemprop=comment><div class=crawler-post-meta><span class=creator \
            itemprop=author><a href=/u/@n><span itemprop=name>@name</span></a></span><span class=crawler-post-infos><time>@date</time>\
            <span itemprop=position>@n</span></span></div><div class=post itemprop=text>@body</div><div>@n [Likes|个赞]</div></div>",
        quote: "<aside class=quote><div class=title>old_tom:</div><blockquote><p>@quote</p></blockquote></aside>",
        paragraph: PARAGRAPHS,
    },
    Board {
        name: "discuz",
        page: "<div id=nv><ul><li><a href=/>[Forum|论坛]</a></li></ul></div><div id=postlist><h1 class=ts>@title</h1>@posts</div>\
            <div>Powered by Discuz!</div>",
        first: "",
        post: "<div id=post_@n><table class=plhin><tr><td class=pls rowspan=2><div class=pi><div class=authi><a href=space-uid-@n.html>@name\
            </a></div></div><p><em>[Group|注册会员]</em></p><dl class=pil><dt>UID</dt><dd>1@n7</dd><dt>[Registered|注册时间]</dt><dd>2005-1-1\
            </dd></dl></td><td class=plc><div class=pi><strong><a href=#f><em>@n</em><sup>#</sup></a></strong><div class=authi><em>\
            [Posted|发表于] @date</em> | <a href=#o>[Only this author|只看该作者]</a></div></div><div class=pct><table><tr><td class=t_f>@body\
            </td></tr></table></div></td></tr><tr><td class=plc><a href=#r>[Reply|回复]</a> <a href=#s>[Report|举报]</a></td></tr></table></div>",
        quote: "<div class=quote><blockquote><font size=2>old_tom</font><br>@quote</blockquote></div>",
        paragraph: BREAKS,
    },
    Board {
        name: "stack",
        page: "<body class=question-page><header><a href=/>[Questions|问题]</a></header><h1><a href=/q/1>@title</a></h1>@first<div id=answers>\
            <h2>3 [Answers|个回答]</h2>@posts</div>",
        first: "<div id=question class=question><div class=s-prose itemprop=text>@body</div><div><a class=post-tag href=/t>pump</a></div>\
            <div class=user-info><div>[asked|提问于] <span class=relativetime title='@iso'>@date</span></div><div class=user-details>\
            <a href=/users/7/x>@name</a> <span class=reputation-score>1,207</span></div></div></div>",
        post: "<div class=answer><div class=js-vote-count>12</div><div class=answercell><div class=s-prose itemprop=text>@body</div>\
            <div class=user-info><div>[answered|回答于] <span class=relativetime title='@iso'>@date</span></div><div class=user-details>\
            <a href=/users/7/x>@name</a> <span class=reputation-score>1,207</span></div></div><ul class=comments-list><li class=comment>\
            <span>[Thanks, this helped me a lot.|谢谢，很有帮助，已经修好了。]</span> – <a class=comment-user href=/users/9/gull>gull</a></li></ul></div></div>",
        quote: "<blockquote><p>@quote</p></blockquote>",
        paragraph: PARAGRAPHS,
    },
    Board {
        name: "nested",
        page: "<div id=header><a href=/r/water>[Discussion|讨论]</a></div><div class=content>@first<div class=commentarea>@posts</div></div>",
        first: "<div class='thing link'><p class=title><a href=/1>@title</a></p><p class=tagline>[submitted|提交于] <time>@date</time> [by|由] \
            <a class=author href=/user/x>@name</a></p><div class=usertext-body><div class=md>@body</div></div></div>",
        post: "<div class='thing comment'><div class=entry><p class=tagline><a class=author href=/user/x>@name</a> <span>7 [points|分]</span> \
            <time>@date</time></p><form><div class=md>@body</div></form><ul class='flat-list buttons'><li><a href=#p>[permalink|永久链接]</a></li><li>\
            <a href=#r>[reply|回复]</a></li></ul></div>@child",
        quote: "<blockquote><p>@quote</p></blockquote>",
        paragraph: PARAGRAPHS,
    },
    Board {
        name: "tieba",
        page: "<div><a href=/f>[Water bar|水泵吧]</a></div><h3 class=core_title_txt>@title</h3><div>4 [replies|回复贴，共1页]</div><div>@posts</div>",
        first: "",
        post: "<div class=l_post><div class=d_author><ul><li class=d_name><a class=p_author_name href=/home/main?un=x>@name</a></li><li>1@n</li>\
            </ul></div><div class=d_post_content_main><div class=d_post_content>@body</div><div class=post-tail-wrap><span class=tail-info>@n[F|楼]\
            </span><span class=tail-info>@date</span><a href=#r>[Reply|回复]</a></div></div></div>",
        quote: "<blockquote>@quote</blockquote>",
        paragraph: BREAKS,
    },
];
const TITLES: [&str; 2] = ["Pump starts every ten minutes", "水泵每隔十分钟启动一次"];

/// A template in one of two languages.
fn spoken(template: &str, zh: bool) -> String {
    let parts = template.split('[').enumerate().map(|(n, part)| match part.split_once(']') {
        Some((both, rest)) if n > 0 => {
            let (one, two) = both.split_once('|').expect("two languages");
            format!("{}{rest}", if zh { two } else { one })
        }
        _ => part.to_owned(),
    });
    parts.collect()
}

fn page(board: &Board, zh: bool, all: &[Said]) -> String {
    let title = TITLES[usize::from(zh)];
    let written = |template: &str, n: usize, it: &Said| {
        let [before, behind, between] = board.paragraph;
        let text = it.text.map(|text| format!("{before}{text}{behind}")).join(between);
        let code = it.code.map(|code| format!("<pre><code>{code}</code></pre>")).unwrap_or_default();
        let quote = it.quote.map(|quote| board.quote.replace("@quote", quote)).unwrap_or_default();
        let body = format!("{quote}{text}{code}");
        [
            ("@name", it.name),
            ("@date", it.written),
            ("@iso", it.date),
            ("@n", &format!("{}", n + 1)),
            ("@body", &body),
            // The third post answers the second, and stands in it.
            ("@child", ["", "<div class=child>", "</div></div></div>", "</div>"][n]),
        ]
        .iter()
        .fold(spoken(template, zh), |page, (mark, value)| page.replace(mark, value))
    };
    let from = usize::from(!board.first.is_empty());
    let posts: String = (from..all.len()).map(|n| written(board.post, n, &all[n])).collect();
    let page =
        spoken(board.page, zh).replace("@posts", &posts).replace("@first", &written(board.first, 0, &all[0]));
    format!("<title>{title}</title>{}", page.replace("@title", title))
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
        assert!(want.code.is_none_or(|code| found.text.contains(code)), "{board}: {}", found.text);
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
    for template in &BOARDS {
        let board = template.name;
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
    for template in BOARDS.iter().filter(|board| ["phpbb", "discuz", "tieba"].contains(&board.name)) {
        let board = template.name;
        for (zh, all) in [(false, english()), (true, chinese())] {
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
    // The one with which the bytes are too many, too.
    let mut room = Room::default();
    assert!(room.has_post_of(MAX_BYTES) && !room.has_post_of(1) && !room.has_post_of(1));
    assert_eq!(room.left_out, 2);
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
