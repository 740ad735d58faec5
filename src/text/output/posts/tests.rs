use super::byline::{date_in, is_dated};
use super::*;
use crate::blocks::blocks;
use crate::threads::{PageContext, threads};
use webmill_html::{DateOrder, Limits, metadata, parse};

fn read(source: &str) -> Vec<(Option<String>, Option<String>, String)> {
    let dom = parse(source, &Limits::default());
    let page = blocks(&dom, dom.body().expect("a body"));
    let chosen: Vec<bool> = page.blocks.iter().map(|b| page.text_of(b).starts_with("MAIN")).collect();
    let found = threads(&page, &PageContext { dom: Some(&dom), ..PageContext::default() });
    let context = PageContext { dom: Some(&dom), ..PageContext::default() };
    let of = ThreadPage { dom: &dom, page: &page, chosen: &chosen, headline: None, context };
    comments(&of, &found, &reviews::reviews(&of, &metadata(&dom, None, &[]).structured.reviews))
        .0
        .into_iter()
        .map(|c| (c.author, c.date, c.text))
        .collect()
}

fn some(author: &str, date: &str, text: &str) -> (Option<String>, Option<String>, String) {
    (Some(author.to_string()), Some(date.to_string()), text.to_string())
}

#[test]
fn threads_with_replies() {
    let found = read(
        "<article><p>MAIN text</p></article><div id=comments><h3>2 comments</h3><ol class=comment-list>
        <li class=comment><div class=comment-author>Ann Lee says:</div><div class=comment-meta><a href=#c1>May 3, 2020 at 8:00</a></div>
        <div class=comment-content><p>First words.<p>Second words.</div><div class=reply><a href=#r>Reply</a></div>
          <ul class=children><li class=comment><div class=comment-author>Bo</div><div class=comment-meta>2020-05-04</div>
          <div class=comment-content><p>I agree with you.</div></ul>
        <li class=comment><div class=comment-author>王小明</div><div class=comment-meta>2020年5月5日</div><p>说得好。</p></ol>
        <div id=respond class=comment-respond><form class=comment-form><p>Your e-mail address will not be published at all.</p></form></div></div>",
    );
    let want = vec![
        some("Ann Lee", "2020-05-03", "First words.\nSecond words."),
        some("Bo", "2020-05-04", "I agree with you."),
        some("王小明", "2020-05-05", "说得好。"),
    ];
    assert_eq!(found, want);
}

#[test]
fn bylines_without_an_element_of_their_own() {
    let found = read(
        "<p>MAIN text</p><div class=comments><h3>两条评论</h3>
        <div class=comment><span class=author>老船工</span> <span class=date>2024-06-08</span><p>桨要听风的。</p></div></div>",
    );
    assert_eq!(found[0], some("老船工", "2024-06-08", "桨要听风的。"));
    let found = read(
        "<div class=comments><div class=comment><div class=meta>May 3, 2020</div><p>No name stands over this one.</div></div>",
    );
    assert_eq!(found, [(None, Some("2020-05-03".to_string()), "No name stands over this one.".to_string())]);
}

#[test]
fn what_is_main_text_or_no_comment_is_left() {
    assert_eq!(
        read(
            "<div class=comments><div class=comment><b class=user>A</b><p>MAIN words of a thread</div></div>"
        ),
        []
    );
    assert_eq!(read("<p>No names at all, only a paragraph of words that stand here.</p>"), []);
    assert_eq!(read("<div class=comments><a href=/c>Leave a comment</a></div>"), []);
    // One that nobody signed is a hint as often as not.
    let bare = "<p>Somebody wrote these many words without any name, it seems.</p>";
    assert_eq!(read(&format!("<div class=comments>{bare}</div>")), []);
}

#[test]
fn sections_of_handbooks_are_no_comments() {
    let section = "<section id=comments><h2>Comments</h2><p>A line that begins with two slashes is passed over by it.</section>";
    assert_eq!(read(section), []);
    let thread =
        "<div class=comment><b class=user>Ann</b><i>2020-05-03</i><p>Some words of mine here, Bo.</div>";
    assert_eq!(read(&format!("{section}{thread}")).len(), 1);
}

#[test]
fn cards_and_repeats_are_no_comments() {
    let post = |user: &str, words: &str| {
        format!("<div class=comment><b class=user>{user}</b> <i>May 3, 2020</i><p>{words}</div>")
    };
    let none = [
        "Joined: 3 May 2005<p>Location: Old Town<p>Posts: 1,204",
        "Reply to Ann",
        "Comments are closed.",
        "12",
    ];
    for words in none {
        assert_eq!(read(&format!("<div class=comments>{}</div>", post("Bo", words))), [], "{words}");
    }
    let one = post("Ann", "Words that say the same thing.");
    assert_eq!(read(&format!("{one}{one}{}", post("Bo", "Words that say the same thing."))).len(), 2);
    let longer = post("Ann", "Words that say the same thing.<p>And these say more of it.");
    assert_eq!(read(&format!("{one}{longer}")).len(), 1);
    let date_in = |text| date_in(text, DateOrder::Undecided);
    assert_eq!(date_in("3 May 1984"), None);
    assert_eq!(date_in("3 May 1994").as_deref(), Some("1994-05-03"));
    assert!(is_dated("03/04/2024") && date_in("03/04/2024").is_none() && !is_dated("03/04/1984"));
}

#[test]
fn hostile_pages_are_bounded() {
    let deep = "<div class=comment><i class=author>A 2020-01-01</i><p>words here</p>".repeat(20_000);
    assert!(read(&deep).len() <= MAX_POSTS);
}

#[test]
fn threads_whose_elements_have_no_names() {
    let thread = "<p>MAIN text</p><div><h3>3 Kommentare</h3>
        <div><p>Ann Lee schrieb am 3. Mai 2020 um 8:00 Uhr:</p><p>Das sehe ich auch so.</p><p>Ganz genau so.</p></div>
        <div><p>Bo schrieb am 4. Mai 2020 um 9:00 Uhr:</p><p>Ich aber nicht, und zwar nie.</p></div>
        <div><p>Cy schrieb am 5. Mai 2020 um 9:30 Uhr:</p><p>Warum denn eigentlich nicht?</p><p><a href=/r>Antworten</a></p></div></div>";
    let want = [
        some("Ann Lee", "2020-05-03", "Das sehe ich auch so.\nGanz genau so."),
        some("Bo", "2020-05-04", "Ich aber nicht, und zwar nie."),
        some("Cy", "2020-05-05", "Warum denn eigentlich nicht?"),
    ];
    assert_eq!(read(thread), want);
}

#[test]
fn names_are_found_around_dates() {
    for (text, want) in [
        ("December 30, 2006 - 12:01 am Claudia", Some("Claudia")),
        ("#1 On December 16th, 2011 10:59 am Will Boucher replied:", Some("Will Boucher")),
        ("Posted by: Fausta at Nov 23, 2004 3:36:20 PM", Some("Fausta")),
        ("At 4/19/2005 08:15:16 PM, Ghassan said...", Some("Ghassan")),
        ("Mister Roboto said...", Some("Mister Roboto")),
        ("Post by Robby", Some("Robby")),
        ("王小明 发表于 2005-9-15 11:46:00", Some("王小明")),
        ("2 楼", None),
        ("April 27, 2009 at 1:18 pm", None),
        ("6/18/08, 6:37 PM", None),
    ] {
        assert_eq!(byline::writer(text, DateOrder::Undecided).as_deref(), want, "{text}");
    }
}

#[test]
fn reviews_of_customers() {
    let review = |name: &str, words: &str| {
        format!("<div class=review><b>{name}</b> ★★★ <i>3 May 2020</i><p>{words}</p></div>")
    };
    let page = |reviews: &str| {
        let html = format!(
            "<h1>Lamp</h1><p>MAIN words about a lamp.</p><div class=reviews><h2>Reviews (2)</h2>{reviews}</div>"
        );
        read(&html)
    };
    let both = review("Anna", "Bright enough to read by.") + &review("Mats", "The glass broke after a week.");
    let want = [
        some("Anna", "2020-05-03", "Bright enough to read by."),
        some("Mats", "2020-05-03", "The glass broke after a week."),
    ];
    assert_eq!(page(&both), want);
    // Ratings of other products.
    assert_eq!(page("<div class=rating>★★★</div><div class=rating>★★</div>"), []);
}

#[test]
fn names_behind_comments_of_one_line() {
    let found = read(
        "<p>MAIN text</p><ul class=comments><li class=comment>Have you tried it with salt? – <a href=/u/3>gull</a> 3 May 2020</ul>",
    );
    assert_eq!(found, [some("gull", "2020-05-03", "Have you tried it with salt?")]);
}
