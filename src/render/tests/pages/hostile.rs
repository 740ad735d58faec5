//! Pages that want to keep the browser, fill the memory, or die.

use std::sync::Arc;
use std::time::Duration;

use webmill_render::RendererOptions;

use crate::{Web, html, options, render, with_browser};

#[test]
fn pages_without_end_are_taken_as_they_are() {
    let web = Web { slow: Duration::from_millis(20), ..Web::default() }
        .html("http://a.example/loop", "<a href=/before>x</a><script>for (;;) {}</script>")
        .html("http://a.example/alerts", "<a href=/alerts>x</a><script>for (;;) alert('again')</script>")
        .html(
            "http://a.example/polls",
            "<a href=/polls>x</a><script>const ask = () => fetch('/poll?' + Math.random()).finally(ask); ask()</script>",
        )
        .html("http://a.example/timer", "<a href=/t>x</a><script>setInterval(() => document.body.append('x'), 1)</script>")
        .html("http://a.example/plain", "<p>plain")
        .with("http://a.example/poll", "text/plain", "no");
    let web = Arc::new(web);
    let short = RendererOptions { timeout_ms: 3_000, total_ms: 20_000, max_requests: 60, ..options() };
    with_browser(short, |renderer| async move {
        for (path, cut_off) in [("loop", true), ("alerts", true), ("timer", false), ("polls", false)] {
            let rendered = render(&renderer, &web, &format!("http://a.example/{path}")).await.unwrap();
            assert_eq!(rendered.timed_out, cut_off, "{path}");
            assert!(path == "alerts" || html(&rendered).contains("<a href="), "{path}: {}", html(&rendered));
            if path == "alerts" {
                assert!(rendered.dialogs > 1, "{rendered:?}");
            }
            if path == "polls" {
                assert!(rendered.refused["page-requests"] > 0 && rendered.requests.len() <= 60);
            }
        }
        // Those who come after them get a browser all the same.
        assert!(html(&render(&renderer, &web, "http://a.example/plain").await.unwrap()).contains("plain"));
    });
}

#[test]
fn windows_dialogs_downloads_and_sockets_lead_nowhere() {
    let web = Web::default()
        .html(
            "http://a.example/",
            "<a href=/kept>x</a><script>
               for (let i = 0; i < 30; i++) window.open('/window' + i);
               confirm('sure?'); prompt('name?');
               new WebSocket('ws://a.example/socket'); new WebSocket('wss://a.example/socket');
               navigator.serviceWorker && navigator.serviceWorker.register('/worker.js').catch(() => {});
               fetch('/data', {method: 'POST', body: 'x'}).catch(() => {});
               navigator.sendBeacon('/beacon', 'x');
               fetch('http://b.example/other', {headers: {'X-Custom': '1'}}).catch(() => {});
               fetch('/forbidden/data').then(r => document.body.append('status ' + r.status));
               const a = document.createElement('a'); a.href = '/file.bin'; a.download = 'f'; a.click();
             </script>",
        )
        .with("http://a.example/file.bin", "application/octet-stream", "bytes");
    let web = Arc::new(web);
    with_browser(options(), |renderer| async move {
        let rendered = render(&renderer, &web, "http://a.example/").await.unwrap();
        let html = html(&rendered);
        assert!(html.contains("/kept") && html.contains("status 403"), "{html}");
        assert_eq!(rendered.dialogs, 2);
        assert!(rendered.refused["method"] >= 2, "{:?}", rendered.refused);
        assert_eq!(rendered.refused["robots-denied"], 1);
        assert!(
            rendered.refused.contains_key("not-tls") && rendered.refused.contains_key("websocket"),
            "{rendered:?}"
        );
        assert!(web.asked.lock().unwrap().iter().all(|asked| asked.url.scheme() == "http"));
    });
}

#[test]
fn a_huge_tree_is_cut() {
    let web = Web::default().html(
        "http://a.example/",
        "<body style=display:none><a href=/first>x</a><script>const s = '<p>' + 'x'.repeat(1000) + '</p>';
         for (let i = 0; i < 100; i++) { const d = document.createElement('div'); d.innerHTML = s.repeat(1000); document.body.append(d) }
         </script>",
    );
    let web = Arc::new(web);
    with_browser(RendererOptions { max_html: 1 << 20, ..options() }, |renderer| async move {
        let rendered = render(&renderer, &web, "http://a.example/").await.unwrap();
        assert!(rendered.cut);
        assert_eq!(rendered.html.len(), 1 << 20);
        assert!(html(&rendered).contains("/first"));
    });
}

#[test]
fn a_page_that_takes_too_much_memory_is_ended_and_no_other() {
    let web = Web { slow: Duration::from_millis(50), ..Web::default() }
        .html(
            "http://a.example/",
            "<script>const all = []; setInterval(() => all.push(new Uint8Array(64 << 20).fill(1)), 10)</script>",
        )
        .html("http://a.example/plain", "<p>plain");
    let web = Arc::new(web);
    with_browser(
        RendererOptions { max_memory: 768 << 20, idle_ms: 15_000, ..options() },
        |renderer| async move {
            let (greedy, plain) = tokio::join!(
                render(&renderer, &web, "http://a.example/"),
                render(&renderer, &web, "http://a.example/plain")
            );
            let greedy = greedy.unwrap();
            assert!(greedy.crashed && greedy.html.is_empty(), "{greedy:?}");
            assert!(html(&plain.unwrap()).contains("plain"));
            assert_eq!(renderer.started(), 1);
        },
    );
}

#[test]
fn a_page_whose_browser_was_killed_is_opened_again() {
    let web = Web::default().html("http://a.example/", "<a href=/x>x</a><script>fetch('/slow')</script>");
    let web = Arc::new(Web { slow: Duration::from_millis(700), ..web });
    with_browser(options(), |renderer| async move {
        let killer = async {
            while web.asked.lock().unwrap().is_empty() {
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
            let group = renderer.process();
            let killed =
                std::process::Command::new("kill").args(["-9", &group.to_string()]).status().unwrap();
            assert!(killed.success());
        };
        let (rendered, ()) = tokio::join!(render(&renderer, &web, "http://a.example/"), killer);
        assert!(html(&rendered.unwrap()).contains("/x"));
        assert_eq!(renderer.started(), 2);
    });
}

#[test]
fn no_process_is_left_behind() {
    let web = Arc::new(Web::default().html("http://a.example/", "<p>x"));
    let group = std::sync::Mutex::new(0);
    with_browser(options(), |renderer| {
        let group = &group;
        async move {
            render(&renderer, &web, "http://a.example/").await.unwrap();
            *group.lock().unwrap() = renderer.process();
        }
    });
    let group = group.into_inner().unwrap();
    for _ in 0..100 {
        if group == 0 || alive(group) == 0 {
            return;
        }
        std::thread::sleep(Duration::from_millis(100));
    }
    panic!("processes of group {group} are left");
}

/// Processes of a group that run; those that ended and were not waited for do not count.
fn alive(group: u64) -> usize {
    let stats = std::fs::read_dir("/proc").unwrap().flatten();
    let stats = stats.filter_map(|entry| std::fs::read_to_string(entry.path().join("stat")).ok());
    stats
        .filter(|stat| {
            let mut fields = stat.rsplit_once(") ").map_or("", |(_, rest)| rest).split(' ');
            let (state, group_of) = (fields.next(), fields.nth(1).and_then(|group| group.parse().ok()));
            group_of == Some(group) && !matches!(state, Some("Z" | "X"))
        })
        .count()
}
