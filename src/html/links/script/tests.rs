use crate::links::{LinkKind, LinkLimits, Links, links};
use crate::{Limits, parse};
use encoding_rs::UTF_8;
use webmill_capture::CanonicalUrl;

fn found(source: &str) -> Links {
    let dom = parse(source, &Limits::default());
    let url = CanonicalUrl::parse("http://e.example/dir/page.html").expect("a URL");
    links(&dom, &url, UTF_8, &LinkLimits { scripts: true, ..LinkLimits::default() })
}

/// Targets of links in scripts, without what all have in common.
fn targets(source: &str) -> Vec<String> {
    let all = found(source).links.into_iter().filter(|link| link.kind == LinkKind::Script);
    all.map(|link| link.target.as_str().replacen("http://e.example", "", 1)).collect()
}

#[test]
fn scripts_go_there_or_call_it_a_page() {
    for (source, expected) in [
        // Where the script goes to.
        ("<script>function go(){location.href=\"/a\"}</script>", &["/a"][..]),
        ("<script>location = 'next'</script>", &["/dir/next"]),
        (
            "<script>top.location='b.asp?id=3&x=%E4'; self.location.replace('../c/')</script>",
            &["/dir/b.asp?id=3&x=%E4", "/c/"],
        ),
        ("<script>window.open('list/7', 'w', 'width=300')</script>", &["/dir/list/7"]),
        ("<script>setTimeout(\"location.href='/later'\", 3000)</script>", &["/later"]),
        ("<a href=\"javascript:window.open('/jsopen.html')\">z</a>", &["/jsopen.html"]),
        ("<a href=\" JavaScript:%20go(%22news/list%22)\">z</a>", &["/dir/news/list"]),
        ("<a href='#' onclick=\"location='/onclick.html'\">p</a>", &["/onclick.html"]),
        ("<p onMouseDown=\"openWin('pop.htm','',300)\">", &["/dir/pop.htm"]),
        ("<a href=\"javascript:location%3D'/h%32'\">z</a>", &["/h2"]),
        ("<a href=\"javascript:go%28'/b.asp?x=%D6%D0'%29\">z</a>", &["/b.asp?x=%D6%D0"]),
        (
            "<script>location=('/x'); location['href']='/y'; window['location']='/z'</script>",
            &["/x", "/y", "/z"],
        ),
        ("<script>top['location'].href = \"/w\"; document.location[\"href\"]='/v'</script>", &["/w", "/v"]),
        (
            "<script>location.href = c == '/no' ? '/a' : '/b'; location = (f('/no') ? d || '/c' : '/d')</script>",
            &["/a", "/b", "/c", "/d"],
        ),
        (
            "<script>location = f(c ? '/no' : b, {d: '/no'}), e = g ? '/no' : '/no'; x ? '/no' : 1</script>",
            &[],
        ),
        // What a script writes.
        (r#"<script>document.write("<a href=\"/written\">w</a>")</script>"#, &["/written"]),
        (
            "<script>document.write('<td><a href=' + '/x' + '>' + name + '<\\/a><frame src=m.html>')</script>",
            &["/x"],
        ),
        ("<script>w('<a href=\"javascript:go(\\'/in.html\\')\">')</script>", &["/in.html"]),
        // What it keeps for later.
        (
            "<script>var u=\"/jsvar.html\"; links = ['a', './b.php', \"http://o.example/c/\", '//o.example/d']</script>",
            &["/jsvar.html", "/dir/b.php", "http://o.example/c/", "http://o.example/d"],
        ),
        (
            r"<script>x = {next_url: '\/p\u00e4ge\x2f2', 'link': `/t`, title: '/no'}</script>",
            &["/p%C3%A4ge/2"],
        ),
        (
            "<script language=JavaScript1.2><!--\nvar a = 'one.html' // 'two.html'\n/* 'three.html' */\n//--></script>",
            &["/dir/one.html"],
        ),
        (
            "<script>a = b / 2; s = 'x.html'; c = /'y.html'/.test(d) ? 'z.html' : \"/\"</script>",
            &["/dir/x.html", "/dir/z.html"],
        ),
        (
            "<script>if (a(b)) /'/.test(b); location='/x'; c = (d) / 2 + '/'; e = 'y.html'</script>",
            &["/x", "/dir/y.html"],
        ),
        (
            r"<script>n = '/a\ud83d\ude00.html'; m = '/a\u{0001f600}.htm', o = '/a\ud83dz.html'</script>",
            &["/a%F0%9F%98%80.html", "/a%F0%9F%98%80.htm", "/a%EF%BF%BDz.html"],
        ),
        (
            "<script>a = ['http://新闻.中国/42.html', 'http://xn--efvx5x.xn--fiqs8s/7.html', 'http://o.v2/no.html']</script>",
            &["http://xn--efvy88h.xn--fiqs8s/42.html", "http://xn--efvx5x.xn--fiqs8s/7.html"],
        ),
        ("<script>f(`${g({a: `x`})}/no.html`, 'yes.html')</script>", &["/dir/yes.html"]),
        ("<script>a='x.html'; b='x.html#top'; c='/dir/x.html'</script>", &["/dir/x.html"]),
        ("<script>var n = 'cut.html\n; m = 'whole.html'</script>", &["/dir/whole.html"]),
    ] {
        assert_eq!(targets(source), expected, "{source}");
    }
}

#[test]
fn what_is_no_link() {
    for script in [
        // Joined with what is not known.
        "location.href = '/a/' + id",
        "location = base + '/a.html'",
        "url += '/b.html'",
        "location = `/x/${id}`",
        "document.write('<a href=\"/a?id=' + id + '\">')",
        "x = '/a.html'.replace('a', b)",
        // Compared, searched, loaded, reported, a key, a place in an array.
        "if (p == '/a.html' || '/b.html' === p) {}",
        "switch (p) { case '/a.html': }",
        "p.indexOf('/a.html')",
        "fetch('/a.html'); $.get('/b.php'); x.open('GET', '/c.php'); $.ajax({url: '/d.php'})",
        "_gaq.push(['_trackPageview', '/out/a.html']); ga('send', 'event', '/b.html')",
        "x = {'/a.html': 1}; y['/b.html'] = 2",
        "(function(d, s, u) {})(document, 'script', '//o.example/loader')",
        // What pages are made of, and what only programs ask for.
        "a = ['/s.js', '/s.css', 'i.png', '/f.woff', '/d.json', 'http://o.example/v.mp4']",
        "img.src = '/counter.php'; imageUrl = '/a/b.php'; apiUrl = 'http://o.example/v/x'",
        "u = ['/wp-content/x.php', 'http://cdn.o.example/a.html', 'http://o.example/api/a']",
        // Other things with slashes and dots.
        "t = ['text/javascript', 'text/html', '2003/04/01', 'dd/mm/yyyy', '/', '//', '/g', 'a.b', '1.5', '...', '</p>']",
        "n = ['http://www.w3.org/1999/xhtml', 'http://schema.org/Person', 'mailto:a@o.example', 'http://', 'https://o.example']",
        "h = ['/a/{id}.html', '/a/%s.html', '/u/:id', '[a-z]/b.html', '/x.html?q=', 'a b.html', '/75484061/o.com/ad']",
    ] {
        assert_eq!(targets(&format!("<script>{script}</script>")), [""; 0], "{script}");
    }
    for markup in [
        "<script type=application/json>{\"url\": \"/a.html\"}</script>",
        "<script type=application/ld+json>{\"url\": \"/a.html\"}</script>",
        "<script language=VBScript>a = \"/a.html\"</script>",
        "<script src=x.js>location='/a.html'</script>",
        "<a onclick=\"show('text/plain'); go('12/2003')\">",
        "<p title=\"location='/a.html'\">",
    ] {
        assert_eq!(targets(markup), [""; 0], "{markup}");
    }
}

#[test]
fn they_come_after_the_links_of_their_page_and_within_its_limits() {
    let source =
        "<script>a='/1.html';b='/2.html';document.write('<a href=/3>three</a>')</script><a href=/4>four</a>";
    let all = found(source);
    let order: Vec<_> =
        all.links.iter().map(|link| (link.position, link.kind.name(), &*link.anchor)).collect();
    assert_eq!(order, [(0, "a", "four"), (1, "script", ""), (2, "script", ""), (3, "script", "three")]);
    let dom = parse(source, &Limits::default());
    let url = CanonicalUrl::parse("http://e.example/").expect("a URL");
    let limits = LinkLimits { scripts: true, max_links: 2, ..LinkLimits::default() };
    let few = links(&dom, &url, UTF_8, &limits);
    assert_eq!((few.links.len(), few.skipped.limit), (2, 2));
    assert_eq!(links(&dom, &url, UTF_8, &LinkLimits::default()).links.len(), 1);
}

#[test]
fn hostile_scripts_take_linear_time() {
    let long = "x".repeat(2 << 20);
    for script in [
        "'ordinary.html', f(x[1], `y`) / 2; ".repeat(120_000),
        "=/[".repeat(1_400_000),
        "'a.html',".repeat(450_000),
        "a='x.html'+'<a href=\\'y\\'>';".repeat(140_000),
        "f(`${'x.html'+`${a}`}`);".repeat(180_000),
        "if(a)/[".repeat(600_000),
        format!("{long}({}", "\"/\",".repeat(500_000)),
        format!("{long}={{{}", "\"/\",".repeat(500_000)),
        format!("{long}=[{}", "\"/\",".repeat(500_000)),
        format!("{long}='/'+{}", "'/'+".repeat(500_000)),
        format!("a='{}'", r"\u{aaa".repeat(700_000)),
        format!("a='{}'", r"\ud83d".repeat(700_000)),
        format!("location={}", "(".repeat(4 << 20)),
        "'location=\\'`".repeat(300_000),
        "[{('".repeat(300_000),
        "`${".repeat(300_000),
        "'<a href=\\'/x\\'>'+".repeat(100_000),
        "a/".repeat(500_000),
        "\"\\\"location='".repeat(100_000),
        "{imageUrl:'/x.html',".repeat(50_000),
    ] {
        found(&format!("<script>{script}</script>"));
        found(&format!("<p onclick=\"{}\">", script.replace('"', "&quot;")));
    }
}
