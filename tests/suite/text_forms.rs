//! `webmill text`: what is shown of pages, in which form, and where it is written.

use std::path::PathBuf;

use quick_xml::Reader;
use quick_xml::events::Event;

use crate::support::{Work, objects};

const PAGE: &str = "<html lang=en><head><title>Tea \"at\" home: a <guide> | The Tea House</title><meta charset=utf-8>
<meta property=og:site_name content='The Tea House'><meta name=description content='How to & why'>
<meta name=author content='Ann Lee'><meta property=article:published_time content='2020-01-02T03:04:05Z'></head><body>
<nav><a href=/>Home</a> <a href=/shop>Shop</a></nav><article><h1>Tea \"at\" home: a &lt;guide></h1>
<p>Good tea needs <b>fresh water</b>, a warm pot and patience; this <a href=\"guide.html?a=1&amp;b=2\">longer guide</a> tells the rest of the story.</p>
<p>A picture of the pot <img src=/pot.png alt='The pot & lid'> shows how the lid should sit on it while the leaves wait in the water.</p>
<ul><li>Fill the pot with water from the well, not from the tap.</li><li>Wait until the leaves have come down, four minutes at most.</li></ul>
<table><tr><th>Leaf</th><th>Minutes</th></tr><tr><td>Green tea</td><td>2</td></tr><tr><td>Black tea</td><td>4</td></tr><tr><td>White tea</td><td>3</td></tr></table>
<p>Heat the water until it boils, warm the pot with some of it, and pour the rest over the leaves at once, since they wait for it.</p>
</article><div id=comments class=comments><h3>2 comments</h3>
<div class=comment><span class=comment-author>Bob</span> <time datetime=2020-02-03>3 February 2020</time><p class=comment-body>I never warm the pot, and my tea is as good as yours, I think.</p></div>
<div class=comment><span class=comment-author>Eve</span> <time datetime=2020-02-04>4 February 2020</time><p class=comment-body>You should try it once, the difference is larger than one would believe.</p></div>
</div><footer>© 2020 The Tea House</footer></body></html>";

const GERMAN: &str = "<html><title>Tee</title><body><h1>Tee</h1><p>Guter Tee braucht frisches Wasser, eine warme Kanne und viel Geduld, und er zieht nicht länger als vier Minuten.</p>
<p>Das Wasser wird erhitzt, bis es kocht, und dann sofort über die Blätter gegossen, weil diese darauf warten.</p></body></html>";

fn site() -> Work {
    let work = Work::new();
    std::fs::create_dir_all(work.path("site/b")).unwrap();
    std::fs::write(work.path("site/a.html"), PAGE).unwrap();
    std::fs::write(work.path("site/b/a.html"), GERMAN).unwrap();
    work
}

#[test]
fn markdown_stands_in_json_and_behind_front_matter_on_demand() {
    let work = site();
    let page = &objects(&work.output(&["text", "site/a.html", "--format", "json", "--with-markdown"]))[0];
    let markdown = work.output(&["text", "site/a.html", "--format", "md"]);
    assert_eq!(page["markdown"].as_str().unwrap(), markdown.trim_end());
    let with = work.output(&[
        "text",
        "site/a.html",
        "--format",
        "md",
        "--front-matter",
        "--url",
        "http://tea.example/x",
    ]);
    let (matter, rest) = with.strip_prefix("---\n").unwrap().split_once("---\n\n").unwrap();
    assert!(rest.contains("# Tea \"at\" home"), "{rest}");
    let fields: std::collections::BTreeMap<&str, serde_json::Value> = matter
        .lines()
        .map(|line| line.split_once(": ").unwrap())
        .map(|(name, value)| (name, serde_json::from_str(value).unwrap()))
        .collect();
    assert_eq!((&fields["id"], &fields["author"]), (&"a.html".into(), &"Ann Lee".into()));
    assert_eq!(
        (&fields["url"], &fields["description"]),
        (&"http://tea.example/x".into(), &"How to & why".into())
    );
    assert!(fields["date"].as_str().unwrap().starts_with("2020-01-02") && fields["language"] == "eng");
    for (arguments, words) in [
        (&["text", "site", "--with-markdown"][..], "--format json"),
        (&["text", "site", "--front-matter"], "--format md"),
        (&["text", "site", "--overwrite"], "--out"),
        (&["text", "site", "--precision", "--recall"], "--recall"),
        (&["text", "site", "--no-comments", "--with-comments"], "--no-comments"),
        (&["text", "site", "--language", "english"], "639"),
    ] {
        let said = work.fails(arguments, 2);
        assert!(said.contains(words), "{arguments:?}: {said}");
    }
}

#[test]
fn titles_stand_before_texts_on_demand_and_before_markdown_always() {
    let work = site();
    let text = |more: &[&str]| work.output(&[&["text", "site/a.html"], more].concat());
    let title = "Tea \"at\" home: a <guide>";
    assert!(!text(&[]).contains(title));
    assert_eq!(text(&["--with-title"]), format!("{title}\n{}", text(&[])));
    for more in [&["--format", "md"][..], &["--format", "md", "--with-title"]] {
        let markdown = text(more);
        assert!(markdown.starts_with("# Tea \"at\" home: a \\<guide>\n\nGood tea"), "{markdown}");
        assert_eq!(markdown.matches("home: a").count(), 1);
    }
    let page = &objects(&text(&["--format", "json", "--with-title"]))[0];
    assert!(page["text"].as_str().unwrap().starts_with(title) && page["title"] == title);
}

#[test]
fn tables_links_images_and_comments_come_and_go() {
    let work = site();
    let md = |more: &[&str]| {
        work.output(
            &[&["text", "site/a.html", "--format", "md", "--url", "http://tea.example/"], more].concat(),
        )
    };
    let all = md(&[]);
    assert!(
        all.contains("| Green tea | 2 |")
            && all.contains("](http://tea.example/guide.html")
            && all.contains("![The pot & lid]"),
        "{all}"
    );
    assert!(!all.contains("never warm"));
    let none = md(&["--no-tables", "--no-links", "--no-images"]);
    assert!(!none.contains("Green tea") && !none.contains("](") && none.contains("longer guide"), "{none}");
    assert!(md(&["--with-comments"]).contains("I never warm the pot"));
    let text = work.output(&["text", "site/a.html", "--with-comments", "--no-tables"]);
    assert!(text.contains("I never warm the pot") && !text.contains("Green tea"), "{text}");
    let json = |more: &[&str]| {
        objects(&work.output(&[&["text", "site/a.html", "--format", "json"], more].concat()))[0].clone()
    };
    assert_eq!(
        (json(&[])["tables"].as_array().unwrap().len(), json(&[])["posts"].as_array().unwrap().len()),
        (1, 2)
    );
    let bare = json(&["--no-tables", "--no-comments"]);
    assert_eq!((&bare["tables"], &bare["posts"]), (&serde_json::json!([]), &serde_json::json!([])));
}

#[test]
fn precision_keeps_less_and_recall_more() {
    let work = site();
    let pages = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/pages/zh");
    let length = |focus: &[&str]| {
        let folder = pages.to_str().unwrap();
        work.output(&[&["text", folder, "--format", "json"], focus].concat()).len()
    };
    let (precise, plain, full) = (length(&["--precision"]), length(&[]), length(&["--recall"]));
    assert!(precise < plain && plain < full, "{precise} {plain} {full}");
}

#[test]
fn texts_in_other_languages_are_left_out_and_counted() {
    let work = site();
    for (codes, id, said) in [("en", "a.html", "1 deu"), ("deu,fr", "b/a.html", "1 eng")] {
        let out = work.run(&["text", "site", "--format", "json", "--language", codes]);
        let pages = objects(&String::from_utf8(out.stdout).unwrap());
        assert_eq!((pages.len(), &pages[0]["id"]), (1, &id.into()));
        let stderr = String::from_utf8(out.stderr).unwrap();
        assert!(stderr.contains("1 texts left out") && stderr.contains(said), "{stderr}");
    }
    let said = work.fails(&["text", "site", "--target-language", "ja"], 1);
    assert!(said.contains("2 texts left out: 1 deu, 1 eng"), "{said}");
}

#[test]
fn a_list_gives_pages_their_addresses() {
    let work = site();
    std::fs::write(work.path("urls.tsv"), "a.html\thttp://tea.example/forum/1\nsite/b/a.html\thttp://tee.example/2\nnowhere.html\thttp://x.example/\n").unwrap();
    let out = work.run(&["text", "site", "--format", "json", "--urls", "urls.tsv"]);
    let urls: Vec<_> =
        objects(&String::from_utf8(out.stdout).unwrap()).iter().map(|page| page["url"].clone()).collect();
    assert_eq!(urls, ["http://tea.example/forum/1", "http://tee.example/2"]);
    let said = String::from_utf8(out.stderr).unwrap();
    assert!(said.contains("--urls: 1 lines that fit no file"), "{said}");
    let said = work.fails(&["text", "site", "--urls", "missing.tsv"], 2);
    assert!(said.contains("missing.tsv"), "{said}");
}

#[test]
fn a_file_a_page_stays_in_its_folder_and_is_not_replaced() {
    let work = site();
    let out = work.run(&["text", "site", "--format", "md", "--out", "out"]);
    assert!(out.stdout.is_empty());
    assert!(String::from_utf8(out.stderr).unwrap().contains("2 files written to out"));
    let first = std::fs::read_to_string(work.path("out/a.html.md")).unwrap();
    assert!(first.contains("fresh water") && work.path("out/b/a.html.md").is_file());
    std::fs::write(work.path("out/a.html.md"), "mine").unwrap();
    let said = work.fails(&["text", "site", "--format", "md", "--out", "out"], 2);
    assert!(said.contains("a.html.md is there already; --overwrite replaces it"), "{said}");
    assert_eq!(std::fs::read_to_string(work.path("out/a.html.md")).unwrap(), "mine");
    work.run(&["text", "site", "--format", "md", "--out", "out", "--overwrite"]);
    assert_eq!(std::fs::read_to_string(work.path("out/a.html.md")).unwrap(), first);
    // An id that leads upwards does not.
    std::fs::create_dir(work.path("deep")).unwrap();
    work.run(&["text", "deep/../site/a.html", "site/b", "--out", "up"]);
    assert!(work.path("up/deep/%2E%2E/site/a.html.txt").is_file());
    #[cfg(unix)]
    {
        std::fs::create_dir(work.path("linked")).unwrap();
        std::os::unix::fs::symlink(work.path("deep"), work.path("linked/b")).unwrap();
        let said = work.fails(&["text", "site", "--out", "linked"], 1);
        assert!(said.contains("nothing is written behind it"), "{said}");
        assert_eq!(std::fs::read_dir(work.path("deep")).unwrap().count(), 0);
    }
}

/// What may stand in an element of TEI, of those that are written (TEI P5, content models of the elements).
fn may_hold(parent: &str, child: &str) -> bool {
    const PHRASE: &str = " hi ref del code lb figure date name ptr ";
    const BLOCK: &str = " p ab list quote table figure ";
    let words = match parent {
        "teiCorpus" => " teiHeader TEI ".to_owned(),
        "TEI" => " teiHeader text ".to_owned(),
        "teiHeader" => " fileDesc encodingDesc profileDesc ".to_owned(),
        "fileDesc" => " titleStmt publicationStmt sourceDesc ".to_owned(),
        "titleStmt" => " title author ".to_owned(),
        "publicationStmt" => " p publisher date idno availability ".to_owned(),
        "availability" => " licence ".to_owned(),
        "sourceDesc" => " bibl p ".to_owned(),
        "bibl" => " title author publisher date ptr ".to_owned(),
        "encodingDesc" => " appInfo ".to_owned(),
        "appInfo" => " application ".to_owned(),
        "application" => " label ".to_owned(),
        "profileDesc" => " abstract langUsage textClass ".to_owned(),
        "abstract" => " p ".to_owned(),
        "langUsage" => " language ".to_owned(),
        "textClass" => " keywords ".to_owned(),
        "keywords" => " term ".to_owned(),
        "text" => " body ".to_owned(),
        "body" => " div ".to_owned(),
        "div" => format!("{BLOCK}div "),
        "p" | "ab" | "hi" | "ref" | "del" => PHRASE.to_owned(),
        "item" | "quote" | "cell" => format!("{PHRASE}{BLOCK}"),
        "list" => " item ".to_owned(),
        "table" => " row ".to_owned(),
        "row" => " cell ".to_owned(),
        "figure" => " graphic figDesc ".to_owned(),
        _ => String::new(),
    };
    words.contains(&format!(" {child} "))
}

/// Reads XML to its end with matching ends and known entities; its elements by path from the root.
fn elements(xml: &str) -> Vec<Vec<String>> {
    let mut reader = Reader::from_str(xml);
    reader.config_mut().check_end_names = true;
    let (mut open, mut all): (Vec<String>, Vec<Vec<String>>) = (Vec::new(), Vec::new());
    loop {
        match reader.read_event().unwrap_or_else(|error| panic!("{error}\n{xml}")) {
            Event::Start(start) => {
                start.attributes().for_each(|attribute| drop(attribute.unwrap()));
                open.push(start.name().as_ref().to_owned());
                all.push(open.clone());
            }
            Event::Empty(start) => {
                start.attributes().for_each(|attribute| drop(attribute.unwrap()));
                all.push([&open[..], &[start.name().as_ref().to_owned()]].concat());
            }
            Event::End(_) => drop(open.pop().unwrap()),
            Event::GeneralRef(name) => {
                let name: &str = &name;
                assert!(["amp", "lt", "gt", "quot"].contains(&name), "{name}");
            }
            Event::Eof => break,
            _ => {}
        }
    }
    assert!(open.is_empty(), "{open:?} without an end");
    assert_eq!(all.iter().filter(|path| path.len() == 1).count(), 1, "one root");
    all
}

#[test]
fn xml_is_well_formed_and_tei_is_as_the_guidelines_have_it() {
    let work = site();
    let odd = "<p>x \u{1} &#x1; <b>a<i>b</b>c</i> ]]&gt; <a href='http://e.org/\"<&>'>l</a><pre>a &lt; b\n\n<b>c</b></pre><blockquote><ul><li>one<li>two</ul>";
    std::fs::write(
        work.path("site/odd.html"),
        format!("<html><title>]]> &amp;</title><body>{}", odd.repeat(3)),
    )
    .unwrap();
    std::fs::write(work.path("site/feed.xml"), "<rss><item><title>T &amp; u</title><description>&lt;p&gt;Words &amp;amp; more</description></item></rss>").unwrap();
    std::fs::write(
        work.path("site/map.xml"),
        "<urlset><url><loc>http://e.org/a?x=1&amp;y=2</loc><lastmod>2024-05-01</lastmod></url></urlset>",
    )
    .unwrap();
    let one = work.output(&["text", "site/a.html", "--format", "xml", "--url", "http://tea.example/"]);
    assert!(
        one.starts_with("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<doc id=\"a.html\" title="),
        "{one}"
    );
    let paths: Vec<String> = elements(&one).iter().map(|path| path.join("/")).collect();
    for path in [
        "doc/main/head",
        "doc/main/p/hi",
        "doc/main/p/ref",
        "doc/main/list/item",
        "doc/main/table/row/cell",
        "doc/comments/comment/p",
        "doc/main/p/graphic",
    ] {
        assert!(paths.iter().any(|other| other == path), "{path}: {paths:?}");
    }
    assert!(
        one.contains("<ref target=\"http://tea.example/guide.html?a=1&amp;b=2\">longer guide</ref>"),
        "{one}"
    );
    let bare = work.output(&[
        "text",
        "site/a.html",
        "--format",
        "xml",
        "--no-links",
        "--no-images",
        "--no-tables",
        "--no-comments",
    ]);
    assert!(["<ref", "<graphic", "<table", "<comments"].iter().all(|name| !bare.contains(name)), "{bare}");
    let all = elements(&work.output(&["text", "site", "--format", "xml"]));
    assert_eq!(
        (all[0].join(""), all.iter().filter(|path| path.len() == 2).count()),
        ("corpus".to_owned(), 5)
    );

    let tei = work.output(&["text", "site/a.html", "--format", "tei", "--url", "http://tea.example/"]);
    assert!(
        tei.contains("<TEI xmlns=\"http://www.tei-c.org/ns/1.0\">")
            && tei.contains("<date when=\"2020-01-02T03:04:05Z\">"),
        "{tei}"
    );
    for (arguments, root) in [
        (&["site/a.html"][..], "TEI"),
        (&["site"], "teiCorpus"),
        (&["site/odd.html", "site/feed.xml"], "teiCorpus"),
    ] {
        let paths = elements(&work.output(&[&["text", "--format", "tei"], arguments].concat()));
        assert_eq!(paths[0][0], root);
        for path in &paths {
            if let [.., parent, child] = &path[..] {
                assert!(may_hold(parent, child), "{}", path.join("/"));
            }
        }
    }
}

#[test]
fn the_address_of_a_page_speaks_for_its_type() {
    let work = site();
    let posts: String = (0..3).map(|n| format!("<div><p>Some words number {n} that stand here and say nothing of what kind of page this is, or was.</p></div>")).collect();
    std::fs::write(work.path("page.html"), format!("<html><title>Words</title><body>{posts}")).unwrap();
    let page = |url: &str| {
        objects(&work.output(&["text", "page.html", "--format", "json", "--url", url]))[0].clone()
    };
    let (forum, shop) = (page("http://e.org/forum/viewtopic/12"), page("http://e.org/product/kettle"));
    assert_eq!((&forum["text"], &forum["url"]), (&shop["text"], &"http://e.org/forum/viewtopic/12".into()));
    assert!(forum["page_type"] != shop["page_type"] || forum["confidence"] != shop["confidence"], "{forum}");
}
