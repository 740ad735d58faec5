//! Where bylines stand to each other in the tree.

use crate::blocks::page::{Container, Page};
use webmill_html::Tag;

/// Elements between a byline and what it shares with the next one, at most.
const MAX_UP: usize = 48;

/// The innermost container around two, if it is near both.
pub(super) fn common(page: &Page, a: u32, b: u32) -> Option<u32> {
    let (mut a, mut b) = (a, b);
    for _ in 0..2 * MAX_UP {
        if a == b {
            return Some(a);
        }
        let (one, other) = (&page.containers[a as usize], &page.containers[b as usize]);
        if one.depth >= other.depth {
            a = one.parent;
        } else {
            b = other.parent;
        }
    }
    None
}

/// The container in `around` (itself left out) that holds `inner`; none if `inner` is `around`.
pub(super) fn child_of(page: &Page, around: u32, inner: u32) -> Option<u32> {
    let mut at = inner;
    let depth = page.containers[around as usize].depth;
    for _ in 0..2 * MAX_UP {
        let it = &page.containers[at as usize];
        if it.depth <= depth {
            return None;
        }
        if it.parent == around {
            return Some(at);
        }
        at = it.parent;
    }
    None
}

/// Tags from a container up to `around`, that left out.
pub(super) fn path(page: &Page, around: u32, inner: u32, out: &mut Vec<Tag>) {
    out.clear();
    let mut at = inner;
    while at != around && out.len() < 2 * MAX_UP {
        let it = &page.containers[at as usize];
        out.push(it.tag);
        if it.parent == at {
            break;
        }
        at = it.parent;
    }
}

/// A container and the ones around it, the innermost first.
pub(super) fn upwards(page: &Page, from: u32) -> impl Iterator<Item = (u32, &Container)> {
    let mut next = Some(from);
    std::iter::from_fn(move || {
        let at = next?;
        let it = page.containers.get(at as usize)?;
        next = (it.parent != at && at != 0).then_some(it.parent);
        Some((at, it))
    })
}
