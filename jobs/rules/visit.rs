//! Reading a page and applying to it what rules want of it.

use std::collections::BTreeMap;

use encoding_rs::UTF_8;
use webmill_capture::{Capture, Result};
use webmill_mill::{Buffers, Mill, Page, PageLimits};
use webmill_rules::{Answer, ApplyLimits, Markup, PageResults, Rule};
use webmill_shard::{Input, ReadOptions, RecordFile, ShardReader};

use super::store::{Place, Task};
use crate::document_reader;
use crate::walk::is_packed;

/// The shards, by their numbers.
pub struct Shards {
    files: Vec<Shard>,
}

struct Shard {
    record: RecordFile,
    input: Input,
}

impl Shards {
    /// Of these shards.
    pub fn new(inputs: &[Input]) -> Shards {
        let shard = |input: &Input| {
            let record = RecordFile::new(&input.path, &ReadOptions::default());
            Shard { record, input: input.clone() }
        };
        Shards { files: inputs.iter().map(shard).collect() }
    }

    fn get(&self, number: u32) -> Option<&Shard> {
        self.files.get(number as usize)
    }

    /// The name of a shard in tables.
    pub fn name(&self, number: u32) -> &str {
        self.get(number).map_or("", |shard| &shard.input.name)
    }
}

/// A page that is wanted, and what for.
pub struct WantedPage {
    /// Key of its address.
    pub url: u128,
    /// Where it stands.
    pub place: Place,
    /// Rules and layers.
    pub tasks: Vec<Task>,
}

/// A page that was read.
pub struct Visit {
    /// Its address.
    pub url: String,
    /// SURT form of the URL.
    pub surt: String,
    /// What was found for each of the tasks; `None`: it is not of the layer.
    pub results: Vec<Option<PageResults>>,
}

/// What pages are read and analysed with.
pub struct Visitor<'a> {
    /// The shards with the pages.
    pub shards: &'a Shards,
    /// The rules to apply.
    pub rules: &'a [Rule],
    /// Decoding.
    pub mill: Mill,
}

impl<'a> Visitor<'a> {
    /// One that reads documents too.
    pub fn new(shards: &'a Shards, rules: &'a [Rule]) -> Self {
        let mill = Mill::new(PageLimits { details: false, ..PageLimits::default() })
            .reading_by(Some(document_reader::reader()));
        Visitor { shards, rules, mill }
    }
}

impl Visitor<'_> {
    /// Reads pages, each with why it could not be read, in the order given. Those of shards that are compressed as a whole are read
    /// in one walk a shard.
    pub fn read(&self, wanted: &[WantedPage]) -> Vec<Result<Visit, String>> {
        use rayon::prelude::*;
        let is_packed = |page: &WantedPage| {
            self.shards.get(page.place.shard).is_some_and(|shard| is_packed(&shard.input))
        };
        let mut visits: Vec<Option<Result<Visit, String>>> =
            wanted.par_iter().map(|page| (!is_packed(page)).then(|| self.one(page))).collect();
        let mut packed: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
        for (number, page) in wanted.iter().enumerate().filter(|(number, _)| visits[*number].is_none()) {
            packed.entry(page.place.shard).or_default().push(number);
        }
        for numbers in packed.into_values() {
            self.walk(wanted, &numbers, &mut visits);
        }
        let unread = || Err("no record starts at its place".to_owned());
        visits.into_iter().map(|visit| visit.unwrap_or_else(unread)).collect()
    }

    fn one(&self, page: &WantedPage) -> Result<Visit, String> {
        let shard = self.shards.get(page.place.shard).ok_or_else(|| "its shard is not at hand".to_owned())?;
        let length = Some(page.place.length).filter(|length| *length > 0);
        let found = shard.record.read(page.place.offset, length).map_err(|error| error.to_string())?;
        let record = found.record();
        let capture = record.to_mention().ok_or_else(|| "the record is no capture".to_owned())?;
        self.apply(page, &capture)
    }

    /// Pages of a shard that is decoded from its start.
    fn walk(&self, wanted: &[WantedPage], numbers: &[usize], visits: &mut [Option<Result<Visit, String>>]) {
        let Some(first) = numbers.first() else { return };
        let Some(shard) = self.shards.get(wanted[*first].place.shard) else { return };
        let places: BTreeMap<u64, usize> =
            numbers.iter().map(|number| (wanted[*number].place.offset, *number)).collect();
        let mut left = places.len();
        let mut reader = match ShardReader::open(&shard.input.path, &ReadOptions::default()) {
            Ok(reader) => reader,
            Err(error) => {
                numbers.iter().for_each(|number| visits[*number] = Some(Err(error.to_string())));
                return;
            }
        };
        while left > 0 {
            let Some(record) = reader.next() else { return };
            let Ok(record) = record else { continue };
            let Some(number) = places.get(&record.place.offset) else { continue };
            left -= 1;
            let capture = record.to_mention().ok_or_else(|| "the record is no capture".to_owned());
            visits[*number] = Some(capture.and_then(|capture| self.apply(&wanted[*number], &capture)));
        }
    }

    fn apply(&self, wanted: &WantedPage, capture: &Capture<'_>) -> Result<Visit, String> {
        let buffers = Buffers::default();
        let page = self.mill.page(capture, &buffers).ok_or_else(|| "it has no address".to_owned())?;
        if page.url().key().0 != wanted.url {
            return Err(format!("another page stands at its place: {}", page.url().as_str()));
        }
        let results = self.results(&page, &wanted.tasks);
        Ok(Visit { url: page.url().as_str().to_owned(), surt: page.url().surt(), results })
    }

    /// The results on a page for each of the tasks; `None`: the page is not of the layer.
    pub fn results(&self, page: &Page<'_>, tasks: &[Task]) -> Vec<Option<PageResults>> {
        let layers: Vec<_> =
            tasks.iter().map(|task| (usize::from(task.rule), usize::from(task.layer))).collect();
        let usual = layers.iter().any(|(rule, _)| self.rules[*rule].encoding.is_none());
        let (tree, document_tree) = (|| page.dom(), || page.document_dom());
        let of_page = || {
            let characters = page.is_html().then(|| page.characters()).flatten()?;
            Some(Markup { text: characters.text, encoding: characters.encoding, tree: &tree })
        };
        let of_document =
            || Some(Markup { text: page.document_html()?, encoding: UTF_8, tree: &document_tree });
        let markup = usual.then(|| of_page().or_else(of_document)).flatten();
        let answer = Answer {
            url: page.url(),
            body: page.body().bytes,
            charset: page.capture().response.charset_label(),
            markup,
        };
        answer.find(self.rules, &layers, &ApplyLimits::default())
    }

    /// The digest of a capture, as in table `pages`; `None` where it cannot be read or is cut.
    pub fn digest(&self, place: &Place) -> Option<String> {
        let shard = self.shards.get(place.shard)?;
        let found = shard.record.read(place.offset, Some(place.length)).ok()?;
        let record = found.record();
        let capture = record.to_mention()?;
        self.mill.page(&capture, &Buffers::default())?.content_digest()
    }
}

#[cfg(test)]
mod tests {
    use webmill_mill::PageLimits;
    use webmill_rules::{PAGE_BYTES, tree_limits};

    /// A crawl reads pages within the bounds of rules, a job within those of all pages: they must find the same.
    #[test]
    fn bounds_of_rules_are_those_of_pages() {
        let (pages, rules) = (PageLimits::default(), tree_limits());
        assert_eq!(pages.max_body_bytes, PAGE_BYTES);
        assert_eq!(
            (pages.max_nodes as usize, pages.max_depth as usize, pages.max_attributes as usize),
            (rules.max_nodes, rules.max_depth, rules.max_attrs_per_tag)
        );
    }
}
