use super::*;
use crate::blocks::blocks;
use proptest::prelude::*;
use webmill_html::{Limits, parse};

/// A page's threads, and its blocks as `(text, whether in a thread)`.
fn read(html: &str) -> (Threads, Vec<(String, bool)>) {
    let dom = parse(html, &Limits::default());
    let page = blocks(&dom, dom.body().unwrap());
    let found = threads(&page, &PageContext { dom: Some(&dom), ..PageContext::default() });
    let texts = page.blocks.iter().enumerate();
    let texts = texts.map(|(i, b)| (page.text_of(b).to_string(), found.strength(i) >= THREAD)).collect();
    (found, texts)
}

const ARTICLE: &str = "<h1>A new boat</h1><p>By Eve Stone, January 2, 2012</p><p>Here is what I know of my new boat, which lies \
    at the lake since yesterday, and which is red. It has two sails, an engine, and room for five people and a dog.</p>";

/// Texts of five comments.
const SAYINGS: [&str; 5] = [
    "What a lovely boat you have, I would like to go out on the lake with it.",
    "I had one like this and sold it, as it was leaking all the time.",
    "Where did you buy it? My brother looks for one.",
    "Congratulations, and mind the weather!",
    "You should paint it blue, since it is then seen from far away.",
];

/// Holds that blocks are of a thread exactly from `from` on, in `items` items.
fn hold(html: &str, from: &str, items: usize) {
    let (found, texts) = read(html);
    let first = texts.iter().position(|(text, _)| text.starts_with(from)).expect("a block begins so");
    for (i, (text, of)) in texts.iter().enumerate() {
        assert_eq!(*of, i >= first, "{text} in {html}");
    }
    assert_eq!(found.items(), items, "{html}");
    assert_eq!((found.starts_at(), found.includes_first()), (Some(first), false), "{html}");
}

#[test]
fn bylines_stand_below_what_they_belong_to() {
    let names = ["Ann", "Bob", "Cid", "Dee", "Eve"];
    let post = |(i, name): (usize, &&str)| {
        format!("<p>{}</p><p>Posted by {name} at January {}, 2012 2:1{i} PM</p>", SAYINGS[i], i + 3)
    };
    let posts: String = names.iter().enumerate().map(post).collect();
    let html = format!("<div>{ARTICLE}<h2>Comments</h2>{posts}</div>");
    hold(&html, "Comments", 5);
    let (found, texts) = read(&html);
    let at = |start: &str| texts.iter().position(|(text, _)| text.starts_with(start)).expect("a block");
    assert_eq!(found.item(at("Where did")), found.item(at("Posted by Cid")));
    assert_eq!((found.role(at("Where did")), found.role(at("Posted by Cid"))), (Role::Body, Role::Byline));
}

#[test]
fn bylines_stand_above_what_they_belong_to() {
    let said: String = (0..4)
        .map(|i| format!("<div><b><a href=/p{i}>Ann {i}</a> said...</b></div><div>{}<br><br><a href=#c12{i}>10/1{i}/12, 8:2{i} PM</a></div>", SAYINGS[i]))
        .collect();
    hold(&format!("<div>{ARTICLE}</div><div><h4>4 comments:</h4><div>{said}</div></div>"), "4 comments", 4);
    let listed: String = (0..4)
        .map(|i| format!("<dt><a href=#x>#{}</a> On December 1{i}th, 2011 10:5{i} am <span><a href=/u>Will</a> replied:</span></dt><dd><p>{}</p></dd>", i + 1, SAYINGS[i]))
        .collect();
    hold(
        &format!("<div>{ARTICLE}</div><div><h3>Your Replies</h3><dl>{listed}</dl></div>"),
        "Your Replies",
        4,
    );
}

#[test]
fn replies_are_items_of_their_own() {
    let item = |name: &str, day: u32, text: &str, replies: &str| {
        format!(
            "<li><div><cite>{name}</cite> says:</div><div><a href=/x>May {day}, 2020 at 8:00 am</a></div><p>{text}</p><div><a href=/r>Reply</a></div>{replies}</li>"
        )
    };
    let reply = format!("<ul>{}{}</ul>", item("Bo", 4, SAYINGS[1], ""), item("Cy", 5, SAYINGS[2], ""));
    let list = format!("{}{}", item("Ann", 3, SAYINGS[0], &reply), item("Di", 6, SAYINGS[3], ""));
    hold(
        &format!("<div>{ARTICLE}</div><div><h3>4 thoughts on A new boat</h3><ol>{list}</ol></div>"),
        "4 thoughts",
        4,
    );
}

#[test]
fn comments_of_chinese_portals() {
    let item = |i: usize, text: &str| {
        format!(
            "<div><span>网易北京市网友 ip：123.118.*.*</span> <span>2012-03-0{i} 12:33:2{i} 发表</span></div><div>{text}</div><div><a href=/a>顶[3]</a> <a href=/b>回复</a> <a href=/c>举报</a></div>"
        )
    };
    let items = item(4, "早高峰确实太堵了，希望公交专用道能早点建成。")
        + &item(5, "支持，公交优先是对的。")
        + &item(6, "修路修了三年还没修好，怎么办？");
    let html = format!(
        "<div><h1>某市召开会议研究交通问题</h1><p>2012-03-04 09:00 来源：某报</p><p>某市市政府昨天召开会议，研究早高峰时段的交通拥堵问题。会议提出，年内将新建两条公交专用道，市民可以在网站上提出意见。</p></div><div><h3>网友评论(3)</h3>{items}</div>"
    );
    hold(&html, "网友评论", 3);
}

#[test]
fn bylines_and_headings_of_many_languages() {
    for (heading, byline) in [
        ("3 Kommentare", "Ann schrieb am 3. Mai 2012 um 8:00 Uhr:"),
        ("3 commentaires", "Ann a écrit le 3 mai 2012 à 8:00"),
        ("3 comentarios", "Ann dijo: 3 de mayo de 2012"),
        ("3 comentários", "Ann disse: 3 de maio de 2012 8:00"),
        ("3 commenti", "Ann ha scritto: 3 maggio 2012 8:00"),
        ("3 reacties", "Ann schreef op 3 mei 2012 8:00:"),
        ("3 комментария", "Ann написал 03.05.2012 в 08:00"),
        ("3 件のコメント", "Ann さん 2012年5月3日 8:00"),
        ("댓글 3", "Ann님 2012-05-03 08:00"),
        ("评论(3)", "Ann 发表于 2012-05-03 08:00:00"),
        ("3 komentarze", "Ann napisał(a): 2012-05-03 08:00"),
    ] {
        let items: String =
            SAYINGS[..3].iter().map(|text| format!("<div><p>{byline}</p><p>{text}</p></div>")).collect();
        hold(&format!("<div>{ARTICLE}</div><div><h3>{heading}</h3>{items}</div>"), heading, 3);
    }
}

#[test]
fn one_comment_under_a_heading_that_counts_it() {
    let html = format!(
        "<div>{ARTICLE}</div><div><h3>1 comment</h3><div><p>Ann says: May 3, 2012 at 8:00</p><p>{}</p></div></div>",
        SAYINGS[0]
    );
    hold(&html, "1 comment", 1);
}

#[test]
fn posts_of_a_board_are_no_comments() {
    let post = |i: usize| {
        format!(
            "<div><div><a href=/u>user{i}</a></div><div>May {}, 2012 at 8:0{i} PM</div><p>{}</p><p>{}</p><a href=/q>Quote</a></div>",
            i + 3,
            SAYINGS[i],
            SAYINGS[(i + 1) % 5]
        )
    };
    let posts: String = (0..5).map(post).collect();
    let (found, texts) =
        read(&format!("<div><a href=/>Index</a></div><h1>Which boat?</h1><div>{posts}</div>"));
    assert!(texts.iter().all(|(_, of)| !of), "{texts:?}");
    assert!(found.includes_first() || found.is_empty());
    assert_eq!((found.items(), found.starts_at()), (0, None));
}

/// Pages of alike items that are no comments.
#[test]
fn other_repetitions_are_no_threads() {
    let words = "It was a long day at the lake, with sun, wind and many people on the shore, who had come to see the race. ".repeat(3);
    let home: String = (0..5)
        .map(|i| format!("<div><h2><a href=/{i}>A day at the lake number {i}</a></h2><p>{words}</p><p>Posted by Ann at May {}, 2012 8:00 AM | <a href=/{i}#c>{i} comments</a></p></div>", i + 1))
        .collect();
    let news: String = (0..8)
        .map(|i| {
            format!("<li><a href=/{i}>Mayor opens the new bridge over the lake</a> May {}, 2012</li>", i + 1)
        })
        .collect();
    let changes: String = (0..6).map(|i| format!("<h3>1.{i} (2012-05-0{})</h3><ul><li>Mend the reader of dates.</li><li>Add a flag for it.</li></ul>", i + 1)).collect();
    let faq: String = (0..6).map(|i| format!("<h3>What does number {i} mean?</h3><p>{words}</p>")).collect();
    let steps: String =
        (0..6).map(|i| format!("<li>Stir the soup for {i}0 minutes, and add salt.</li>")).collect();
    let story: String = (0..6)
        .map(|i| {
            format!(
                "<p>The man in coat {i} said:</p><p>“I do not know of any boat, sir, and I never did.”</p>"
            )
        })
        .collect();
    let entries: String = (0..6).map(|i| format!("<dl><dt>fn read{i}(path) -&gt; Result</dt><dd>Reads what a file says, since 1.{i}.0.</dd></dl>")).collect();
    for html in [home, format!("<ul>{news}</ul>"), changes, faq, format!("<ol>{steps}</ol>"), story, entries]
    {
        let (found, texts) = read(&format!("{ARTICLE}<div>{html}</div>"));
        assert!(texts.iter().all(|(_, of)| !of) && found.items() == 0, "{texts:?}");
    }
}

#[test]
fn pages_without_bylines_have_nothing() {
    for html in ["", "<p>one", "<p>one<p>two<p>three<p>four", ARTICLE] {
        let (found, texts) = read(html);
        assert!(found.is_empty() || texts.iter().all(|(_, of)| !of), "{html}");
        assert_eq!((found.strength(99), found.item(99), found.role(99)), (0.0, None, Role::None));
    }
}

proptest! {
    /// Whatever stands on a page, items are in order, and strengths between 0 and 1.
    #[test]
    fn items_are_in_order(pieces in prop::collection::vec(0usize..14, 0..60)) {
        let parts = [
            "<div>", "</div>", "<ul><li>", "</li></ul>", "<p>Ann said on May 3, 2020 at 8:00", "<p>Bob wrote:", "<h3>3 comments</h3>",
            "<p>Some words that are long enough to be read as prose, by all means.", "<li>2020-05-04 10:00", "<blockquote>", "<p>Reply",
            "<h4>Leave a comment</h4>", "<td>Ann (2012-03-04 12:33): that is what I say, and nothing else", "<p>#1 Posted by Ann on 2012-03-04",
        ];
        let html: String = pieces.iter().map(|&piece| parts[piece]).collect();
        let (found, texts) = read(&html);
        let items: Vec<u32> = (0..texts.len()).filter_map(|i| found.item(i)).collect();
        let mut seen = std::collections::HashSet::new();
        for pair in items.chunk_by(|a, b| a == b) {
            prop_assert!(seen.insert(pair[0]), "an item in two places: {items:?} in {html}");
        }
        prop_assert!((0..texts.len()).all(|i| (0.0..=1.0).contains(&found.strength(i))));
        prop_assert!(found.starts_at().is_none_or(|at| at < texts.len()));
    }
}
