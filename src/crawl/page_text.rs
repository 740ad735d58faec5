//! The fingerprint of a page as a reader sees it: title, text, pictures.
//!
//! Blocks are what stands in one paragraph, heading, list item, line or table row: the cells of a row belong together, so
//! that a measurement is compared with its label.

use crate::duplicate_throttle::{Fingerprinter, PageFingerprint};
use webmill_capture::CanonicalUrl;
use webmill_html::{Dom, Edge, Tag};

/// The fingerprint of the page at `url`; `None` where it has no words.
pub(crate) fn page_fingerprint(url: &CanonicalUrl, dom: &Dom<'_>) -> Option<PageFingerprint> {
    let mut taken = Fingerprinter::new(url);
    let mut walk = dom.walk(dom.document());
    let mut preformatted = 0u32;
    while let Some(edge) = walk.next() {
        match edge {
            Edge::Enter(node) if dom.is_text(node) => {
                if preformatted > 0 {
                    for line in dom.text(node).lines() {
                        taken.text(line);
                        taken.end_block();
                    }
                } else {
                    taken.text(dom.text(node));
                }
            }
            Edge::Enter(node) => {
                let tag = dom.tag(node);
                match tag {
                    Tag::Script | Tag::Style | Tag::Template | Tag::Comment => walk.skip_children(),
                    Tag::Img | Tag::Iframe | Tag::Embed | Tag::Video | Tag::Audio | Tag::Source => {
                        taken.embedded(dom.attr(node, "src").unwrap_or_default());
                    }
                    Tag::Object => taken.embedded(dom.attr(node, "data").unwrap_or_default()),
                    Tag::Pre => preformatted += 1,
                    _ => {}
                }
                if !is_inline(tag) {
                    taken.end_block();
                }
            }
            Edge::Leave(node) => {
                let tag = dom.tag(node);
                if tag == Tag::Pre {
                    preformatted = preformatted.saturating_sub(1);
                }
                if !is_inline(tag) {
                    taken.end_block();
                }
            }
        }
        if taken.is_full() {
            break;
        }
    }
    taken.finish()
}

/// Elements that a block runs across.
fn is_inline(tag: Tag) -> bool {
    use Tag::*;
    matches!(
        tag,
        Text | Comment
            | A
            | Abbr
            | Acronym
            | B
            | Bdi
            | Bdo
            | Big
            | Cite
            | Code
            | Data
            | Del
            | Dfn
            | Em
            | Font
            | I
            | Img
            | Ins
            | Kbd
            | Label
            | Mark
            | Nobr
            | Q
            | Rb
            | Rp
            | Rt
            | Rtc
            | Ruby
            | S
            | Samp
            | Small
            | Span
            | Strike
            | Strong
            | Sub
            | Sup
            | Td
            | Th
            | Time
            | Tt
            | U
            | Var
            | Wbr
            | Svg
            | Unknown
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use webmill_html::{Limits, parse};

    fn of(url: &str, html: &str) -> PageFingerprint {
        let url = CanonicalUrl::parse(&format!("http://a.example{url}")).unwrap();
        page_fingerprint(&url, &parse(html, &Limits::default())).unwrap()
    }

    #[test]
    fn what_tells_pages_apart() {
        let nav = "<nav><ul><li><a href=/>Home</a><li><a href=/all>All stations</a></ul></nav>";
        let station = |n: u32, degrees: u32| {
            let row = format!("<tr><td>Temperature</td><td>{degrees}</td></tr>");
            of(&format!("/station/{n}"), &format!("{nav}<h1>Station {n}</h1><table>{row}</table>"))
        };
        assert_eq!(station(400, 17), station(500, 17));
        assert_ne!(station(400, 17).blocks, station(400, 18).blocks);
        let photo = |src: &str| of("/photo", &format!("<p>A photograph of mine</p><img src={src}>")).blocks;
        assert_ne!(photo("/1.jpg"), photo("/2.jpg"));
        assert_eq!(photo("/pixel?1"), photo("/pixel?2"));
        let titled = |title: &str| of("/", &format!("<title>{title}</title><p>Loading your page</p>")).blocks;
        assert_ne!(titled("Red tea, 100 g"), titled("Green tea, 100 g"));
        let listed = |rows: [&str; 2]| of("/", &rows.map(|row| format!("<li>{row}</li>")).concat());
        assert_eq!(
            listed(["one two three", "four five six"]).key,
            listed(["four five six", "one two three"]).key
        );
    }

    #[test]
    fn long_pages_are_not_whole() {
        let page = of("/", &"<p>one two three four five</p>".repeat(20_000));
        assert!(!page.whole && page.blocks.len() < 5);
    }
}
