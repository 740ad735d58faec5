//! What a product costs.
//!
//! `main_text` asks for it on pages that state that they are about a product. **Definition.** The first short block with a
//! number, from the title on, in an element that is named after a price and in none that is named after related things or
//! the frame. **Cost.** Linear in [`REACH`] blocks.

use crate::blocks::class_names::Kind;
use crate::blocks::page::{Block, FAR, Page};
use webmill_html::Dom;

/// Blocks from the title on that may hold the price.
const REACH: usize = 60;
/// Words of a price at most.
const MAX_UNITS: f32 = 8.0;
/// Elements around a block that may be named after a price.
const MAX_UP: usize = 3;

/// The block with the price on a page of a product whose title is block `near`.
pub(crate) fn price(dom: &Dom<'_>, page: &Page, near: usize) -> Option<usize> {
    let named = |block: &Block| {
        let mut at = block.container;
        (0..MAX_UP).any(|_| {
            let it = &page.containers[at as usize];
            at = it.parent;
            let names = ["class", "itemprop", "id"].into_iter().filter_map(|name| dom.attr(it.node, name));
            it.counts.units <= MAX_UNITS
                && names
                    .flat_map(str::split_ascii_whitespace)
                    .any(|name| name.to_ascii_lowercase().contains("price"))
        })
    };
    let aside = |block: &Block| {
        let distance = &page.containers[block.container as usize].distance;
        [Kind::Related, Kind::Nav, Kind::Side, Kind::Footer]
            .into_iter()
            .any(|kind| distance[kind as usize] < FAR)
    };
    let mut blocks = page.blocks.iter().enumerate().skip(near).take(REACH);
    let found = blocks.find(|(_, block)| {
        let counts = &block.counts;
        counts.digits > 0 && counts.units <= MAX_UNITS && counts.links == 0 && !aside(block) && named(block)
    });
    found.map(|(at, _)| at)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::blocks::blocks;
    use webmill_html::{Limits, parse};

    #[test]
    fn prices_of_the_product_alone() {
        let read = |html: &str| {
            let dom = parse(html, &Limits::default());
            let page = blocks(&dom, dom.body().unwrap());
            price(&dom, &page, 0).map(|at| page.text_of(&page.blocks[at]).replace('\n', " "))
        };
        let cases = [
            ("<h1>Lamp</h1><div class=price>€ 129,00</div><p>Made of brass.", Some("€ 129,00")),
            (
                "<h1>灯</h1><div class=p-price><span>¥</span><span class=num>89.00</span></div>",
                Some("¥89.00"),
            ),
            ("<h1>Lamp</h1><p itemprop=price>1.290 kr</p>", Some("1.290 kr")),
            ("<h1>Lamp</h1><p class=price><del>$20</del> <ins>$15</ins></p>", Some("$20 $15")),
            (
                "<h1>Lamp</h1><p class=price>Ask for it</p><div class=related><p class=price>$3</p></div>",
                None,
            ),
            ("<h1>Lamp</h1><p>It costs $15.</p>", None),
        ];
        for (html, want) in cases {
            assert_eq!(read(html).as_deref(), want, "{html}");
        }
    }
}
