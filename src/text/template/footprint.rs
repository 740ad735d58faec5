//! What a page adds to the sample of its host.

use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::{Xxh3, xxh3_64_with_seed};

use super::MAX_MARKS;
use super::layout::Layout;
use crate::blocks::page::Page;

/// Lowest bits of a mark: 0 chosen, 1–10 words.
pub(super) const HASH: u64 = !0 << 11;
pub(super) const CHOSEN: u64 = 1;
pub(super) const MOST_WORDS: u64 = (1 << 10) - 1;

/// Hashes of text and place of a page's blocks, with what was chosen of them; for the method of the style tree its layout
/// too.
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
pub struct Footprint {
    /// By hash; each once.
    marks: Vec<u64>,
    layout: Option<Box<Layout>>,
}

impl Footprint {
    pub(crate) fn new(page: &Page, chosen: &[bool]) -> Footprint {
        let places = places(page);
        let mut buffer = String::new();
        let mut marks: Vec<u64> = page
            .blocks
            .iter()
            .zip(chosen)
            .map(|(block, &chosen)| {
                let words = (block.counts.units.ceil() as u64).clamp(1, MOST_WORDS);
                let hash = mark(places[block.container as usize], page.text_of(block), &mut buffer);
                hash | words << 1 | u64::from(chosen)
            })
            .collect();
        // Of copies on the page the chosen one stays.
        marks.sort_unstable_by_key(|mark| (mark & HASH, !mark & CHOSEN, mark & !HASH));
        marks.dedup_by_key(|mark| *mark & HASH);
        marks.truncate(MAX_MARKS);
        Footprint { marks, layout: None }
    }

    pub(super) fn with_layout(self, layout: Layout) -> Footprint {
        Footprint { layout: Some(Box::new(layout)), ..self }
    }

    pub(super) fn marks(&self) -> &[u64] {
        &self.marks
    }

    pub(super) fn layout(&self) -> Option<&Layout> {
        self.layout.as_deref()
    }

    /// What decides between two captures of one page: the one with more main text stays.
    pub(super) fn rank(&self) -> impl Ord + '_ {
        (self.words(), &self.marks, &self.layout)
    }

    /// Chosen marks that are among `template`, which is sorted.
    pub(super) fn chosen_of(&self, template: &[u64]) -> impl Iterator<Item = u64> {
        let holds = |mark: u64| template.binary_search(&(mark & HASH)).is_ok();
        self.marks.iter().copied().filter(move |&mark| mark & CHOSEN != 0 && holds(mark))
    }

    /// Words of the page's main text.
    pub(super) fn words(&self) -> u64 {
        self.marks.iter().filter(|&mark| mark & CHOSEN != 0).map(|&mark| words(mark)).sum()
    }
}

/// Words of a mark.
pub(super) fn words(mark: u64) -> u64 {
    mark >> 1 & MOST_WORDS
}

/// Hash of the tags from the top to each container.
pub(super) fn places(page: &Page) -> Vec<u64> {
    let mut places: Vec<u64> = Vec::with_capacity(page.containers.len());
    for (i, container) in page.containers.iter().enumerate() {
        let above = if i == 0 { 0 } else { places[container.parent as usize] };
        places.push(xxh3_64_with_seed(container.tag.name().as_bytes(), above));
    }
    places
}

/// Hash of a text at a place, without its lowest bits.
pub(super) fn mark(place: u64, text: &str, buffer: &mut String) -> u64 {
    buffer.clear();
    if text.is_ascii() {
        buffer.extend(text.bytes().filter(u8::is_ascii_alphanumeric).map(|b| b.to_ascii_lowercase() as char));
    } else {
        buffer.extend(text.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase));
    }
    let mut hash = Xxh3::with_seed(place);
    hash.update(buffer.as_bytes());
    hash.digest() & HASH
}
