//! Slides in order, each with its title, its texts and its notes.

use std::collections::BTreeMap;

use super::directory::Directory;
use super::records::{Records, child, kind, record_at};
use super::shapes::{Shape, Shapes};
use super::text::{Text, texts_among};
use crate::ole::{u32_at, utf16};
use crate::{Builder, Document, Inline, Table, TitleSource, title};

/// A slide, or the notes of one, in the list of the document.
#[derive(Debug, Default)]
struct ListedSlide {
    /// Number of its object.
    object: u32,
    /// Number by which others call it.
    id: u32,
    /// Texts of its outline.
    outline: Vec<Text>,
}

/// Tells of the slides.
pub(super) struct Reader<'a> {
    stream: &'a [u8],
    directory: &'a Directory,
    builder: Builder,
    /// Targets of links by number.
    links: BTreeMap<u32, String>,
    /// Objects of notes by number.
    notes: BTreeMap<u32, u32>,
    steps: u64,
    title: Option<String>,
}

impl<'a> Reader<'a> {
    pub(super) fn new(stream: &'a [u8], directory: &'a Directory, builder: Builder) -> Self {
        let steps = builder.limits().max_steps;
        Reader {
            stream,
            directory,
            builder,
            links: BTreeMap::new(),
            notes: BTreeMap::new(),
            steps,
            title: None,
        }
    }

    /// Reads all slides; `title` is what the metadata say.
    pub(super) fn read(mut self, title: Option<&str>) -> Document {
        let document = self.object(self.directory.document, kind::DOCUMENT);
        let slides = document.map(|document| self.listed(document)).unwrap_or_default();
        let count = if slides.is_empty() { self.tell_unlisted() } else { self.tell_listed(slides) };
        if self.steps == 0 {
            self.builder.warn("too-much-work");
        }
        let document = &mut self.builder.document;
        document.pages = Some(u32::try_from(count).unwrap_or(u32::MAX));
        if let Some(title) = title.and_then(title::cleaned) {
            document.give_title(&title, TitleSource::Metadata);
        }
        if let Some(title) = self.title {
            document.give_title(&title, TitleSource::Style);
        }
        self.builder.finish()
    }

    /// The body of an object, if it is of a kind.
    fn object(&self, number: Option<u32>, kind: u16) -> Option<&'a [u8]> {
        let record = record_at(self.stream, self.directory.place(number?)?)?;
        (record.kind == kind).then_some(record.body)
    }

    /// The slides that the document lists, after its links and notes.
    fn listed(&mut self, document: &[u8]) -> Vec<ListedSlide> {
        let mut slides = Vec::new();
        for record in Records(document) {
            match (record.kind, record.instance) {
                (kind::LINKS, _) => self.read_links(record.body),
                (kind::SLIDE_LIST, 0) => slides.extend(list_of(record.body)),
                (kind::SLIDE_LIST, 2) => {
                    self.notes.extend(list_of(record.body).into_iter().map(|notes| (notes.id, notes.object)));
                }
                _ => {}
            }
        }
        slides
    }

    fn read_links(&mut self, body: &[u8]) {
        for link in Records(body).filter(|record| record.kind == kind::LINK) {
            let number = child(link.body, kind::LINK_ATOM).and_then(|atom| u32_at(atom.body, 0));
            let strings = |instance| {
                let record = Records(link.body)
                    .find(|record| record.kind == kind::STRING && record.instance == instance);
                record.map(|record| utf16(record.body)).filter(|text| !text.trim().is_empty())
            };
            // A place in the presentation is no target of the web.
            if let (Some(number), Some(target)) = (number, strings(1)) {
                self.links.insert(number, target);
            }
        }
    }

    fn tell_listed(&mut self, slides: Vec<ListedSlide>) -> usize {
        let count = slides.len();
        let most = self.builder.limits().max_pages as usize;
        if count > most {
            self.builder.warn("pages-cut");
        }
        for (slide, number) in slides.into_iter().take(most).zip(1_usize..) {
            let body = self.object(Some(slide.object), kind::SLIDE).unwrap_or_default();
            let notes = child(body, kind::SLIDE_ATOM).and_then(|atom| u32_at(atom.body, 16));
            self.tell_slide(body, slide.outline);
            let notes = notes.and_then(|id| self.notes.get(&id)).copied();
            if let Some(body) = self.object(notes, kind::NOTES) {
                self.tell_notes(body, number);
            }
            if self.builder.is_full() || self.steps == 0 {
                break;
            }
        }
        count
    }

    /// Slides as they stand in the file, where no list names them.
    fn tell_unlisted(&mut self) -> usize {
        let most = self.builder.limits().max_pages as usize;
        let mut count = 0;
        for record in Records(self.stream).filter(|record| record.kind == kind::SLIDE).take(most) {
            count += 1;
            self.tell_slide(record.body, Vec::new());
        }
        if count > 0 {
            self.builder.warn("no-directory");
        }
        count
    }

    fn tell_slide(&mut self, body: &[u8], outline: Vec<Text>) {
        let mut said = Vec::new();
        let mut outline: Vec<_> = outline.into_iter().map(Some).collect();
        for shape in self.shapes(body) {
            match shape {
                Shape::Outline(at) => {
                    said.extend(outline.get_mut(at).and_then(Option::take).map(Shape::Own));
                }
                other => said.push(other),
            }
        }
        said.extend(outline.into_iter().flatten().map(Shape::Own));
        let is_title =
            |shape: &Shape| matches!(shape, Shape::Own(text) if text.is_title() && !text.is_blank());
        let title = said.iter().position(is_title).map(|at| said.remove(at));
        if let Some(Shape::Own(title)) = title {
            let words = title.all_words();
            if self.title.is_none()
                && title::is_title_like(&words.text)
                && !webmill_html::is_placeholder_title(&words.text)
            {
                self.title = Some(words.text.clone());
            }
            self.builder.heading(1, words);
        }
        for shape in said {
            match shape {
                Shape::Own(text) => text.tell(&self.links, &mut self.builder),
                Shape::Table(rows) => {
                    let words = |text: Option<Text>| text.map_or(String::new(), |text| text.all_words().text);
                    let row = |row: Vec<_>| row.into_iter().map(words).collect();
                    let rows = rows.into_iter().map(row).collect();
                    self.builder.table(Table { rows, ..Table::default() });
                }
                Shape::Outline(_) => {}
            }
        }
    }

    /// What the speaker wrote below the slide.
    fn tell_notes(&mut self, body: &[u8], number: usize) {
        let mut notes = Inline::default();
        for shape in self.shapes(body) {
            if let Shape::Own(text) = shape
                && text.is_notes()
            {
                notes.append(&text.words_with(&self.links));
                notes.text.push('\n');
            }
        }
        self.builder.note(&number.to_string(), notes);
    }

    fn shapes(&mut self, body: &[u8]) -> impl Iterator<Item = Shape> + use<> {
        let mut shapes = Shapes::new(self.steps, self.builder.limits().max_depth);
        shapes.walk(body, None, 0);
        self.steps = shapes.steps;
        shapes.in_order()
    }
}

/// What a list names, with the texts behind each name.
fn list_of(body: &[u8]) -> Vec<ListedSlide> {
    let mut list: Vec<ListedSlide> = Vec::new();
    let mut rest = Records(body);
    while let Some(record) = rest.next() {
        if record.kind != kind::SLIDE_PERSIST {
            continue;
        }
        let mut slide = ListedSlide {
            object: u32_at(record.body, 0).unwrap_or(0),
            id: u32_at(record.body, 12).unwrap_or(0),
            outline: Vec::new(),
        };
        let end = rest
            .clone()
            .take_while(|record| record.kind != kind::SLIDE_PERSIST)
            .map(|record| record.body.len() + 8);
        let end = end.fold(0_usize, usize::saturating_add);
        let texts = rest.0.get(..end.min(rest.0.len())).unwrap_or_default();
        texts_among(Records(texts), |text| slide.outline.push(text));
        list.push(slide);
    }
    list
}
