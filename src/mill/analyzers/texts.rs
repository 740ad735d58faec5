//! `texts`: the main text of HTML pages, the text of documents.

use webmill_capture::domain::registrable;
use webmill_dedup::BandShape;
use webmill_html::about_fields;
use webmill_table::{Bytes16, table};

use super::{PageKind, WarcType, place, stated};
use crate::{Analyzer, Page, PartId, Reject, Rows, TableRows, Weigh};

/// Table `texts` with those fields that a page states which it shares with table `pages`.
macro_rules! text_table {
    ([{ $($head:tt)* } { $($before:tt)* } { $($after:tt)* }] { $($shared:tt)* } { $($further:tt)* }) => {
        table! { $($head)* { $($before)* $($shared)* $($after)* } }
        stated! { TextRow $($shared)* }
    };
}

about_fields! {
    text_table! {
        /// One row per HTML page with main text, per document with text, and per text that came with the archive (WET).
        TextRow = "texts"
    } {
        url_sortkey: String = "SURT form of the URL", "cn,edu,pku)/news/1.html";
        url: String = "canonical URL", "http://pku.edu.cn/news/1.html";
        url_key: Bytes16 = "key of the page in table pages", "9f…";
        host: String = "host name of the page, as pages.url_host_name", "news.pku.edu.cn";
        domain: String = "registrable domain of the host by both sections of the Public Suffix List; the host itself where it is an IP address or has none", "pku.edu.cn";
        is_current: bool = "whether the row is of the current capture of its URL, as pages.is_current: joined by it and the URL, no page comes twice", "true";
    } {
        text: String = "main text, a line a paragraph", "The library opened on Monday. …";
        markdown: String = "main text as Markdown, with headings, lists, tables, links and code", "# Campus opens …";
        language: Option<String> = "language of the text, ISO 639-3", "zho";
        language_confidence: Option<f32> = "how sure the language is, 0 to 1", "0.97";
        paragraph_languages: Vec<String> = "language of each line of the text, ISO 639-3; zxx for code, und where there are no words; empty where all lines are in the text's language", "['zho', 'zho', 'eng']";
        page_type: PageKind = "kind of page, see pages.page_type", "article";
        confidence: f32 = "how sure the extraction is, 0 to 1", "0.83";
        num_words: u32 = "words of the text", "812";
        bands: Vec<u64> = "MinHash band hashes of the text, by which near-duplicates are found, as signed integers of the same bits; empty without two different words", "[9716389431105, …]";
        warc_record_offset: i64 = "offset of the page's record in its shard", "183214";
        warc_filename: String = "shard of the page's record", "crawl-00001.raw";
        warc_type: Option<WarcType> = "kind of the record: of a response or resource the text is webmill's; conversion: it came with the archive, as WET files hold it", "response";
        refers_to_id: Option<String> = "of a text that came with the archive the identifier of the record that it was made of, where stated: pages.warc_record_id", "urn:uuid:2aabeff2-67f5-4608-8466-e87c6296e2b6";
    }
}

impl Weigh for TextRow {
    fn weight(&self) -> usize {
        self.text.len() + self.markdown.len() + 8 * self.bands.len() + 470
    }
}

/// Fills table `texts`.
#[derive(Debug, Clone, Copy, Default)]
pub struct Texts;

impl Analyzer for Texts {
    fn id(&self) -> PartId {
        PartId { configuration: BandShape::default().key().into(), ..PartId::new("texts", 9) }
    }

    fn empty(&self) -> Vec<Box<dyn TableRows>> {
        vec![Box::new(Vec::<TextRow>::new())]
    }

    fn analyze(&self, page: &Page<'_>, out: &mut Rows) -> Result<(), Reject> {
        let (Some(document), Some(reading)) = (page.document(), page.reading()) else { return Ok(()) };
        let main = &document.main;
        let (warc_record_offset, warc_filename) = place(page);
        let mut row = TextRow {
            url_sortkey: page.url().surt(),
            url: page.url().as_str().to_owned(),
            url_key: Bytes16(page.url().key().0),
            host: page.url().host().to_owned(),
            domain: registrable(page.url().host()).to_owned(),
            is_current: false,
            language: reading.language.map(|(language, _)| language.to_owned()),
            language_confidence: reading.language.map(|(_, confidence)| confidence),
            paragraph_languages: reading.by_line.iter().map(|language| (*language).to_owned()).collect(),
            page_type: main.page_type.into(),
            confidence: main.confidence,
            num_words: reading.num_words,
            bands: reading.bands.to_vec(),
            warc_record_offset,
            warc_filename,
            warc_type: Some(page.capture().record_type.into()),
            refers_to_id: page.capture().refers_to.id.as_deref().map(str::to_owned),
            text: main.text.clone(),
            markdown: main.markdown.clone(),
            ..TextRow::default()
        };
        row.state(&main.about);
        out.push(row);
        Ok(())
    }
}
