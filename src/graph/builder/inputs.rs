//! What goes into a build of the page graph and what comes out of it.

/// Which links make no arc.
#[derive(Clone, Debug, Default)]
pub struct BuildOptions {
    /// Links from a page to itself.
    pub drop_self: bool,
    /// Links inside one host. Their targets stay nodes, so that the numbers of nodes do not depend on this.
    pub drop_internal: bool,
    /// Links that say `nofollow`. They make no node either.
    pub drop_nofollow: bool,
    /// Hosts, as SURT (`com,example`), to which, and to whose subdomains, no link counts. They make no node
    /// either.
    pub stop_hosts: Vec<String>,
}

/// A crawled page.
#[derive(Clone, Copy, Debug)]
pub struct PageInput<'a> {
    /// Key of the canonical URL.
    pub key: u128,
    /// SURT of the canonical URL.
    pub surt: &'a [u8],
    /// Canonical URL.
    pub url: &'a [u8],
    /// Whatever shall come out with the node.
    pub attributes: &'a [u8],
}

/// A link between two pages, given to the builder.
#[derive(Clone, Copy, Debug)]
pub struct LinkInput<'a> {
    /// Key of the page that has the link.
    pub source: u128,
    /// Key of the target's canonical URL.
    pub target: u128,
    /// SURT of the target's canonical URL.
    pub surt: &'a [u8],
    /// Canonical URL of the target.
    pub url: &'a [u8],
    /// Does the link say `nofollow`?
    pub nofollow: bool,
}

/// A node, as it comes out in the order of numbers.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct NumberedNode<'a> {
    /// Number of the node.
    pub node: u32,
    /// Key of the canonical URL.
    pub key: u128,
    /// SURT of the canonical URL.
    pub surt: &'a [u8],
    /// Canonical URL.
    pub url: &'a [u8],
    /// Is it a page that was given, or only the target of a link?
    pub crawled: bool,
    /// What was given with the page; empty for mere targets.
    pub attributes: &'a [u8],
}

/// What went in and what was left out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct BuildCounts {
    /// Nodes of the level.
    pub nodes: u64,
    /// Nodes that were crawled.
    pub crawled: u64,
    /// Links given.
    pub links: u64,
    /// Links dropped as self-links.
    pub dropped_self: u64,
    /// Links dropped as internal to a host.
    pub dropped_internal: u64,
    /// Links dropped for `nofollow`.
    pub dropped_nofollow: u64,
    /// Links dropped because of their target's host.
    pub dropped_stop_host: u64,
    /// Links whose source is no page that was given.
    pub unknown_source: u64,
    /// Arcs of the level, parallel links counted once.
    pub arcs: u64,
}
