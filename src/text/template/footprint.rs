//! What a page adds to the sample of its host.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::{Xxh3, xxh3_64, xxh3_64_with_seed};

use super::MAX_MARKS;
use crate::blocks::elements::heading;
use crate::blocks::page::{Block, Container, Page};
use webmill_html::Dom;

/// Words of the longest label: a shorter text that is no sentence names what stands beside it.
pub(super) const MAX_LABEL: f32 = 6.0;
/// Words of the shortest sentence; `1.` is none.
const MIN_SENTENCE: f32 = 3.0;
/// Elements named in a path, the innermost ones.
const MAX_PATH: usize = 12;
/// Bytes of an element's tag and classes in a path.
const MAX_NAME: usize = 40;
/// Paths of a page.
const MAX_PATHS: usize = 128;

/// A text at its place.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
pub(super) struct Mark {
    pub hash: u64,
    /// Its words, and those of them that are prose: no link, label or heading.
    pub words: u16,
    pub prose: u16,
    /// Number of its path; one more than the last where there was no room for it.
    pub path: u16,
}

/// Hashes of text and place of a page's blocks, with their lengths and paths.
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
pub struct Footprint {
    /// By hash; each once.
    marks: Vec<Mark>,
    /// Tags with classes from `body` down to a text, and the number of elements above it.
    paths: Vec<(String, u16)>,
}

impl Footprint {
    pub(crate) fn new(dom: &Dom<'_>, page: &Page) -> Footprint {
        let places = places(page);
        // Elements of equal tags and classes from the top down have one path.
        let named = down(page, |container| container.signature);
        let mut paths = BTreeMap::new();
        let mut buffer = String::new();
        let mut marks: Vec<Mark> = Vec::with_capacity(page.blocks.len());
        for block in &page.blocks {
            let next = paths.len() as u16;
            let name = named[block.container as usize];
            let path = match paths.get(&name) {
                Some(&(path, _)) => path,
                None if paths.len() == MAX_PATHS => next,
                None => paths.entry(name).or_insert((next, path(dom, page, block.container))).0,
            };
            let hash = mark(places[block.container as usize], page.text_of(block), &mut buffer);
            marks.push(Mark {
                hash,
                words: block.counts.units.ceil() as u16,
                prose: prose(page, block),
                path,
            });
        }
        marks.sort_unstable();
        marks.dedup_by_key(|mark| mark.hash);
        marks.truncate(MAX_MARKS);
        let mut paths: Vec<_> = paths.into_values().collect();
        paths.sort_unstable();
        Footprint { marks, paths: paths.into_iter().map(|(_, path)| path).collect() }
    }

    pub(super) fn marks(&self) -> &[Mark] {
        &self.marks
    }

    pub(super) fn path(&self, mark: &Mark) -> (&str, u16) {
        self.paths.get(mark.path as usize).map_or(("…", 0), |(path, depth)| (path, *depth))
    }

    /// What decides between two captures of one page: the one with more prose stays.
    pub(super) fn rank(&self) -> impl Ord + '_ {
        (self.prose(|_| true), &self.marks, &self.paths)
    }

    /// Words of prose of the marks that are wanted.
    pub(super) fn prose(&self, wanted: impl Fn(u64) -> bool) -> u64 {
        self.marks.iter().filter(|mark| wanted(mark.hash)).map(|mark| u64::from(mark.prose)).sum()
    }

    /// Hashes of its texts of prose: pages are copies of one another where they are equal.
    pub(super) fn said(&self) -> Vec<u64> {
        self.marks.iter().filter(|mark| mark.prose > 0).map(|mark| mark.hash).collect()
    }
}

/// Whether a block is a label: a short text that is no sentence.
pub(super) fn is_label(block: &Block) -> bool {
    block.counts.units <= MAX_LABEL && !(block.ends_sentence && block.counts.units >= MIN_SENTENCE)
}

fn prose(page: &Page, block: &Block) -> u16 {
    if is_label(block) || heading(page.containers[block.container as usize].tag).is_some() {
        return 0;
    }
    (block.counts.units - block.counts.link_units).ceil() as u16
}

/// Tags with classes down to a container, and the number of elements above it.
fn path(dom: &Dom<'_>, page: &Page, container: u32) -> (String, u16) {
    let mut names = Vec::new();
    let (mut at, mut depth) = (container, 0);
    loop {
        let element = &page.containers[at as usize];
        if names.len() < MAX_PATH {
            let mut name = element.tag.name().to_owned();
            for class in dom.attr(element.node, "class").unwrap_or_default().split_ascii_whitespace().take(4)
            {
                name.extend([".", class]);
            }
            name.truncate(name.floor_char_boundary(MAX_NAME));
            names.push(name);
        }
        if at == 0 {
            break;
        }
        (at, depth) = (element.parent, depth + 1);
    }
    names.extend((usize::from(depth) >= MAX_PATH).then(|| "…".to_owned()));
    names.reverse();
    (names.join(" > "), depth)
}

/// Hash of the tags from the top to each container.
pub(super) fn places(page: &Page) -> Vec<u64> {
    down(page, |container| xxh3_64(container.tag.name().as_bytes()))
}

/// Hash of the names of all elements from the top to each container.
fn down(page: &Page, of: impl Fn(&Container) -> u64) -> Vec<u64> {
    let mut hashes: Vec<u64> = Vec::with_capacity(page.containers.len());
    for (i, container) in page.containers.iter().enumerate() {
        let above = if i == 0 { 0 } else { hashes[container.parent as usize] };
        hashes.push(xxh3_64_with_seed(&of(container).to_le_bytes(), above));
    }
    hashes
}

/// Hash of a text at a place.
pub(super) fn mark(place: u64, text: &str, buffer: &mut String) -> u64 {
    buffer.clear();
    if text.is_ascii() {
        buffer.extend(text.bytes().filter(u8::is_ascii_alphanumeric).map(|b| b.to_ascii_lowercase() as char));
    } else {
        buffer.extend(text.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase));
    }
    let mut hash = Xxh3::with_seed(place);
    hash.update(buffer.as_bytes());
    hash.digest()
}
