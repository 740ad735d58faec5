//! Which addresses a crawler may reach.
//!
//! Links are written by strangers. A link to `http://169.254.169.254/` or to a name that resolves to `10.0.0.1` must
//! not make the crawler ask the inside of the network it runs in. Only *global unicast* addresses pass; an IPv6
//! address that carries an IPv4 address in it (mapped, compatible, NAT64, 6to4, Teredo, ISATAP) is refused, whatever
//! address that is: no page of the Web needs one.
//!
//! Reference: RFC 6890 and the IANA special-purpose address registries; RFC 4291, 6052, 3056, 4380, 5214.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use webmill_capture::CanonicalUrl;

/// IPv4 ranges that are not global unicast: network, length of the prefix.
const SPECIAL_V4: [([u8; 4], u32); 20] = [
    ([0, 0, 0, 0], 8),          // this network
    ([10, 0, 0, 0], 8),         // private
    ([100, 64, 0, 0], 10),      // shared by carriers
    ([127, 0, 0, 0], 8),        // loopback
    ([168, 63, 129, 16], 32),   // platform service of a cloud, reachable from inside only
    ([169, 254, 0, 0], 16),     // link-local, metadata services
    ([172, 16, 0, 0], 12),      // private
    ([192, 0, 0, 0], 24),       // protocol assignments
    ([192, 0, 2, 0], 24),       // documentation
    ([192, 31, 196, 0], 24),    // AS112
    ([192, 52, 193, 0], 24),    // AMT
    ([192, 88, 99, 0], 24),     // 6to4 relay
    ([192, 168, 0, 0], 16),     // private
    ([192, 175, 48, 0], 24),    // AS112
    ([198, 18, 0, 0], 15),      // benchmarks
    ([198, 51, 100, 0], 24),    // documentation
    ([203, 0, 113, 0], 24),     // documentation
    ([224, 0, 0, 0], 4),        // multicast
    ([240, 0, 0, 0], 4),        // reserved
    ([255, 255, 255, 255], 32), // broadcast
];

/// IPv6 ranges inside of global unicast (`2000::/3`) that are not for pages.
const SPECIAL_V6: [([u16; 8], u32); 7] = [
    ([0x2001, 0, 0, 0, 0, 0, 0, 0], 23), // protocol assignments: Teredo, ORCHID, benchmarks …
    ([0x2001, 0xdb8, 0, 0, 0, 0, 0, 0], 32), // documentation
    ([0x2002, 0, 0, 0, 0, 0, 0, 0], 16), // 6to4
    ([0x2620, 0x4f, 0x8000, 0, 0, 0, 0, 0], 48), // AS112
    ([0x3ffe, 0, 0, 0, 0, 0, 0, 0], 16), // 6bone, given back
    ([0x3fff, 0, 0, 0, 0, 0, 0, 0], 20), // documentation
    ([0x3ffe, 0x831f, 0, 0, 0, 0, 0, 0], 32), // Teredo, former
];

/// Whether an address is global unicast: may stand for a server of the Web.
pub fn is_public(ip: IpAddr) -> bool {
    match ip {
        IpAddr::V4(ip) => is_public_v4(ip),
        IpAddr::V6(ip) => is_public_v6(ip),
    }
}

fn is_public_v4(ip: Ipv4Addr) -> bool {
    let bits = ip.to_bits();
    !SPECIAL_V4.iter().any(|(net, length)| (bits ^ u32::from_be_bytes(*net)) >> (32 - length) == 0)
}

fn is_public_v6(ip: Ipv6Addr) -> bool {
    let bits = ip.to_bits();
    let within = |net: Ipv6Addr, length: u32| (bits ^ net.to_bits()) >> (128 - length) == 0;
    let isatap = matches!(ip.segments()[4..6], [0 | 0x200, 0x5efe]);
    // Mapped, compatible, loopback, NAT64, discard, unique local, link-local, site-local, multicast: all outside.
    within(Ipv6Addr::new(0x2000, 0, 0, 0, 0, 0, 0, 0), 3)
        && !SPECIAL_V6.iter().any(|(net, length)| within(Ipv6Addr::from(*net), *length))
        && !isatap
}

/// A host name without the dot of the root: with it or without it, it is the same host.
pub(super) fn undotted(host: &str) -> &str {
    host.strip_suffix('.').unwrap_or(host)
}

/// Port of a URL, the default of its scheme if it names none.
pub(super) fn port(url: &CanonicalUrl) -> u16 {
    url.port().unwrap_or(if url.scheme() == "https" { 443 } else { 80 })
}

/// The address that a host of a canonical URL is, if it is one: `127.0.0.1`, `[::1]`.
pub fn literal(host: &str) -> Option<IpAddr> {
    match host.strip_prefix('[') {
        Some(v6) => v6.strip_suffix(']')?.parse().ok().map(IpAddr::V6),
        None => undotted(host).parse().ok().map(IpAddr::V4),
    }
}

/// Whether a name means this machine, whatever a resolver says (RFC 6761, section 6.3).
pub fn is_local_name(host: &str) -> bool {
    let host = undotted(host);
    host == "localhost" || host.ends_with(".localhost")
}

/// Ports of other services, to which a link could smuggle commands: fetch.spec.whatwg.org, "bad port".
pub fn is_bad_port(port: u16) -> bool {
    const BAD: [u16; 81] = [
        1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102, 103,
        104, 109, 110, 111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427, 465, 512, 513,
        514, 515, 526, 530, 531, 532, 540, 548, 554, 556, 563, 587, 601, 636, 989, 990, 993, 995, 1719, 1720,
        1723, 2049, 3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697,
    ];
    port == 0 || port == 10080 || BAD.binary_search(&port).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn special_ranges_are_refused_and_their_neighbours_pass() {
        let refused = "0.0.0.0 0.255.255.255 10.0.0.0 10.255.255.255 100.64.0.0 100.127.255.255 127.0.0.1 \
            127.255.255.255 168.63.129.16 169.254.0.0 169.254.169.254 169.254.255.255 172.16.0.0 172.31.255.255 \
            192.0.0.0 192.0.0.8 192.0.0.170 192.0.0.192 192.0.0.255 192.0.2.0 192.0.2.255 192.31.196.1 192.52.193.1 \
            192.88.99.0 192.88.99.255 192.168.0.0 192.168.255.255 192.175.48.1 198.18.0.0 198.19.255.255 \
            198.51.100.0 198.51.100.255 203.0.113.0 203.0.113.255 224.0.0.0 239.255.255.255 240.0.0.0 \
            255.255.255.254 255.255.255.255 \
            :: ::1 ::8.8.8.8 ::127.0.0.1 ::ffff:8.8.8.8 ::ffff:127.0.0.1 ::ffff:0:10.0.0.1 64:ff9b::8.8.8.8 \
            64:ff9b::169.254.169.254 64:ff9b:1::1 100::1 100:0:0:1::1 2001::1 2001:0:4136:e378:8000:63bf:3fff:fdd2 \
            2001:2::1 2001:3::1 2001:10::1 2001:20::1 2001:1ff:ffff::1 2001:db8::1 2001:db8:ffff::1 2002::1 \
            2002:7f00:1::1 2002:808:808::1 2620:4f:8000::1 3ffe::1 3ffe:831f::1 3fff::1 3fff:fff::1 5f00::1 \
            fc00::1 fd00:ec2::254 fdff::1 fe80::1 febf::1 fec0::1 feff::1 ff00::1 ff02::1 ffff::1 4000::1 \
            2a00:1450::5efe:10.0.0.1 2a00:1450::200:5efe:8.8.8.8";
        for text in refused.split_whitespace() {
            let ip: IpAddr = text.parse().unwrap_or_else(|_| panic!("{text}"));
            assert!(!is_public(ip), "{text}");
        }
        let public = "1.0.0.0 1.1.1.1 8.8.8.8 9.255.255.255 11.0.0.0 100.63.255.255 100.128.0.0 126.255.255.255 \
            128.0.0.0 168.63.129.15 168.63.129.17 169.253.255.255 169.255.0.0 172.15.255.255 172.32.0.0 \
            191.255.255.255 192.0.1.0 192.0.3.0 192.88.98.255 192.88.100.0 192.167.255.255 192.169.0.0 \
            198.17.255.255 198.20.0.0 198.51.99.255 198.51.101.0 203.0.112.255 203.0.114.0 223.255.255.255 \
            2001:200::1 2001:4860:4860::8888 2001:db7:ffff::1 2001:db9::1 2003::1 2606:4700:4700::1111 \
            2620:4f:7fff::1 2a00:1450:4001::1 3ffd:ffff::1 3fff:1000::1";
        for text in public.split_whitespace() {
            assert!(is_public(text.parse().unwrap_or_else(|_| panic!("{text}"))), "{text}");
        }
    }

    #[test]
    fn odd_spellings_of_an_address_are_that_address() {
        for (url, refused) in [
            ("http://127.0.0.1/", true),
            ("http://127.1/", true),
            ("http://0x7f.1/", true),
            ("http://0177.0.0.1/", true),
            ("http://2130706433/", true),
            ("http://017700000001/", true),
            ("http://0/", true),
            ("http://127.0.0.1./", true),
            ("http://%31%32%37.0.0.1/", true),
            ("http://１２７.0.0.1/", true),
            ("http://169.254.43518/", true),
            ("http://[::1]/", true),
            ("http://[::ffff:7f00:1]/", true),
            ("http://[::ffff:127.0.0.1]/", true),
            ("http://[::]/", true),
            ("http://134744072/", false),
            ("http://[2606:4700:4700::1111]/", false),
        ] {
            let url = CanonicalUrl::parse(url).unwrap_or_else(|| panic!("{url}"));
            let ip = literal(url.host()).unwrap_or_else(|| panic!("{url:?}"));
            assert_eq!(!is_public(ip), refused, "{url:?} {ip}");
        }
        for name in ["example.com", "localhost", "1.2.3.4.example", "[::1", "::1"] {
            assert_eq!(literal(name), None, "{name}");
        }
        assert!(["localhost", "localhost.", "a.localhost"].iter().all(|n| is_local_name(n)));
        assert!(!["localhost.com", "notlocalhost"].iter().any(|n| is_local_name(n)));
    }

    #[test]
    fn ports_of_other_services() {
        assert!([0, 22, 25, 53, 110, 6667, 10080].into_iter().all(is_bad_port));
        assert!(![80, 443, 8000, 8080, 8443, 3000, 40000].into_iter().any(is_bad_port));
    }
}
