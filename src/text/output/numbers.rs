//! Numbers of the items of ordered lists.
//!
//! **Definition.** As browsers count: from `start` (1 if there is none), up by one, down by one in a `reversed` list, which
//! begins with the number of its items; `value` sets an item's number. Numbers are decimal whatever the list's type, since
//! Markdown has no others, and are held within 0 and [`MAX_NUMBER`]. A list whose style says `list-style: none` shows no
//! numbers and has none. Linear in the containers.

use crate::blocks::elements::declares;
use crate::blocks::page::{NONE, Page};
use webmill_html::{Dom, NodeId, Tag};

/// CommonMark knows numbers of nine digits.
const MAX_NUMBER: i64 = 99_999_999;

/// Numbers of items by container.
pub(crate) struct Numbers {
    /// Empty for a page without ordered lists.
    of: Vec<Option<u32>>,
}

impl Numbers {
    pub(crate) fn new(dom: &Dom<'_>, page: &Page) -> Numbers {
        if !page.containers.iter().any(|it| it.tag == Tag::Ol) {
            return Numbers { of: Vec::new() };
        }
        let numbered: Vec<bool> =
            page.containers.iter().map(|it| it.tag == Tag::Ol && shows_numbers(dom, it.node)).collect();
        let list_of = |item: usize| {
            let it = &page.containers[item];
            (it.tag == Tag::Li && it.list != NONE && numbered[it.list as usize]).then_some(it.list as usize)
        };
        // The next number of each list.
        let mut next = vec![0i64; page.containers.len()];
        for item in 0..page.containers.len() {
            if let Some(list) = list_of(item) {
                next[list] += 1;
            }
        }
        let parsed = |node, name| -> Option<i64> {
            let value: i64 = dom.attr(node, name)?.trim().parse().ok()?;
            Some(value).filter(|value| *value >= 0).map(|value| value.min(MAX_NUMBER))
        };
        let mut step = vec![1i64; page.containers.len()];
        for (list, it) in page.containers.iter().enumerate().filter(|(list, _)| numbered[*list]) {
            let reversed = dom.attr(it.node, "reversed").is_some();
            step[list] = if reversed { -1 } else { 1 };
            next[list] = parsed(it.node, "start").unwrap_or(if reversed { next[list] } else { 1 });
        }
        let mut of = vec![None; page.containers.len()];
        for (item, number) in of.iter_mut().enumerate() {
            if let Some(list) = list_of(item) {
                let value = parsed(page.containers[item].node, "value").unwrap_or(next[list]);
                let value = value.clamp(0, MAX_NUMBER);
                next[list] = value + step[list];
                *number = u32::try_from(value).ok();
            }
        }
        Numbers { of }
    }

    /// The number of an item of an ordered list.
    pub(crate) fn of(&self, item: u32) -> Option<u32> {
        self.of.get(item as usize).copied().flatten()
    }
}

fn shows_numbers(dom: &Dom<'_>, list: NodeId) -> bool {
    let style = dom.attr(list, "style").unwrap_or_default();
    !declares(style, "list-style", "none") && !declares(style, "list-style-type", "none")
}
