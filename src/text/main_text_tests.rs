use super::*;
use webmill_capture::CanonicalUrl;
use webmill_capture::cut::Cut;
use webmill_html::{Limits, metadata, parse};

fn extract(html: &str) -> MainText {
    let dom = parse(html, &Limits::default());
    let base = CanonicalUrl::parse("http://example.org/").unwrap();
    main_text(&dom, &metadata(&dom, &base, &[]), &TextLimits::default())
}

const PARAGRAPHS: [&str; 5] = [
    "新华社北京五月六日电，记者从水利部获悉，今年入汛以来，全国江河来水总体偏多，部分中小河流发生超警洪水，各地已启动防汛应急响应。",
    "水利部有关负责人介绍，各级水文部门加密监测频次，滚动预报洪水过程，提前转移受威胁群众三万余人，没有发生人员伤亡。",
    "“我们把堤防巡查的责任落实到每一个人。”一位基层干部说，过去的一周里，他和同事每天要在大堤上走二十多公里，检查险工险段。",
    "气象部门预计，未来十天，长江中下游、江南北部等地还将有较强降雨过程，累计雨量比常年同期偏多三到五成，需要防范次生灾害。",
    "专家提醒，公众应当关注气象和水利部门发布的预警信息，尽量避免前往山区河谷，遇到险情及时向高处转移，并服从统一安排。",
];

#[test]
fn markdown_keeps_structure() {
    let found = extract(
        "<html><head><title>Brewing tea at home</title></head><body><nav><a href=/>Home</a> <a href=/x>Shop</a></nav>
        <article><h1>Brewing tea at home</h1>
        <p>Good tea needs <strong>fresh water</strong>, a warm pot and patience; this <a href=\"/guide (1)\">longer guide</a> tells the
        rest of the story, and the table below gives the times for each kind of leaf.</p>
        <h2>What you need</h2><ul><li>Loose leaves, two spoons for each cup</li><li>A pot that keeps its heat well</li></ul>
        <p>Heat the water until it boils, warm the pot with some of it, and pour the rest over the leaves at once.</p>
        <table><tr><th>Leaf</th><th>Minutes</th></tr><tr><td>Green tea</td><td>2</td></tr><tr><td>Black tea</td><td>4</td></tr></table>
        <pre>pour();\n  wait(4);</pre><ol><li>Pour the tea through a sieve into cups</li><li>Drink it while it is still hot</li></ol>
        <p>Serve at once, since tea that stands with its leaves becomes bitter, and no amount of sugar will then help it.</p>
        </article><footer>© 2020 The Tea House. All rights reserved.</footer></body></html>",
    );
    for part in [
        "**fresh water**",
        "[longer guide](http://example.org/guide%20(1))",
        "## What you need",
        "- Loose leaves, two spoons for each cup\n- A pot",
        "| Leaf | Minutes |\n| --- | --- |\n| Green tea | 2 |\n| Black tea | 4 |",
        "```\npour();\n  wait(4);\n```",
        "1. Pour the tea through a sieve into cups\n2. Drink",
    ] {
        assert!(found.markdown.contains(part), "{part:?} not in\n{}", found.markdown);
    }
    assert!(found.text.contains("Green tea | 2"), "{}", found.text);
    assert!(!found.text.contains("All rights reserved"));
    assert_eq!(found.about.title.as_deref(), Some("Brewing tea at home"));
}

#[test]
fn a_page_that_only_leads_to_another_has_no_main_text() {
    let page = |refresh: &str, body: &str| {
        format!(
            "<html><head><meta http-equiv=refresh content=\"{refresh}\"><title>Redirection</title></head><body>{body}</body></html>"
        )
    };
    let stub =
        "<p>Redirecting to <a href=b.html>b.html</a>...</p><script>location.replace('b.html')</script>";
    let found = extract(&page("0;URL=b.html", stub));
    assert_eq!((found.text.as_str(), found.markdown.as_str()), ("", ""));
    assert_eq!(found.page_type, PageType::Empty);
    assert_eq!(found.redirects_to.as_deref(), Some("http://example.org/b.html"));
    // A page that loads itself again, one that waits long, and one that says something.
    let prose = format!("<p>{}</p>", "The house has stood by the river for three hundred years. ".repeat(8));
    for page in
        [page("300", stub), page("600;url=b.html", stub), page("0;url=/", stub), page("0;url=b.html", &prose)]
    {
        assert_eq!(extract(&page).redirects_to, None, "{page}");
    }
    assert!(!extract(&page("0;url=b.html", &prose)).text.is_empty());
}

#[test]
fn a_summary_is_a_line_of_its_own() {
    let prose = |n: usize| {
        format!(
            "<p>Paragraph {n} tells at some length what the reader came here for, and ends with a stop.</p>"
        )
    };
    let found = extract(&format!(
        "<title>Notes on tea</title><h1>Notes on tea</h1>{}{}<details><summary>How long it takes</summary>{}</details>{}",
        prose(1),
        prose(2),
        prose(3),
        prose(4)
    ));
    assert!(found.text.contains("\nHow long it takes\nParagraph 3"), "{}", found.text);
    assert!(found.markdown.contains("\n\nHow long it takes\n\nParagraph 3"), "{}", found.markdown);
}

#[test]
fn structured_data_recovers_an_article() {
    let body = "The council met on Tuesday and agreed on the plan for the river. ".repeat(20);
    let found = extract(&format!(
        "<html><head><script type=\"application/ld+json\">{{\"@type\":\"NewsArticle\",\"headline\":\"Plan agreed\",
        \"articleBody\":\"{body}\",\"datePublished\":\"2024-02-03T04:05:06Z\",\"author\":{{\"name\":\"Ann Lee\"}}}}</script></head>
        <body><div id=app></div><p>Enable scripts.</p></body></html>"
    ));
    assert!(found.text.starts_with("The council met on Tuesday"), "{}", found.text);
    assert_eq!(found.about.author.as_deref(), Some("Ann Lee"));
    assert_eq!(found.about.published.as_deref().map(|d| d.cut(..10)), Some("2024-02-03"));
}

#[test]
fn wrapped_chinese_lines_are_joined() {
    let body = PARAGRAPHS.iter().map(|p| format!("<p>{}</p>", p.replace('，', "，\n"))).collect::<String>();
    let found = extract(&format!(
        "<title>5. 标题 — The documentation of everything</title><h1>5. 标题<a href=#x>¶</a></h1>{body}"
    ));
    for paragraph in PARAGRAPHS {
        assert!(found.text.contains(paragraph), "{}", found.text);
    }
    assert_eq!(found.about.title.as_deref(), Some("5. 标题"));
}

/// The first word of the text of a page that does not stand on the page.
fn made_up(page: &str) -> Option<String> {
    let found = extract(page);
    let bare = |s: &str| s.chars().filter(|c| c.is_alphanumeric()).collect::<String>();
    // The page without its tags.
    let whole: String =
        page.split('<').map(|part| bare(part.rsplit('>').next().unwrap_or_default())).collect();
    // What is between two sentences may be no text of a page: a form's choices.
    let words = found.text.lines().flat_map(|line| line.split(" | "));
    let mut words = words.flat_map(|cell| cell.split(|c: char| c.is_whitespace() || c == '。'));
    words.find(|word| !whole.contains(&bare(word))).map(str::to_owned)
}

proptest::proptest! {
    /// Whatever the markup, every line of the text is on the page.
    #[test]
    fn text_is_taken_from_the_page(parts in proptest::collection::vec(
        proptest::sample::select(vec!["<p>", "</p>", "<div class=nav>", "</div>", "<td>", "<table>", "<tr>", "<li>", "<a href=/>",
            "</a>", "<br>", "<b>", "</b>", "<pre>", "\n", " ", "some words, and more. ", "文字，内容。", "<img src=x>", "<h2>", "</h2>",
            "<button>", "<svg>", "</svg>", "<noscript>", "<select>", "<x-y>"]), 0..60)) {
        proptest::prop_assert_eq!(made_up(&parts.concat()), None);
    }
}

#[test]
fn a_sentence_behind_an_element_that_was_never_open_is_taken_from_the_page() {
    assert_eq!(made_up("<p>文字，内容。</div>some words, and more. "), None);
}

#[test]
fn the_address_of_a_page_speaks_where_it_states_none() {
    let base = CanonicalUrl::parse("http://example.org/base/").unwrap();
    let found_at = CanonicalUrl::parse("http://example.org/forum/2019/10/22/x").unwrap();
    for (html, address, path, date) in [
        ("<p>words", None, None, None),
        ("<p>words", Some(&found_at), Some("/forum/2019/10/22/x"), Some("2019-10-22")),
        ("<link rel=canonical href=/shop/y><p>words", Some(&found_at), Some("/shop/y"), None),
    ] {
        let dom = parse(html, &Limits::default());
        let meta = metadata(&dom, &base, &[]).found_at(address);
        assert_eq!(hints(&meta).path.as_deref(), path, "{html}");
        assert_eq!(main_text(&dom, &meta, &TextLimits::default()).about.published.as_deref(), date, "{html}");
    }
}

#[test]
fn short_posts_stand_over_long_threads() {
    let words = [
        "That is the best cake that I have seen all year, and I would like to have the recipe for it.",
        "We tried it last Sunday with pears instead of plums, and everybody asked for another piece of it.",
        "How long do you leave it in the oven? Mine was still wet in the middle after forty minutes or so.",
        "Mine too, so I gave it another ten minutes at a lower heat, and then it came out as it should.",
        "Thank you for this! My grandmother used to make one like it, and I had been looking for it for years.",
    ];
    let said: String = (1..)
        .zip(words)
        .map(|(day, words)| {
            format!("<p>{words}</p><p>Posted by Reader{day} at March {day}, 2009 4:1{day} PM</p>")
        })
        .collect();
    for begin in ["<div class=comments>", "<div><h2>Comments</h2>"] {
        let html = format!(
            "<title>Plum cake - A kitchen diary</title><body><p><a href=/>Home</a> <a href=/all>All posts</a></p>
             <div><h2>Plum cake</h2><p>Here is a picture of the plum cake from last night.</p>{begin}{said}</div></div>"
        );
        let found = extract(&html);
        assert!(found.text.contains("picture of the plum cake"), "{}", found.text);
        assert!(!found.text.contains("forty minutes"), "{begin}: {}", found.text);
    }
}

#[test]
fn articles_of_portals_are_without_their_boxes() {
    let names = ["财经要闻", "体育快讯", "热点排行", "编辑推荐"];
    let lines = [
        "老城墙下挖出百年前的水井",
        "夏粮收购价格比去年上调一成",
        "两支球队今晚争夺最后名额",
        "新建图书馆下月向市民开放",
        "冷空气周末抵达气温下降八度",
    ];
    let boxes: String = (0..)
        .zip(names)
        .map(|(i, name)| {
            let links = (0..).zip(lines).map(|(j, line)| format!("<li><a href=/{i}{j}.html>{line}</a></li>"));
            format!("<div><h3>{name}</h3><ul>{}</ul></div>", links.collect::<String>())
        })
        .collect();
    let html = format!(
        "<title>本市将修三座人行桥_某某网</title><body><div><a href=/>首页</a> <a href=/n>新闻</a> <a href=/s>体育</a></div>
         <div><h1>本市将修三座人行桥</h1><p>　　本市昨天公布方案，今年将在河上修建三座人行桥，方便两岸居民往来，预计明年春天建成。</p>
         <p>　　居民可以在网上留言。</p></div>{boxes}<div>版权所有 某某网</div>"
    );
    let found = extract(&html);
    assert!(
        found.text.contains("方便两岸居民往来") && found.text.contains("居民可以在网上留言"),
        "{}",
        found.text
    );
    assert!(!lines.iter().any(|line| found.text.contains(line)), "{}", found.text);
}

#[test]
fn short_plain_pages_are_articles() {
    let html = "<title>Der Fluß</title><body><h1>Der Fluß</h1><p>Am Morgen lag Nebel über dem Fluß, und die Fischer warteten am Ufer, bis die Sonne \
                kam. Dann fuhren sie hinaus.<p>Am Abend kehrten alle zurück, und keiner hatte viel gefangen.";
    assert_eq!(extract(html).page_type, PageType::Article);
}

const KETTLES: [&str; 5] = [
    "The iron kettle takes nine minutes to boil, stays hot for an hour, and must be dried by hand each time, or it rusts.",
    "The copper one boils in four minutes, which is the fastest here, but its handle is too hot to be touched without a cloth.",
    "Enamel chips when it falls, as ours did on the second day, and the maker told us that nothing could be done about it.",
    "The electric kettle needs a socket, boils in three minutes, and is the only one here that turns itself off when it is done.",
    "If we could keep only one of them it would be the copper kettle, and we would buy a thick cloth for it the same day.",
];

fn paragraphs_of(lines: &[&str]) -> String {
    lines.iter().map(|line| format!("<p>{line}</p>\n")).collect()
}

#[test]
fn names_of_states_make_no_comments_of_an_article() {
    for names in [
        "post comments-open",
        "post no-comments",
        "entry has-comments",
        "entry commentsClosed",
        "main with-comments",
        "story comments-enabled sidebar-off",
        "hentry post tag-comments category-sponsored",
        "comments",
        "discussion",
    ] {
        let html = format!(
            "<title>Five kettles compared</title><body><div id=page><header><h1>Five kettles compared</h1><p>We boiled water in five kettles \
             for a whole week, and wrote down how long each took.</p></header><div class='{names}'><div class=content>{}</div></div></div>",
            paragraphs_of(&KETTLES)
        );
        let found = extract(&html);
        assert!(KETTLES.iter().all(|line| found.text.contains(line)), "{names}: {}", found.text);
        assert_eq!(found.posts, [], "{names}");
    }
}

#[test]
fn a_short_post_is_not_lost_to_what_stands_beside_it() {
    let post = "What a morning! The heron was back on the weir, and stood there for an hour.";
    let bio = "Ann Lee has watched birds along the river since she was a child. She writes here about what she sees, and shows her \
               drawings in the old mill every spring. You can follow her walks by letter, too.";
    let around = [
        format!("<div id=sidebar><ul><li class=widget><div class=textwidget>{bio}</div></li></ul></div>"),
        format!("<div class=author-box><h4>About the author</h4><p>{bio}</p></div>"),
        format!(
            "<h3>2 comments</h3><ol><li><p><b>Bo</b> says: May 3, 2012 at 8:15 am</p><p>{bio}</p></li><li><p><b>Cy</b> says: May 3, 2012 at 9:05 \
             am</p><p>{bio} That is how it was when I was a boy, and I am glad that it still is.</p></li></ol>"
        ),
        format!("<div id=footer><p>{bio}</p><p>© 2012 Ann Lee. All rights reserved.</p></div>"),
    ];
    for around in around {
        let html = format!(
            "<title>Heron - A river diary</title><body><div id=content><div class=post id=post-311><h3 class=storytitle><a \
             href=/2012/05/heron/>Heron</a></h3><div class=storycontent><p><img src=heron.jpg alt=''></p><p>{post}</p></div><div class=meta>Filed \
             under <a href=/c/birds>birds</a> | <a href=#respond>No comments</a></div></div></div>{around}\
             <div id=archives><h2>Archives</h2><ul><li><a href=/2012/04>April 2012</a><li><a href=/2012/03>March 2012</a></ul></div>"
        );
        let found = extract(&html);
        assert!(found.text.contains(post) && !found.text.contains("old mill"), "{around}: {}", found.text);
    }
}

#[test]
fn posts_of_a_board_are_its_text() {
    let html = "<title>Copper or iron? - Kettles</title><body class='topic bbpress no-js single-topic'><main><div class=article-content>\
         <div class='bbpress-wrapper'><div class='bbp-template-notice info'><ul><li>This topic has 2 replies, 2 voices, and was last updated by \
         <a href=/users/eve>eve</a>.</ul></div><ul class='forums bbp-replies'><li class=bbp-body>\
         <div class='loop-item-0 topic type-topic hentry'><div class=bbp-reply-content><p>i looked through the older topics but found nothing.</p>\
         <p>which kettle lasts longer on a wood stove, and how do you keep the inside clean?</p></div></div>\
         <div class='loop-item-1 reply type-reply hentry'><div class=bbp-reply-content><p>iron, if you dry it. ours is forty years old and still \
         good.</p></div></div><div class='loop-item-2 reply type-reply hentry'><div class=bbp-reply-content><p>thank you, that helps. but what if \
         nobody has the time to dry it every day?</p></div></div></ul><div class=bbp-no-reply><ul><li>The forum &#8216;Kitchen&#8217; is closed \
         to new topics and replies.</ul></div></div></div></main>";
    let found = extract(html);
    for post in ["wood stove", "forty years old", "dry it every day"] {
        assert!(found.text.contains(post), "{post}: {} {:?}", found.text, found.posts);
    }
    assert_eq!((found.page_type, found.posts.len()), (PageType::Forum, 0));
}

#[test]
fn errors_checks_and_shells_have_no_text() {
    let menu = "<nav><a href=/>Home</a> <a href=/news>News</a> <a href=/shop>Shop</a></nav>";
    let foot = "<footer><a href=/legal>Legal</a> © 2020 The Tea House. All rights reserved.</footer>";
    for html in [
        format!(
            "<title>Page not found - The Tea House</title>{menu}<h1>404</h1><p>Sorry, the page that you asked for does not exist or was moved. Try \
             the search.</p>{foot}"
        ),
        format!("<title>页面不存在</title>{menu}<h1>404</h1><p>抱歉，您访问的页面不存在或已被删除。</p>{foot}"),
        format!("<title>Shop</title>{menu}<noscript>You need to enable JavaScript to run this app.</noscript><div id=root></div>{foot}"),
        "<title>Just a moment...</title><h1>www.tea.example</h1><h2>Checking your browser before you go on</h2><p>Please enable JavaScript and \
         cookies.</p>"
            .to_owned(),
        "<title>502 Bad Gateway</title><center><h1>502 Bad Gateway</h1></center><hr><center>nginx</center>".to_owned(),
        String::new(),
    ] {
        let found = extract(&html);
        assert_eq!((found.text.as_str(), found.markdown.as_str(), found.page_type), ("", "", PageType::Empty), "{html}");
    }
    let about = extract(&format!(
        "<title>How error 404 got its name</title><article><h1>How error 404 got its name</h1>{}</article>",
        paragraphs_of(&[
            "The page not found is as old as the Web itself: the first servers had to say something when a file was gone, and a number was cheap.",
            "The first digit says whose fault it is, and the rest was counted up from there by those who wrote the protocol in an office in Geneva.",
            "That there was a room 404 with a broken lift in it is a tale that was told much later, and those who were there have denied it since.",
        ])
    ));
    assert!(about.text.contains("Geneva") && about.page_type == PageType::Article, "{about:?}");
}

#[test]
fn anchors_that_lead_nowhere_are_no_links() {
    let links = |anchor: &str| {
        let html = format!("<body><p>Before <a {anchor}>some words</a> behind.");
        let dom = parse(&html, &Limits::default());
        blocks(&dom, dom.body().unwrap()).blocks[0].counts.links
    };
    assert_eq!(["href=x", "onclick=go()", "name=x", ""].map(links), [1, 1, 0, 0]);
}
