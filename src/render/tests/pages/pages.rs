//! Honest pages: what scripts make of them, and what they ask for.

use std::sync::Arc;
use std::time::Duration;

use webmill_render::RendererOptions;

use crate::{Web, html, options, render, with_browser};

#[test]
fn the_tree_is_that_after_scripts_and_data_arrived() {
    let web = Web { slow: Duration::from_millis(200), ..Web::default() }
        .html(
            "https://a.example/",
            "<!doctype html><html lang=en><body><div id=x></div><script src=/app.js></script></body></html>",
        )
        .with(
            "https://a.example/app.js",
            "text/javascript",
            "fetch('/data.json', {headers: {'X-Asked-By': 'page'}}).then(r => r.json()).then(d => {
               x.innerHTML = d.links.map(l => `<a href='${l}'>${l}</a>`).join('') + navigator.userAgent;
               const host = document.createElement('p'); document.body.append(host);
               host.attachShadow({mode: 'open'}).innerHTML = '<a href=/shadow>in the shade</a>';
               history.pushState({}, '', '/deep/down');
               setTimeout(() => undefined.x, 10);
             })",
        )
        .with("https://a.example/data.json", "application/json", "{\"links\":[\"/one\",\"/zwei\"]}");
    let web = Arc::new(web);
    with_browser(options(), |renderer| async move {
        let rendered = render(&renderer, &web, "https://a.example/").await.unwrap();
        let html = html(&rendered);
        assert!(html.starts_with("<!DOCTYPE html><html lang=\"en\">"), "{html}");
        for wanted in [
            "<a href=\"/one\">/one</a><a href=\"/zwei\">/zwei</a>",
            "webmill-test/1",
            "<template shadowrootmode=\"open\"><a href=\"/shadow\">in the shade</a></template>",
        ] {
            assert!(html.contains(wanted), "{wanted} in {html}");
        }
        assert_eq!(rendered.final_url, "https://a.example/deep/down");
        assert_eq!((rendered.timed_out, rendered.cut, rendered.script_errors), (false, false, 1));
        let urls = web.urls();
        assert!(
            urls.starts_with(&["https://a.example/".into(), "https://a.example/app.js".into()]),
            "{urls:?}"
        );
        let asked = web.asked.lock().unwrap();
        assert_eq!(asked.iter().map(|a| a.document).collect::<Vec<_>>()[..3], [true, false, false]);
        assert!(asked[2].headers.contains(&("x-asked-by".into(), "page".into())), "{asked:?}");
        assert!(
            asked.iter().all(|a| a.headers.iter().all(|(n, _)| !n.starts_with("sec-") && n != "user-agent"))
        );
        let data = rendered.requests.iter().find(|r| r.url.as_str().ends_with("data.json")).unwrap();
        assert_eq!(data.status, Some(200));
        assert!(data.bytes > 90, "{}", data.bytes);
    });
}

#[test]
fn what_is_loaded_when_it_is_seen_is_loaded() {
    let lazy = "<body><div style='height:9000px'></div><div id=end>end</div><script>
        new IntersectionObserver(seen => { if (seen[0].isIntersecting) fetch('/more').then(r => r.text()).then(t => end.innerHTML = t) })
          .observe(end)</script>";
    for (scroll, wanted) in [(true, true), (false, false)] {
        let web = Web::default()
            .html("http://a.example/", lazy)
            .html("http://a.example/more", "<a href=/late>l</a>");
        let web = Arc::new(web);
        with_browser(RendererOptions { scroll, ..options() }, |renderer| async move {
            let rendered = render(&renderer, &web, "http://a.example/").await.unwrap();
            assert_eq!(html(&rendered).contains("/late"), wanted, "{scroll}");
        });
    }
}

#[test]
fn a_page_that_moves_itself_stays_and_says_where_to() {
    let web = Web::default()
        .html("http://a.example/", "<p>here</p><script>setTimeout(() => location = '/there', 50)</script>")
        .html("http://b.example/", "<p>here</p><meta http-equiv=refresh content='0; url=http://c.example/x'>")
        // As walls do that want a cookie.
        .html(
            "http://d.example/",
            "<p>wall</p><script>if (document.cookie) document.body.innerHTML = '<a href=/in>in</a>';
             else { document.cookie = 'seen=1'; location.reload() }</script>",
        )
        .raw("http://e.example/", "HTTP/1.1 302 Found\r\nLocation: http://a.example/plain\r\n\r\n")
        .html("http://a.example/plain", "<p>plain");
    let web = Arc::new(web);
    with_browser(options(), |renderer| async move {
        for (url, onward, final_url, text) in [
            ("http://a.example/", Some("http://a.example/there"), "http://a.example/", "here"),
            ("http://b.example/", Some("http://c.example/x"), "http://b.example/", "here"),
            ("http://d.example/", None, "http://d.example/", "/in"),
            ("http://e.example/", None, "http://a.example/plain", "plain"),
        ] {
            let rendered = render(&renderer, &web, url).await.unwrap();
            assert_eq!(rendered.onward.first().map(String::as_str), onward, "{url}");
            assert_eq!(rendered.final_url, final_url);
            assert!(html(&rendered).contains(text), "{url}: {}", html(&rendered));
        }
        let sent: Vec<_> =
            web.asked.lock().unwrap().iter().filter(|a| a.url.host() == "d.example").cloned().collect();
        assert!(sent[1].headers.contains(&("cookie".into(), "seen=1".into())), "{sent:?}");
        assert_eq!(renderer.started(), 1);
    });
}

#[test]
fn pages_know_nothing_of_each_other() {
    let web = Web::default().html(
        "http://a.example/",
        "<p id=x></p><script>x.textContent = 'cookie:' + document.cookie + ' store:' + localStorage.length;
         document.cookie = 'a=1'; localStorage.b = 2</script>",
    );
    let web = Arc::new(web);
    with_browser(options(), |renderer| async move {
        let (one, two) = tokio::join!(
            render(&renderer, &web, "http://a.example/"),
            render(&renderer, &web, "http://a.example/")
        );
        let three = render(&renderer, &web, "http://a.example/").await;
        for rendered in [one, two, three] {
            assert!(html(&rendered.unwrap()).contains("cookie: store:0"));
        }
    });
}
