//! Nothing reaches the network but through the proxy.

use std::net::{TcpListener, UdpSocket};
use std::sync::Arc;

use crate::{Web, html, options, render, with_browser};

#[test]
fn a_page_reaches_nobody_by_itself() {
    let tcp = TcpListener::bind("127.0.0.1:0").unwrap();
    let udp = UdpSocket::bind("127.0.0.1:0").unwrap();
    tcp.set_nonblocking(true).unwrap();
    udp.set_nonblocking(true).unwrap();
    let (tcp_port, udp_port) = (tcp.local_addr().unwrap().port(), udp.local_addr().unwrap().port());
    let page = format!(
        "<link rel=preconnect href=http://127.0.0.1:{tcp_port}><link rel=dns-prefetch href=http://127.0.0.1:{tcp_port}>
         <img src=http://127.0.0.1:{tcp_port}/picture><img src=http://localhost:{tcp_port}/picture><iframe src=http://127.0.0.1:{tcp_port}/frame></iframe>
         <script>
           fetch('http://127.0.0.1:{tcp_port}/fetch', {{mode: 'no-cors'}}).catch(() => {{}});
           fetch('http://169.254.169.254/latest/meta-data').catch(() => {{}});
           navigator.sendBeacon('http://127.0.0.1:{tcp_port}/beacon');
           try {{ new WebSocket('ws://127.0.0.1:{tcp_port}/') }} catch {{}}
           try {{ new WebTransport('https://127.0.0.1:{udp_port}/').ready.catch(() => {{}}) }} catch {{}}
           let n = 0;
           for (const url of ['stun:127.0.0.1:{udp_port}', 'turn:127.0.0.1:{udp_port}?transport=udp', 'turn:127.0.0.1:{tcp_port}?transport=tcp']) {{
             const rtc = new RTCPeerConnection({{iceServers: [{{urls: url, username: 'u', credential: 'c'}}]}});
             rtc.createDataChannel('x');
             rtc.createOffer().then(o => rtc.setLocalDescription(o));
             rtc.onicecandidate = e => {{ if (e.candidate) document.body.append(e.candidate.candidate) }};
             n++;
           }}
           document.body.append('tried ' + n);
           setTimeout(() => document.body.append('later'), 3000);
           setTimeout(() => fetch('/last'), 3200);
         </script>"
    );
    let web = Arc::new(Web::default().html("https://a.example/", &page).html("http://b.example/", &page));
    let slow = webmill_render::RendererOptions { idle_ms: 4_000, ..options() };
    with_browser(slow, |renderer| async move {
        for url in ["https://a.example/", "http://b.example/"] {
            let rendered = render(&renderer, &web, url).await.unwrap();
            let html = html(&rendered);
            assert!(html.contains("tried 3") && html.contains("later"), "{html}");
            assert!(!html.contains("candidate:"), "no address of this machine is told: {html}");
        }
        let urls = web.urls();
        assert!(
            urls.iter().any(|url| url.contains("169.254.169.254")),
            "what a page wants is seen: {urls:?}"
        );
        assert!(urls.iter().any(|url| url.ends_with("/picture")), "{urls:?}");
        assert!(tcp.accept().is_err(), "somebody connected");
        assert!(udp.recv_from(&mut [0; 2048]).is_err(), "somebody sent a packet");
    });
}
