//! Names that a tag has already.
//!
//! The first dozen are compared one by one; beyond, names are looked up in a table, so that a tag of many attributes costs no
//! more than as many tags.

use super::dom::{Dom, Span};

/// Number of attributes from which on names are looked up in a table instead of one by one.
const MANY: usize = 12;

/// Finds repeated names among many attributes of one tag: open addressing, cleared by a new generation.
pub(super) struct AttributeNames {
    generation: u32,
    slots: Vec<(u32, u32)>,
    max_attrs_per_tag: usize,
}

impl AttributeNames {
    pub fn new(max_attrs_per_tag: usize) -> Self {
        AttributeNames { generation: 0, slots: Vec::new(), max_attrs_per_tag }
    }

    /// Whether the tag whose attributes begin at `first` has one of the name already.
    #[inline]
    pub fn repeats(&mut self, dom: &Dom<'_>, first: usize, name: Span) -> bool {
        if dom.attrs.len() - first >= MANY {
            return self.repeats_among_many(dom, first, name);
        }
        let wanted = dom.bytes(name);
        dom.attrs[first..].iter().any(|attr| attr.name.len == name.len && dom.bytes(attr.name) == wanted)
    }

    fn repeats_among_many(&mut self, dom: &Dom<'_>, first: usize, name: Span) -> bool {
        if self.slots.is_empty() {
            let size = (2 * self.max_attrs_per_tag).next_power_of_two().max(4 * MANY);
            self.slots = vec![(0, 0); size];
        }
        let from = if dom.attrs.len() - first == MANY {
            self.generation += 1;
            first
        } else {
            dom.attrs.len() - 1
        };
        // Names are entered when the next one comes, so that what is not kept is not entered.
        for at in from..dom.attrs.len() {
            self.find(dom, dom.bytes(dom.attrs[at].name), Some(at as u32));
        }
        self.find(dom, dom.bytes(name), None)
    }

    /// Whether the table has a name; where it has not, it gets that of attribute `enter`.
    fn find(&mut self, dom: &Dom<'_>, name: &[u8], enter: Option<u32>) -> bool {
        let mask = self.slots.len() - 1;
        let mut at = hash(name) & mask;
        loop {
            let (generation, attr) = self.slots[at];
            if generation != self.generation {
                if let Some(attr) = enter {
                    self.slots[at] = (self.generation, attr);
                }
                return false;
            }
            if dom.bytes(dom.attrs[attr as usize].name) == name {
                return true;
            }
            at = (at + 1) & mask;
        }
    }
}

fn hash(name: &[u8]) -> usize {
    let mut h = name.len() as u64;
    for chunk in name.chunks(8) {
        let mut word = [0; 8];
        word[..chunk.len()].copy_from_slice(chunk);
        h = (h.rotate_left(5) ^ u64::from_le_bytes(word)).wrapping_mul(0x517c_c1b7_2722_0a95);
    }
    (h >> 32) as usize
}
