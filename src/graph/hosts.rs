//! Hosts and domains as groups of nodes.
//!
//! In SURT order the pages of a host are a range of consecutive nodes, so a host is two numbers and a name.
//! Domains are groups of hosts. [`fold`](super::fold()) makes the graphs between them.
//!
//! **Cost.** 4 bytes a node for a grouping; 12 bytes and the name a host.

use webmill_capture::cut::Cut;

/// The SURT of the host (with its port) of a page: what comes before `)`.
pub fn host_of(surt: &[u8]) -> &[u8] {
    let end = surt.iter().position(|&b| b == b')').unwrap_or(surt.len());
    &surt[..end]
}

/// Hosts in SURT order, each a range of consecutive nodes.
#[derive(Clone, Debug, Default)]
pub struct HostRanges {
    starts: Vec<u32>,
    nodes: u32,
    names: Vec<u8>,
    name_ends: Vec<usize>,
}

impl HostRanges {
    /// Takes the next node, by its SURT key.
    pub fn push(&mut self, surt: &[u8]) {
        let host = host_of(surt);
        if self.starts.is_empty() || self.surt(self.len() - 1) != host {
            self.starts.push(self.nodes);
            self.names.extend_from_slice(host);
            self.name_ends.push(self.names.len());
        }
        self.nodes += 1;
    }

    /// The hosts of nodes given by their SURT keys, in ascending order.
    ///
    /// # Examples
    /// ```
    /// # use webmill_graph::HostRanges;
    /// let hosts = HostRanges::from_surts([&b"com,a)/"[..], b"com,a)/news", b"org,b,www)/"]);
    /// assert_eq!((hosts.name(0), hosts.nodes(0)), ("a.com".into(), 0..2));
    /// assert_eq!((hosts.name(1), hosts.host(2)), ("www.b.org".into(), 1));
    /// ```
    pub fn from_surts<'a>(surts: impl IntoIterator<Item = &'a [u8]>) -> Self {
        let mut hosts = HostRanges::default();
        surts.into_iter().for_each(|surt| hosts.push(surt));
        hosts
    }

    /// Number of hosts.
    pub fn len(&self) -> usize {
        self.starts.len()
    }

    /// No hosts, no nodes?
    pub fn is_empty(&self) -> bool {
        self.starts.is_empty()
    }

    /// SURT of a host, with its port: `com,example,www:8080`.
    ///
    /// # Panics
    /// If there is no such host.
    pub fn surt(&self, host: usize) -> &[u8] {
        let start = if host == 0 { 0 } else { self.name_ends[host - 1] };
        &self.names[start..self.name_ends[host]]
    }

    /// Name of a host, with its port: `www.example.com:8080`.
    ///
    /// # Panics
    /// If there is no such host.
    pub fn name(&self, host: usize) -> String {
        let surt = String::from_utf8_lossy(self.surt(host));
        let (labels, port) = match surt.rsplit_once(':') {
            Some((labels, port)) if port.bytes().all(|b| b.is_ascii_digit()) => (labels, Some(port)),
            _ => (surt.cut(..), None),
        };
        let mut name: String = labels.rsplit(',').collect::<Vec<_>>().join(".");
        if let Some(port) = port {
            name.push(':');
            name.push_str(port);
        }
        name
    }

    /// Nodes of a host.
    ///
    /// # Panics
    /// If there is no such host.
    pub fn nodes(&self, host: usize) -> std::ops::Range<u32> {
        self.starts[host]..self.starts.get(host + 1).copied().unwrap_or(self.nodes)
    }

    /// The host of a node.
    pub fn host(&self, node: u32) -> usize {
        self.starts.partition_point(|&start| start <= node) - 1
    }

    /// Are two nodes on one host?
    pub fn same(&self, a: u32, b: u32) -> bool {
        a == b || self.nodes(self.host(a)).contains(&b)
    }

    /// Each host as a group.
    pub fn by_host(&self) -> Groups {
        let of = (0..self.len()).flat_map(|host| self.nodes(host).map(move |_| host as u32)).collect();
        Groups { of, names: (0..self.len()).map(|host| self.name(host)).collect() }
    }

    /// Hosts with one registrable domain as a group. `domain` gets the name of a host without its port and
    /// returns that of its domain, `order` gets that and returns the key (SURT) by which domains are
    /// numbered.
    pub fn by_domain(&self, domain: impl Fn(&str) -> String, order: impl Fn(&str) -> String) -> Groups {
        let of_host: Vec<(String, String)> = (0..self.len())
            .map(|host| {
                let name = self.name(host);
                let bare = match name.rsplit_once(':') {
                    Some((bare, port)) if port.bytes().all(|b| b.is_ascii_digit()) => bare,
                    _ => &name,
                };
                let domain = domain(bare);
                (order(&domain), domain)
            })
            .collect();
        let mut domains: Vec<&(String, String)> = of_host.iter().collect();
        domains.sort_unstable();
        domains.dedup();
        let number: Vec<u32> =
            of_host.iter().map(|domain| domains.partition_point(|other| *other < domain) as u32).collect();
        let of = (0..self.len())
            .flat_map(|host| self.nodes(host).map(move |_| host))
            .map(|host| number[host])
            .collect();
        Groups { of, names: domains.into_iter().map(|(_, name)| name.clone()).collect() }
    }
}

/// A grouping of the nodes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Groups {
    /// Group of each node.
    pub of: Vec<u32>,
    /// Name of each group.
    pub names: Vec<String>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_are_ranges_and_domains_groups_of_them() {
        let surts =
            ["com,a)/", "com,a)/x", "com,a-b)/", "com,a,www)/", "com,a:81)/", "[::1])/", "127.0.0.1)/"];
        let mut surts = surts.map(str::as_bytes);
        surts.sort();
        let hosts = HostRanges::from_surts(surts);
        let names: Vec<String> = (0..hosts.len()).map(|h| hosts.name(h)).collect();
        assert_eq!(names, ["127.0.0.1", "[::1]", "a.com", "www.a.com", "a-b.com", "a.com:81"]);
        assert_eq!(hosts.nodes(2), 2..4);
        assert_eq!((0..7).map(|n| hosts.host(n)).collect::<Vec<_>>(), [0, 1, 2, 2, 3, 4, 5]);
        assert!(hosts.same(2, 3) && !hosts.same(3, 4));
        assert_eq!(hosts.by_host().of, [0, 1, 2, 2, 3, 4, 5]);
        // The domain's hosts are not all side by side.
        let last_two = |host: &str| {
            let labels: Vec<&str> = host.rsplitn(3, '.').collect();
            if host.ends_with("com") { format!("{}.{}", labels[1], labels[0]) } else { host.to_owned() }
        };
        let domains = hosts.by_domain(last_two, |d| d.rsplit('.').collect::<Vec<_>>().join(","));
        let mut expected = vec!["127.0.0.1", "[::1]", "a.com", "a-b.com"];
        expected.sort_by_key(|d| d.rsplit('.').collect::<Vec<_>>().join(","));
        assert_eq!(domains.names, expected);
        let a = domains.names.iter().position(|n| n == "a.com").unwrap() as u32;
        assert_eq!(domains.of.iter().filter(|&&d| d == a).count(), 4);
    }
}
