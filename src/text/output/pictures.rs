//! Which pictures between blocks are part of the text, and which captions come along with them.
//!
//! Markdown and XML call it; in plain text there are no pictures, and captions are there only if they were chosen.
//!
//! **Definition.** The *frame* of a picture is the largest element around it whose blocks are all captions or named after
//! media. A picture is shown if a block of its frame is chosen; if the nearest blocks before and behind its frame are, past
//! other frames; with a caption also if few words part it from chosen text that is most of the text around both.
//! What navigation, teasers, advertising and comments hold is not shown, and no picture twice. The copy of a lazy picture in
//! `noscript` is shown where the picture itself names no source.
//!
//! **Cost.** Linear in blocks and pictures: a frame has at most [`MAX_FRAME`] blocks, a gap at most [`MAX_GAP`].

use std::collections::HashSet;
use std::ops::Range;

use super::grid::row_of;
use super::markdown::heading_around;
use super::markdown_inline::Inline;
use super::rescue::BESIDE;
use crate::blocks::class_names::Kind;
use crate::blocks::elements::is_code;
use crate::blocks::page::{Block, Container, FAR, NONE, Page, Picture};
use webmill_html::Tag;

/// Blocks of a frame, and words of a caption.
const MAX_FRAME: usize = 16;
const MAX_CAPTION_UNITS: f32 = 200.0;
/// Steps up to the element that makes a block a caption, or one of media.
const NEAR: u8 = 4;
/// Blocks that may part a captioned picture from the text, and their words.
const MAX_GAP: usize = 24;
const MAX_GAP_UNITS: f32 = 60.0;
/// Share of the words around the picture and the text that the text has at least.
const LEAST_SHARE: f32 = 0.4;

/// A picture of the text.
pub(crate) struct ShownPicture<'p> {
    /// The block that follows it.
    pub block: usize,
    pub container: u32,
    pub target: String,
    /// Its alternative text.
    pub label: &'p str,
}

/// The pictures between blocks that are shown, in order; their captions become chosen. `data` is of `data_tables`.
pub(crate) fn pictures<'p>(
    inlines: &Inline<'p, '_>,
    chosen: &mut [bool],
    data: &[bool],
) -> Vec<ShownPicture<'p>> {
    let page = inlines.page;
    let mut shown: Vec<ShownPicture> = Vec::new();
    if !inlines.images || page.pictures.is_empty() || !chosen.contains(&true) {
        return shown;
    }
    let text = Text::new(page, chosen, data);
    let mut captions = Vec::new();
    let (mut last, mut targets) = (None, HashSet::new());
    for picture in &page.pictures {
        let copy = text.noscript_around(picture.container);
        let container = copy.map_or(picture.container, |copy| page.containers[copy as usize].parent);
        let (frame, around) = text.frame(picture, container);
        if copy.is_some() && last == Some(container) || !text.shows(container, &frame, around) {
            continue;
        }
        let Some((target, label)) = inlines.picture(picture.node) else { continue };
        if !targets.insert(target.clone()) {
            continue;
        }
        last = Some(container);
        captions.extend(frame.filter(|&i| text.is_caption(i)));
        shown.push(ShownPicture { block: picture.block as usize, container, target, label });
    }
    captions.into_iter().for_each(|i| chosen[i] = true);
    shown
}

/// The chosen blocks among the others.
struct Text<'p> {
    page: &'p Page,
    chosen: &'p [bool],
    data: &'p [bool],
    /// Words of the chosen blocks before each block.
    units: Vec<f32>,
    /// Blocks that are chosen or of no media.
    words: Vec<usize>,
}

impl<'p> Text<'p> {
    fn new(page: &'p Page, chosen: &'p [bool], data: &'p [bool]) -> Text<'p> {
        let mut units = vec![0.0];
        for (block, &chosen) in page.blocks.iter().zip(chosen) {
            units.push(units[units.len() - 1] + if chosen { block.counts.units } else { 0.0 });
        }
        let words = Vec::new();
        let mut text = Text { page, chosen, data, units, words };
        text.words = (0..chosen.len()).filter(|&i| chosen[i] || !text.is_of_media(i)).collect();
        text
    }

    fn container(&self, block: usize) -> (&Block, &Container) {
        let block = &self.page.blocks[block];
        (block, &self.page.containers[block.container as usize])
    }

    fn is_caption(&self, block: usize) -> bool {
        let (block, it) = self.container(block);
        it.distance[Kind::Caption as usize] <= NEAR
            && block.counts.units <= MAX_CAPTION_UNITS
            && block.counts.link_units <= 0.5 * block.counts.units
            && heading_around(self.page, block.container).is_none()
    }

    /// Whether a block belongs to a picture, whether or not it is its caption.
    fn is_of_media(&self, block: usize) -> bool {
        let (block, it) = self.container(block);
        let named = [Kind::Caption, Kind::Media].into_iter().any(|kind| it.distance[kind as usize] <= NEAR);
        named && heading_around(self.page, block.container).is_none()
    }

    /// The `noscript` that a picture is in.
    fn noscript_around(&self, container: u32) -> Option<u32> {
        let mut at = container;
        for _ in 0..=NEAR {
            let it = &self.page.containers[at as usize];
            if it.tag == Tag::Noscript {
                return Some(at).filter(|_| it.parent != at);
            }
            at = it.parent;
        }
        None
    }

    /// The blocks of a picture's frame, and the element around it.
    fn frame(&self, picture: &Picture, container: u32) -> (Range<usize>, u32) {
        let (mut frame, mut at) = (picture.block as usize..picture.block as usize, container);
        loop {
            let it = &self.page.containers[at as usize];
            let blocks = it.first as usize..it.end as usize;
            if blocks.len() > MAX_FRAME || !blocks.clone().all(|i| self.is_of_media(i)) || it.parent == at {
                return (frame, at);
            }
            if !blocks.is_empty() {
                frame = blocks;
            }
            at = it.parent;
        }
    }

    fn shows(&self, container: u32, frame: &Range<usize>, around: u32) -> bool {
        let own = &self.page.containers[container as usize];
        let in_data = row_of(own) != NONE && self.data[own.table as usize];
        let is_cell = matches!(own.tag, Tag::Td | Tag::Th | Tag::Tr);
        if in_data || is_cell && frame.is_empty() || is_code(own.tag) {
            return false;
        }
        // The smallest element that holds the picture and chosen text.
        let mut common = around;
        while self.chosen_units(common) == 0.0 && common != 0 {
            common = self.page.containers[common as usize].parent;
        }
        let captioned = frame.clone().any(|i| self.is_caption(i));
        // What a figure itself is named counts for nothing: some are called lightboxes.
        let near = if frame.is_empty() { own } else { &self.page.containers[around as usize] };
        let depth = self.page.containers[common as usize].depth;
        let steps = near.depth.saturating_sub(depth).min(u16::from(FAR));
        let beside = |kind: Kind| u16::from(near.distance[kind as usize]) < steps;
        // Captioned pictures are hidden as the further slides of a gallery.
        if BESIDE.into_iter().chain([Kind::Byline]).any(beside) || !captioned && beside(Kind::Hidden) {
            return false;
        }
        if frame.clone().any(|i| self.chosen[i]) {
            return true;
        }
        let (before, behind) = (
            self.words.partition_point(|&i| i < frame.start),
            self.words.partition_point(|&i| i < frame.end),
        );
        let before = self.gap(self.words[..before].iter().rev());
        let behind = self.gap(self.words[behind..].iter());
        if before == Some(0.0) && behind == Some(0.0) {
            return true;
        }
        let least = before.unwrap_or(f32::MAX).min(behind.unwrap_or(f32::MAX));
        let share = self.chosen_units(common) / self.page.containers[common as usize].counts.units.max(1.0);
        captioned && least <= MAX_GAP_UNITS && share >= LEAST_SHARE
    }

    fn chosen_units(&self, container: u32) -> f32 {
        let it = &self.page.containers[container as usize];
        self.units[it.end as usize] - self.units[it.first as usize]
    }

    /// Words up to the first of these blocks that is chosen; `None` if there are too many.
    fn gap<'w>(&self, blocks: impl Iterator<Item = &'w usize>) -> Option<f32> {
        let mut units = 0.0;
        for &i in blocks.take(MAX_GAP) {
            if self.chosen[i] {
                return Some(units);
            }
            units += self.page.blocks[i].counts.units;
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::blocks::blocks;
    use crate::output::render::data_tables;
    use webmill_html::{Limits, parse};

    /// The sources of the pictures that are shown, and the captions that come along; blocks with an `x` are chosen.
    fn shown(html: &str) -> (String, String) {
        let dom = parse(html, &Limits::default());
        let page = blocks(&dom, dom.body().unwrap());
        let before: Vec<bool> = page.blocks.iter().map(|block| page.text_of(block).contains('x')).collect();
        let mut chosen = before.clone();
        let pictures = pictures(&Inline::new(&dom, &page, None), &mut chosen, &data_tables(&page));
        let targets: Vec<String> = pictures.into_iter().map(|picture| picture.target).collect();
        let added = (0..chosen.len()).filter(|&i| chosen[i] && !before[i]);
        let captions: Vec<&str> = added.map(|i| page.text_of(&page.blocks[i])).collect();
        (targets.join(" "), captions.join("|"))
    }

    #[test]
    fn pictures_of_the_text_are_shown_with_their_captions() {
        let item = |n: u32| format!("<li><img src={n}.jpg>");
        let list = format!(
            "<p>x1<ul>{}{}</ul><figure><img src=3.jpg><figcaption>c</figcaption></figure><p>x2",
            item(1),
            item(2)
        );
        let cases: [(&str, &str, &str); 14] = [
            ("<p>x1<figure><img src=a.jpg><figcaption>c</figcaption></figure><p>x2", "a.jpg", "c"),
            (
                "<p>x1<div class=image-block><img src=a.jpg><div class=caption>c</div></div><p>x2",
                "a.jpg",
                "c",
            ),
            ("<p>x1</p><img src=a.jpg><p>x2", "a.jpg", ""),
            (&list, "1.jpg 2.jpg 3.jpg", "c"),
            // Before the first words of the text, behind a heading and a byline.
            (
                "<h1>A title</h1><figure><img src=a.jpg><figcaption>c</figcaption></figure><p>By her<p>x1 some more words",
                "a.jpg",
                "c",
            ),
            ("<p>x1</p><amp-img src=a.jpg></amp-img><p>x2", "a.jpg", ""),
            // A late picture, and its copy.
            (
                "<p>x1<figure><img src=data:,y data-src=a.jpg><noscript><img src=b.jpg></noscript></figure><p>x2",
                "a.jpg",
                "",
            ),
            (
                "<p>x1<figure><img src=data:,y><noscript><img src=b.jpg></noscript><figcaption>c</figcaption></figure><p>x2",
                "b.jpg",
                "c",
            ),
            // The further picture of a gallery is hidden, and none is shown twice.
            (
                "<p>x1<div class=gallery><figure aria-hidden=true><img src=a.jpg><figcaption>c</figcaption></figure><img src=a.jpg></div><p>x2",
                "a.jpg",
                "c",
            ),
            // No picture of the text: a teaser's, one of navigation, one among other words.
            (
                "<p>x1<figure><img src=a.jpg><figcaption><a href=y><h3>Other story</h3></a></figcaption></figure><p>x2",
                "",
                "",
            ),
            ("<p>x1<nav><img src=a.jpg></nav><p>x2", "", ""),
            ("<p>x1<div><img src=a.jpg>Other words</div><p>x2", "", ""),
            ("<p>x1<div hidden><img src=a.jpg></div><p>x2", "", ""),
            ("<figure><img src=a.jpg><figcaption>c</figcaption></figure><p>y", "", ""),
        ];
        for (html, targets, captions) in cases {
            assert_eq!(shown(html), (targets.to_string(), captions.to_string()), "{html}");
        }
    }

    #[test]
    fn many_pictures_take_linear_time() {
        let figures =
            "<figure><div><div><img src=a.jpg></div></div><figcaption>c</figcaption></figure>".repeat(20_000);
        assert_eq!(shown(&format!("<p>x1{figures}<p>x2")).0, "a.jpg");
    }
}
