//! How the hosts of a simulated Web answer: health, session ids.

use super::draw::{below, purpose, unit};
use super::sim::SimWeb;
use super::sim_config::{HostTrouble, pick};
use super::sim_traps::Trap;

/// How a host answers at all.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Health {
    /// As it should.
    Sound,
    /// Delay in ms.
    Slow(u32),
    /// 500 to everything, robots.txt included.
    Down,
    /// Connections are refused. A proxy says 502.
    Refused,
    /// The name does not resolve. A proxy says 502 with `X-Proxy-Error: dns`.
    Unresolved,
    /// Connections are reset (TCP RST) after the request.
    Reset,
    /// Connections are closed after the request.
    Closed,
    /// Takes the request and never says anything.
    Silent,
    /// A proxy says 504 after a while.
    TimedOut,
}

impl Health {
    /// Whether pages can be had.
    pub fn is_alive(self) -> bool {
        matches!(self, Health::Sound | Health::Slow(_))
    }
}

/// Where a host puts session ids.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Session {
    Path,
    Query,
}

/// What comes before the id.
const PATH_KEY: &str = ";jsessionid=";
const QUERY_KEY: &str = "?PHPSESSID=";

impl SimWeb {
    /// How a host answers.
    pub fn health(&self, host: u64) -> Health {
        let hash = self.web.hash(host, purpose::HEALTH);
        match pick(&self.config.hosts.all(), HostTrouble::ALL, unit(hash)) {
            None => Health::Sound,
            Some(HostTrouble::Slow) => {
                let most = u64::from(self.config.slow_ms);
                Health::Slow((most / 4 + below(hash.rotate_left(32), most - most / 4 + 1)) as u32)
            }
            Some(HostTrouble::Down) => Health::Down,
            Some(HostTrouble::Refused) => Health::Refused,
            Some(HostTrouble::Unresolved) => Health::Unresolved,
            Some(HostTrouble::Reset) => Health::Reset,
            Some(HostTrouble::Closed) => Health::Closed,
            Some(HostTrouble::Silent) => Health::Silent,
            Some(HostTrouble::TimedOut) => Health::TimedOut,
        }
    }

    /// The host whose features a host has: its own, or those of the one that it mirrors.
    pub(super) fn featured(&self, host: u64) -> u64 {
        self.web.mirrored_host(host).unwrap_or(host)
    }

    /// A draw for the n-th feature of a host.
    pub(super) fn feature(&self, host: u64, n: u64) -> u64 {
        self.web.hash(self.featured(host), purpose::FEATURES | n << 8)
    }

    pub(super) fn session(&self, host: u64) -> Option<Session> {
        if self.config.features.sessions == 0.0 {
            return None;
        }
        let hash = self.feature(host, 20);
        let form = if hash & 1 == 0 { Session::Path } else { Session::Query };
        (unit(hash) < self.config.features.sessions).then_some(form)
    }

    /// The trap of a host.
    pub(super) fn trap(&self, host: u64) -> Option<Trap> {
        let hash = self.feature(host, 21);
        (unit(hash) < self.config.features.traps).then(|| Trap::ALL[below(hash << 11, 5) as usize])
    }

    /// Path without the session id, where there is one and the host uses them so.
    pub(super) fn without_session(&self, host: u64, path: &str) -> Option<String> {
        let key = match self.session(host)? {
            Session::Path => PATH_KEY,
            Session::Query => QUERY_KEY,
        };
        let (before, id) = path.split_once(key)?;
        let hex = id.len() == 32 && id.bytes().all(|b| matches!(b, b'0'..=b'9' | b'A'..=b'F'));
        hex.then(|| before.to_owned())
    }

    /// Puts a session id into each link within the site of a page: those that begin with a slash.
    pub(super) fn add_sessions(&self, host: u64, page: u64, html: &[u8]) -> Option<Vec<u8>> {
        let form = self.session(host)?;
        let hash = |salt: u64| self.web.hash(page, purpose::SESSION | salt << 8);
        let id = format!(
            "{}{:016X}{:016X}",
            if form == Session::Path { PATH_KEY } else { QUERY_KEY },
            hash(1),
            hash(2)
        );
        let mut out = Vec::with_capacity(html.len() * 2);
        let mut rest = html;
        while let Some(at) = memchr::memmem::find(rest, b"<a href=") {
            let from = at + 8 + usize::from(rest.get(at + 8) == Some(&b'"'));
            let end = rest[from..].iter().position(|b| matches!(b, b'"' | b'>' | b' ')).map(|n| from + n);
            let end = end.unwrap_or(rest.len());
            out.extend_from_slice(&rest[..end]);
            if rest[from..end].starts_with(b"/") && end - from > 1 {
                out.extend_from_slice(id.as_bytes());
            }
            rest = &rest[end..];
        }
        out.extend_from_slice(rest);
        Some(out)
    }
}
