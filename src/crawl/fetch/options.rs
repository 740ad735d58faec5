//! Settings of fetching.

use std::collections::BTreeMap;
use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;

use super::account::Account;
use super::proxies::Proxies;
use crate::secret::{is_withheld, missing};
use crate::site_settings::SiteSettings;
use webmill_capture::error::{Error, Result};
use webmill_capture::settings;

/// Longest time a name is cached, in seconds, whatever its TTL.
pub(super) const MAX_TTL_S: u32 = 86_400;
/// Most lookups at once.
pub(super) const LOOKUPS: usize = 256;

/// Most lookups ahead at once; more are dropped.
pub(super) const PREFETCH: usize = 64;

settings! {
    /// How names become addresses.
    #[derive(PartialEq)]
    pub struct DnsOptions {
        /// Name servers, as `address` or `address:port`; none: those of the system.
        #[serde(skip)]
        pub servers: Vec<String> = Vec::new();
        /// Names with their addresses, which are used before any server is asked (like `/etc/hosts`);
        /// `*.example.com` stands for all names below, `*` for all. The address filter applies to them, too.
        /// Default none.
        pub hosts: BTreeMap<String, IpAddr> = BTreeMap::new();
        /// Most names in the cache; what the crawl's memory allows.
        #[serde(skip)]
        pub cache_entries: usize = 100_000;
        /// Shortest time a name is cached, in seconds, whatever its TTL, at most a day.
        #[serde(skip)]
        pub min_ttl_s: u32 = 60;
        /// Time for an answer of a server, in milliseconds.
        #[serde(skip)]
        pub timeout_ms: u64 = 5_000;
        /// How often a failing resolver is asked for one name.
        #[serde(skip)]
        pub attempts: u32 = 3;
        /// Wait before the second attempt, in milliseconds; it doubles with each.
        #[serde(skip)]
        pub retry_ms: u64 = 500;
    }
}

settings! {
    /// How pages are fetched.
    #[derive(PartialEq)]
    pub struct FetchOptions {
        /// The User-Agent; default `webmill/VERSION`. A crawl of other people's servers should add an address for
        /// complaints.
        pub user_agent: String = format!("webmill/{}", env!("CARGO_PKG_VERSION"));
        /// Headers sent in addition, or in place of webmill's headers with the same name; default none.
        pub headers: Vec<(String, String)> = Vec::new();
        /// Settings of single sites, of which accounts count here; a crawl puts its own in.
        #[serde(skip)]
        pub sites: Vec<SiteSettings> = Vec::new();
        /// Proxies: `[http=|https=]URL`, separated by commas; the scheme in front says for which URLs, without one for all. URL:
        /// `http://`, `socks5://` (names are looked up here) or `socks5h://` (there), `[user:password@]host[:port]`. Default
        /// none.
        pub proxy: Option<String> = None;
        /// Hosts that are asked without a proxy: `host`, `.domain` with all below it, an address or a range of addresses
        /// (`10.0.0.0/8`) that a URL names; `*`: all. Default none.
        pub no_proxy: Vec<String> = Vec::new();
        /// Whether a connection to the proxy may carry http requests for one host after another.
        #[serde(skip)]
        pub share_proxy: bool = true;
        /// Accounts by `host` or `host:port`: those that seeds name.
        #[serde(skip)]
        pub accounts: BTreeMap<String, Account> = BTreeMap::new();
        /// Whether cookies are stored and sent back; default false. Even then they are stored and sent for the
        /// sites of `cookies_file`, and for servers that ask for a cookie by a redirect to the same URL.
        pub cookies: bool = false;
        /// File of cookies to begin with, in the text form that browsers and their tools write (`cookies.txt`);
        /// default none.
        pub cookies_file: Option<PathBuf> = None;
        /// Longest body of a page or document, in bytes as transferred (see [`super::Request::max_body_bytes`]); default 64 MiB.
        pub max_body_bytes: u64 = 64 << 20;
        /// Bytes of a body that each connection may hold without asking for memory; default 1 MiB, in a crawl less where its
        /// memory is small.
        #[serde(skip)]
        pub small_body_bytes: u64 = 1 << 20;
        /// Memory for what bodies have beyond that on all connections together, until they are stored, in bytes: such bodies
        /// wait for each other, but for one that may always go on. In a crawl an eighth of its memory.
        #[serde(skip)]
        pub large_bodies_bytes: u64 = 256 << 20;
        /// Time for a whole exchange, connecting included, in milliseconds: 120,000; waiting for memory not, which may take as long
        /// again.
        #[serde(skip)]
        pub total_ms: u64 = 120_000;
        /// Longest silence of the server, in milliseconds: 20,000.
        #[serde(skip)]
        pub idle_ms: u64 = 20_000;
        /// Time for connecting to one address, and for its TLS, in milliseconds: 10,000.
        #[serde(skip)]
        pub connect_ms: u64 = 10_000;
        /// Whether private, loopback and other special addresses may be reached; default false.
        pub allow_private: bool = false;
        /// File of PEM certificates that are trusted besides those of the system, in place of which the environment
        /// variable `SSL_CERT_FILE` names others; none.
        #[serde(skip)]
        pub extra_roots: Option<PathBuf> = None;
        /// How names become addresses.
        pub dns: DnsOptions = DnsOptions::default();
        /// Shortest time between the starts of two requests to one address, in milliseconds; not held through a proxy, which
        /// tells no addresses. `None`: in a crawl a quarter of the delay of a host, else 0.
        #[serde(skip)]
        pub ip_delay_ms: Option<u64> = None;
        /// Longest wait for an address, in milliseconds; a request that would have to wait longer ends at once with
        /// [`Failure::AddressBusy`](super::Failure::AddressBusy) and keeps its turn. `None`: it waits; in a crawl with one
        /// connection alone.
        #[serde(skip)]
        pub ip_patience_ms: Option<u64> = None;
        /// How long an idle connection is kept for the next request to its host, in milliseconds; 0: closed at once.
        #[serde(skip)]
        pub keep_alive_ms: u64 = 15_000;
        /// Most idle connections; the oldest is closed first.
        #[serde(skip)]
        pub max_idle: usize = 4_096;
    }
}

/// Headers that frame or route a message: ours alone.
const RESERVED: [&str; 9] = [
    "host",
    "connection",
    "content-length",
    "transfer-encoding",
    "te",
    "upgrade",
    "expect",
    "proxy-authorization",
    "keep-alive",
];

impl FetchOptions {
    /// Whether the settings can work.
    ///
    /// # Errors
    /// [`Error::Config`] that names the field and what it takes.
    pub fn check(&self) -> Result<()> {
        header_value("user_agent", &self.user_agent)?;
        if self.user_agent.trim().is_empty() {
            return Err(Error::Config("user_agent: must say who is asking".into()));
        }
        for (name, value) in &self.headers {
            if name.is_empty() || !name.bytes().all(is_token) {
                return Err(Error::Config(format!("headers: {name:?} is no header name")));
            }
            if RESERVED.iter().any(|r| name.eq_ignore_ascii_case(r)) {
                return Err(Error::Config(format!("headers: {name} cannot be set")));
            }
            header_value("headers", value)?;
            if is_withheld(value) {
                return Err(missing(&format!("header {name}")));
            }
        }
        Proxies::new(self.proxy.as_deref(), &self.no_proxy)?;
        if self.max_body_bytes == 0 {
            return Err(Error::Config("max_body_bytes: must be more than 0".into()));
        }
        self.dns.servers.iter().try_for_each(|server| name_server(server).map(drop))
    }
}

/// `address` or `address:port`.
pub(super) fn name_server(text: &str) -> Result<SocketAddr> {
    text.parse::<SocketAddr>()
        .or_else(|_| text.trim_matches(|c| c == '[' || c == ']').parse().map(|ip| SocketAddr::new(ip, 53)))
        .map_err(|_| Error::Config(format!("dns.servers: {text:?} is neither address nor address:port")))
}

fn header_value(field: &str, value: &str) -> Result<()> {
    if value.bytes().any(|b| (b < b' ' && b != b'\t') || b == 0x7f) {
        return Err(Error::Config(format!("{field}: {value:?} holds control characters")));
    }
    Ok(())
}

/// Characters of a header name (RFC 9110, section 5.6.2).
pub(super) fn is_token(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn default_is_valid_and_round_trips() {
        let options = FetchOptions::default();
        options.check().unwrap();
        let text = toml::to_string(&options).unwrap();
        assert_eq!(toml::from_str::<FetchOptions>(&text).unwrap(), options);
        assert!(toml::from_str::<FetchOptions>("no_such = 1").is_err());
    }

    #[test]
    fn bad_settings_are_named() {
        let with = |change: &dyn Fn(&mut FetchOptions)| {
            let mut options = FetchOptions::default();
            change(&mut options);
            options.check().unwrap_err().to_string()
        };
        for (change, name) in [
            (
                &(|o: &mut FetchOptions| o.user_agent = "a\r\nb".into()) as &dyn Fn(&mut FetchOptions),
                "user_agent",
            ),
            (&|o| o.user_agent.clear(), "user_agent"),
            (&|o| o.headers = vec![("Bad Name".into(), "x".into())], "headers"),
            (&|o| o.headers = vec![("X".into(), "x\ny".into())], "headers"),
            (&|o| o.headers = vec![("HOST".into(), "x".into())], "HOST"),
            (&|o| o.proxy = Some("ftp://x".into()), "proxy"),
            (&|o| o.no_proxy = vec!["10.0.0.0/99".into()], "no_proxy"),
            (&|o| o.max_body_bytes = 0, "max_body_bytes"),
            (&|o| o.dns.servers = vec!["dns.example".into()], "dns.servers"),
        ] {
            assert!(with(change).contains(name), "{name}");
        }
        for text in ["9.9.9.9", "9.9.9.9:5353", "::1", "[::1]", "[::1]:53"] {
            name_server(text).unwrap();
        }
    }
}
