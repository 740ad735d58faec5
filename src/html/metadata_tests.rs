use super::*;
use crate::{Limits, metadata, parse};

fn read(source: &str) -> Metadata {
    let dom = parse(source, &Limits::default());
    metadata(&dom, &CanonicalUrl::parse("http://example.com/dir/").expect("a URL"), &[])
}

#[test]
fn plain_declarations() {
    let meta = read(
        "<html lang=zh-Hans-CN><head><title>\n The <!-- x -->title \n</title><svg><title>no</title></svg>
        <meta name=Description content=' A  page '><meta name=keywords content='a, b，c;a'>
        <meta name=author content='Ann Lee'><meta name=generator content='Press 6'>
        <meta name=robots content='noindex,nofollow'><meta name=robots content=index>
        <link rel=canonical href=/c#x>
        <meta name=date content='31 May 2024'>",
    );
    let url = |text| CanonicalUrl::parse(text).expect("a URL");
    assert_eq!(meta.about.title.as_deref(), Some("The <!-- x -->title"));
    assert_eq!(meta.about.language_declared.as_deref(), Some("zh-hans-cn"));
    assert_eq!(meta.about.description.as_deref(), Some("A page"));
    assert_eq!(meta.keywords, ["a", "b", "c"]);
    assert_eq!(meta.about.author.as_deref(), Some("Ann Lee"));
    assert_eq!(meta.generator.as_deref(), Some("Press 6"));
    assert!(meta.robots.all.noindex && meta.robots.all.nofollow);
    assert_eq!(meta.canonical, Some(url("http://example.com/c")));
    assert_eq!(meta.about.published.as_deref(), Some("2024-05-31"));
}

#[test]
fn the_more_deliberate_source_wins() {
    let meta = read(
        "<meta property=og:title content=OG><meta property=og:type content=article><meta property=og:site_name content=Site>
        <meta property=og:url content=/u><meta property=og:image content=i.png><meta property=og:description content=long>
        <meta name=twitter:title content=T><meta property=article:published_time content=2024-01-02T03:04:05+01:00>
        <meta property=article:modified_time content=2024-01-03><meta name=date content=2020-01-01>
        <meta name=author content=http://facebook.com/x><meta property=article:author content='Bo'>
        <script type='application/ld+json; charset=utf-8'>{\"@type\":\"Article\",\"author\":{\"name\":\"Ann\"},
        \"datePublished\":\"2024-01-02\",\"publisher\":{\"name\":\"Publisher\"}}</script>
        <time datetime=1999-01-01 class=entry-date>",
    );
    assert_eq!(meta.og_title.as_deref(), Some("OG"));
    assert_eq!(meta.og_type.as_deref(), Some("article"));
    assert_eq!(meta.about.site_name.as_deref(), Some("Site"));
    assert_eq!(meta.about.author.as_deref(), Some("Ann"));
    assert_eq!(meta.about.published.as_deref(), Some("2024-01-02"));
    assert_eq!(meta.about.modified.as_deref(), Some("2024-01-03"));
    assert_eq!(meta.canonical.map(CanonicalUrl::into_string).as_deref(), Some("http://example.com/u"));
    assert_eq!(meta.about.image.as_deref(), Some("http://example.com/dir/i.png"));
    assert_eq!(meta.about.description.as_deref(), Some("long"));
}

#[test]
fn dates_of_numbers_by_site_and_language() {
    let published = |lang: &str, host: &str| {
        let source = format!("<html lang='{lang}'><meta name=date content=03/04/2024>");
        let base = CanonicalUrl::parse(&format!("http://{host}/")).expect("a URL");
        metadata(&parse(&source, &Limits::default()), &base, &[]).about.published
    };
    for (lang, host, want) in [
        ("en-US", "example.com", Some("2024-03-04")),
        ("en-US", "example.co.uk", Some("2024-04-03")),
        ("de", "example.com", Some("2024-04-03")),
        ("en", "example.com", None),
    ] {
        assert_eq!(published(lang, host).as_deref(), want, "{lang} {host}");
    }
}

#[test]
fn json_ld_with_marks_around_it() {
    let meta = read(
        "<script type='application/ld+json'>\n//<![CDATA[\n{\"@type\":\"NewsArticle\",\"headline\":\"One\ntwo\",
        \"author\":{\"name\":\"Ann\"},\"datePublished\":\"2024-05-31\",\"articleBody\":\"Body\"};\n//]]>;\n</script>",
    );
    assert_eq!(meta.about.author.as_deref(), Some("Ann"));
    assert_eq!(meta.about.published.as_deref(), Some("2024-05-31"));
    let structured = meta.structured;
    assert_eq!(
        (structured.headline.as_deref(), structured.article_body.as_deref()),
        (Some("One two"), Some("Body"))
    );
}

#[test]
fn microdata_of_the_subject_only() {
    let meta = read(
        "<article itemscope itemtype='http://schema.org/BlogPosting'><h2 itemprop='headline name'>Head</h2>
        <span itemprop=author itemscope itemtype=http://schema.org/Person><b itemprop=name>Ann</b></span>
        <time itemprop=datePublished datetime=2024-05-31>x</time><meta itemprop=dateModified content=2024-06-01>
        <div itemprop=comment itemscope itemtype=http://schema.org/Comment><i itemprop=author>Troll</i>
        <time itemprop=datePublished datetime=2024-12-31></div></article><p itemprop=author>Nobody</p>",
    );
    assert_eq!(meta.about.author.as_deref(), Some("Ann"));
    assert_eq!(meta.about.published.as_deref(), Some("2024-05-31"));
    assert_eq!(meta.about.modified.as_deref(), Some("2024-06-01"));
    assert_eq!(meta.structured.headline.as_deref(), Some("Head"));
}

#[test]
fn licences_sections_and_sites() {
    let meta = read(
        "<title>A fire | Example</title><link rel=license href=https://creativecommons.org/licenses/by-sa/4.0/>
        <meta property=article:tag content='declared'><meta name=keywords content='k'>
        <meta name=twitter:label1 content='Written by'><meta name=twitter:data1 content='Ann Lee'>
        <article><span class=cat-links><a href=/c/news>News</a></span><p><a rel=tag href=/t/fire>#fire</a> <a rel=tag href=/t/fire>fire</a>
        <aside><a rel=tag href=/t/other>other</a></aside></article>",
    );
    assert_eq!(meta.about.licence.as_deref(), Some("CC BY-SA 4.0"));
    assert_eq!(
        (meta.about.categories, meta.about.tags, meta.keywords),
        (vec!["News".into()], vec!["fire".into()], vec!["k".into()])
    );
    assert_eq!(meta.about.author.as_deref(), Some("Ann Lee"));
    assert_eq!(meta.about.site_name.as_deref(), Some("Example"));
    let meta =
        read("<meta property='x:y dc:creator' content=Bo><meta property='dcterm:title foo' content=Head>");
    assert_eq!((meta.about.author.as_deref(), meta.og_title.as_deref()), (Some("Bo"), Some("Head")));
}

#[test]
fn licences_of_pictures_are_not_the_pages() {
    let by = "<a href=https://creativecommons.org/licenses/by/2.0/>CC</a>";
    let footer =
        "<p><a rel=license href=https://creativecommons.org/licenses/by-sa/4.0/><img src=b.png></a></p>";
    for (source, want) in [
        (format!("<figure><img src=a><figcaption>Ann, {by}</figcaption></figure>"), None),
        (format!("<p>Photo: Ann, {by}</p>"), None),
        (format!("<p>Photo: Ann, {by}</p>{footer}"), Some("CC BY-SA 4.0")),
        (format!("<footer><p>This text is under {by}</p></footer>"), Some("CC BY 2.0")),
        ("<meta name=dcterms.license content='CC BY 4.0'>".to_owned(), Some("CC BY 4.0")),
        ("<meta name=dc.rights content='The Herald'>".to_owned(), None),
    ] {
        assert_eq!(read(&source).about.licence.as_deref(), want, "{source}");
    }
}

#[test]
fn descriptions_that_are_shown_and_abstracts() {
    let shown = "<div itemscope itemtype=http://schema.org/Article><p itemprop=description>What <b>it</b> is about.</p></div>";
    assert_eq!(read(shown).about.description.as_deref(), Some("What it is about."));
    assert_eq!(
        read("<meta name=citation_abstract content='Of boats.'>").about.description.as_deref(),
        Some("Of boats.")
    );
}

#[test]
fn several_authors_of_one_name_or_item_add_up() {
    for (source, want) in [
        ("<meta name=citation_author content=Ann><meta name=citation_author content=Bo>", "Ann; Bo"),
        ("<meta name=author content=Ann><meta name=parsely-author content='A. Lee'>", "Ann"),
        (
            "<div itemscope itemtype=http://schema.org/Article><b itemprop=author>Ann</b><b itemprop=author>Bo</b></div>\
             <div itemscope itemtype=http://schema.org/Article><b itemprop=author>Cy</b></div>",
            "Ann; Bo",
        ),
    ] {
        assert_eq!(read(source).about.author.as_deref(), Some(want), "{source}");
    }
}

#[test]
fn rdfa_and_properties_outside_of_items() {
    let meta = read(
        "<div vocab=http://schema.org/ typeof=Article><h2 property=headline>Head</h2><span property=schema:author>Ann</span>
        <span property='dc:date dc:created' content='2012-03-04T05:06:07+01:00'>x</span><a property=license href=http://creativecommons.org/licenses/by/3.0/>l</a>
        <span property=articleSection>News</span></div>",
    );
    assert_eq!(meta.about.author.as_deref(), Some("Ann"));
    assert_eq!(meta.about.published.as_deref(), Some("2012-03-04T05:06:07+01:00"));
    assert_eq!(
        (meta.about.licence.as_deref(), meta.about.categories.as_slice()),
        (Some("CC BY 3.0"), &["News".to_owned()][..])
    );
    let meta = read("<meta itemprop=datePublished content=2019-09-18><meta itemprop=author content=Ann>");
    assert_eq!(
        (meta.about.author.as_deref(), meta.about.published.as_deref()),
        (Some("Ann"), Some("2019-09-18"))
    );
}

#[test]
fn texts_escaped_twice_and_labels() {
    let meta = read(
        "<title>Ann&amp;#39;s &amp;amp; Bo&amp;hellip;</title><meta name=description content='Tea&amp;nbsp;for A&amp;B'>
        <meta property=article:section content='Home &gt; „Tea“'><meta property=og:title content='x&amp;quot;y'>",
    );
    assert_eq!(meta.about.title.as_deref(), Some("Ann's & Bo…"));
    assert_eq!(meta.about.description.as_deref(), Some("Tea for A&B"));
    assert_eq!(meta.og_title.as_deref(), Some("x\"y"));
    assert_eq!(meta.about.categories, ["Home", "Tea"]);
}

#[test]
fn header_and_meta_add_up() {
    let dom = parse("<meta name=robots content=nofollow>", &Limits::default());
    let base = CanonicalUrl::parse("http://example.com/").expect("a URL");
    let robots = metadata(&dom, &base, &[b"noindex", b"otherbot: none"]).robots;
    assert!(robots.all.noindex && robots.all.nofollow);
}

#[test]
fn languages() {
    let cases = [
        ("<html lang=EN_us>", Some("en-us")),
        ("<html lang=''><meta http-equiv=Content-Language content='de, en'>", Some("de")),
        ("<html><body lang=fr>", Some("fr")),
        ("<meta property=og:locale content=pt_BR>", Some("pt-br")),
        ("<html lang='{{ lang }}'>", None),
        ("<p>", None),
    ];
    for (source, expected) in cases {
        assert_eq!(read(source).about.language_declared.as_deref(), expected, "{source}");
    }
}
