//! Headless Chromium: opens an address, and gives back the picture and the tree.

use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::{Mutex, PoisonError};

use tempfile::TempDir;
use webmill_html::Tag;

/// Size of the window in pixels.
pub const WIDTH: u32 = 1000;
pub const HEIGHT: u32 = 1400;

/// One browser at a time: each takes as many processors as there are, and pages time out where several share them.
static TURN: Mutex<()> = Mutex::new(());

/// A browser, if there is one.
pub struct Browser {
    program: PathBuf,
}

/// What the browser made of a page.
pub struct Visit {
    /// The tree after scripts have run, as HTML.
    pub tree: String,
    /// The screenshot, as PNG.
    pub picture: PathBuf,
    /// The log of all network activity.
    pub net_log: String,
    _folder: TempDir,
}

impl Browser {
    /// The browser at hand; `None` where the test is to be left, which is said.
    pub fn find() -> Option<Browser> {
        webmill_evaluation::browser().map(|program| Browser { program })
    }

    /// Opens an address and lets it run, in real time, until `enough`, or for two minutes.
    pub fn watch(&self, address: &str, hosts: &str, mut enough: impl FnMut() -> bool) -> Visit {
        let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
        let folder = tempfile::tempdir().unwrap();
        let picture = folder.path().join("picture.png");
        let mut command = self.command(&folder, hosts);
        let mut browser =
            command.args(["--remote-debugging-port=0", address]).spawn().expect("the browser runs");
        for _ in 0..1200 {
            if enough() {
                break;
            }
            std::thread::sleep(std::time::Duration::from_millis(100));
        }
        // Asked to end, it finishes its log.
        let ended = Command::new("kill").arg(browser.id().to_string()).status();
        assert!(ended.is_ok_and(|status| status.success()), "the browser is asked to end");
        browser.wait().unwrap();
        let net_log =
            String::from_utf8_lossy(&std::fs::read(folder.path().join("net.json")).unwrap()).into_owned();
        Visit { tree: String::new(), picture, net_log, _folder: folder }
    }

    /// Opens an address and waits for `budget` ms of the page's own time. No name is resolved but those that `hosts` maps.
    pub fn visit(&self, address: &str, hosts: &str, budget: u32) -> Visit {
        let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
        let folder = tempfile::tempdir().unwrap();
        let picture = folder.path().join("picture.png");
        let log = folder.path().join("net.json");
        let output = self
            .command(&folder, hosts)
            .args(["--dump-dom", &format!("--virtual-time-budget={budget}")])
            .arg(format!("--screenshot={}", picture.display()))
            .arg(address)
            .stdout(Stdio::piped())
            .output()
            .expect("the browser runs");
        assert!(output.status.success(), "the browser ends with {} at {address}", output.status);
        let net_log =
            std::fs::read(&log).map(|log| String::from_utf8_lossy(&log).into_owned()).unwrap_or_default();
        let tree = String::from_utf8_lossy(&output.stdout).into_owned();
        Visit { tree, picture, net_log, _folder: folder }
    }

    fn command(&self, folder: &TempDir, hosts: &str) -> Command {
        let mut command = webmill_evaluation::chromium(&self.program, folder.path(), hosts);
        command
            .args(["--force-device-scale-factor=1", "--font-render-hinting=none"])
            .arg(format!("--window-size={WIDTH},{HEIGHT}"))
            .arg(format!("--log-net-log={}", folder.path().join("net.json").display()))
            .env("LANG", "en_US.UTF-8");
        command
    }
}

impl Visit {
    /// Hosts that connections were opened to, or packets were sent to. (At its start the browser binds a socket to a public address,
    /// to learn whether there is a route, and sends nothing.)
    pub fn peers(&self) -> Vec<String> {
        let log = self.net_log.trim_end().trim_end_matches(',');
        let log: serde_json::Value = serde_json::from_str(log)
            .or_else(|_| serde_json::from_str(&format!("{log}]}}")))
            // The last line may be cut off.
            .or_else(|_| {
                serde_json::from_str(&format!("{}]}}", log.rsplit_once(",\n").map_or("", |(whole, _)| whole)))
            })
            .expect("the log of network activity is whole");
        let kind = |name: &str| log["constants"]["logEventTypes"][name].as_u64().expect("a known event");
        let (tcp, udp, sent) = (kind("TCP_CONNECT_ATTEMPT"), kind("UDP_CONNECT"), kind("UDP_BYTES_SENT"));
        let events = log["events"].as_array().expect("a list of events");
        let of = |kind: u64| events.iter().filter(move |event| event["type"].as_u64() == Some(kind));
        let senders: Vec<_> = of(sent).map(|event| &event["source"]["id"]).collect();
        let mut peers: Vec<String> = of(tcp)
            .chain(of(udp).filter(|event| senders.contains(&&event["source"]["id"])))
            .filter_map(|event| event["params"]["address"].as_str())
            .map(|peer| peer.rsplit_once(':').map_or(peer, |(host, _)| host).to_owned())
            .collect();
        peers.sort();
        peers.dedup();
        peers
    }

    /// The text of the tree, scripts and styles left out; white space unified.
    pub fn text(&self) -> String {
        let dom = webmill_html::parse(&self.tree, &webmill_html::Limits::default());
        let mut text = String::new();
        for n in dom.descendants(dom.document()).filter(|&n| dom.is_text(n)) {
            if !dom.parent(n).is_some_and(|p| matches!(dom.tag(p), Tag::Script | Tag::Style)) {
                text.push_str(dom.text(n));
            }
        }
        text.split_whitespace().collect::<Vec<_>>().join(" ")
    }
}
