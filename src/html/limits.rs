//! What a page may cost, and what was cut off for it.

/// What a page may cost.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Elements deeper than this are attached to the deepest allowed one's parent, as in browsers.
    pub max_depth: usize,
    /// Nodes of the tree; parsing ends there.
    pub max_nodes: usize,
    /// Attributes of one tag; more are passed over.
    pub max_attrs_per_tag: usize,
    /// Bytes of source; more are not read. At most 256 MiB whatever is given.
    pub max_bytes: usize,
    /// Steps of the tree builder beyond the reading itself (elements looked at on the stack, characters
    /// moved, children moved); parsing ends there. Of 1,678 real pages none
    /// needed more than 4,900.
    pub max_work: u64,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            max_depth: 512,
            max_nodes: 2_000_000,
            max_attrs_per_tag: 256,
            max_bytes: 64 << 20,
            max_work: 1 << 25,
        }
    }
}

/// What limits cut off a page; all false for a page that is whole.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub struct Cuts {
    /// Elements deeper than the limit became children of a shallower ancestor; nothing is lost.
    pub depth: bool,
    /// The tree ends where it had as many nodes as allowed.
    pub nodes: bool,
    /// Some tag had more attributes than allowed; the first ones were kept.
    pub attributes: bool,
    /// The source was longer than allowed; the tree is that of its beginning.
    pub bytes: bool,
    /// The tree ends where the counted work of the tree builder was spent (misnesting made to be slow).
    pub work: bool,
}

impl Cuts {
    /// Whether anything was cut.
    pub fn any(self) -> bool {
        self != Cuts::default()
    }

    /// The names of what cut, as tables show them.
    pub fn names(self) -> impl Iterator<Item = &'static str> {
        [
            (self.depth, "depth"),
            (self.nodes, "nodes"),
            (self.attributes, "attributes"),
            (self.bytes, "bytes"),
            (self.work, "work"),
        ]
        .into_iter()
        .filter_map(|(cut, name)| cut.then_some(name))
    }
}
