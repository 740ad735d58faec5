//! A page in each form of output.

use webmill_documents::to_html;
use webmill_html::FieldValue;
use webmill_text::{Language, TextLimits, plain_text};

use super::facts::{PageFacts, PostShown};
use super::front_matter::front_matter;
use super::{LanguageCodes, TextForm, TextOptions, xml};

impl PageFacts {
    /// The page in an output form, ended by a newline; nothing for a page without text.
    pub fn written(mut self, options: &TextOptions) -> String {
        if options.lang_codes == LanguageCodes::Two {
            self.languages_in_two_letters();
        }
        let mut out = match options.format {
            TextForm::Json => serde_json::to_string(&self).unwrap_or_default(),
            TextForm::Text => std::mem::take(&mut self.text),
            TextForm::Md => self.markdown.take().unwrap_or_default(),
            TextForm::Xml => return xml::document(&self),
            TextForm::Tei => return xml::tei(&self),
            TextForm::Csv => return self.row(),
            TextForm::Html => self.markdown.take().unwrap_or_default(),
        };
        let appends = matches!(options.format, TextForm::Text | TextForm::Md | TextForm::Html);
        if options.comments == Some(true) && appends {
            self.comments().for_each(|said| said.append(options.format, &mut out));
        }
        if options.format == TextForm::Html && !out.is_empty() {
            let title = to_html(self.about.title.as_deref(), "");
            self.languages_in_two_letters();
            let language = self.language.map_or(String::new(), |language| format!(" lang=\"{language}\""));
            let head = format!(
                "<!DOCTYPE html>\n<html{language}>\n<head>\n<meta charset=\"utf-8\">\n{title}</head>"
            );
            return format!("{head}\n<body>\n{}</body>\n</html>\n", to_html(None, &out));
        }
        if options.front_matter {
            let gap = if out.is_empty() { "" } else { "\n" };
            out.insert_str(0, &format!("{}{gap}", front_matter(&self)));
        }
        if !out.is_empty() && !out.ends_with('\n') {
            out.push('\n');
        }
        out
    }
}

/// Columns of CSV that a page states about itself, by their names in JSON.
const STATED: [&str; 7] = ["title", "author", "date", "modified", "site_name", "description", "licence"];

/// The first row of CSV.
pub fn csv_head() -> String {
    let names = [&["id", "url"][..], &STATED, &["language", "page_type", "text", "comments"]].concat();
    format!("{}\n", names.join(","))
}

/// A row of CSV, as spreadsheets read it.
fn csv_row(cells: &[&str]) -> String {
    let quoted = |cell: &&str| match cell.contains([',', '"', '\n', '\r']) {
        true => format!("\"{}\"", cell.replace('"', "\"\"")),
        false => (*cell).to_owned(),
    };
    format!("{}\n", cells.iter().map(quoted).collect::<Vec<_>>().join(","))
}

impl PageFacts {
    fn row(&self) -> String {
        let comments: Vec<&str> = self.comments().map(|said| said.text.as_str()).collect();
        let comments = comments.join("\n");
        let stated: Vec<(&str, FieldValue<'_>)> = self.stated().collect();
        let lists: Vec<String> = STATED
            .iter()
            .map(|name| match stated.iter().find(|(known, _)| known == name) {
                Some((_, FieldValue::Text(text))) => text.unwrap_or_default().to_owned(),
                Some((_, FieldValue::List(list))) => list.join(";"),
                None => String::new(),
            })
            .collect();
        let mut cells = vec![self.id.as_str(), self.url.as_deref().unwrap_or_default()];
        cells.extend(lists.iter().map(String::as_str));
        cells.extend([self.language.unwrap_or_default(), self.page_type, &self.text, &comments]);
        csv_row(&cells)
    }

    fn languages_in_two_letters(&mut self) {
        let short =
            |code: &'static str| Language { iso639_3: code, confidence: 1.0 }.iso639_1().unwrap_or(code);
        self.language = self.language.map(short);
        self.languages.iter_mut().for_each(|share| share.language = short(share.language));
        self.paragraphs.iter_mut().for_each(|stretch| stretch.language = short(stretch.language));
    }
}

impl PostShown {
    /// Writes it after a text: who and when, then what.
    fn append(&self, form: TextForm, out: &mut String) {
        if !out.is_empty() {
            out.push_str("\n\n");
        }
        let is_markdown = form != TextForm::Text;
        let plain = |text: &str| match is_markdown {
            true => plain_text(&text.replace('\n', "\n\n"), &TextLimits::default()).markdown,
            false => text.to_owned(),
        };
        let said: Vec<&str> = [self.author.as_deref(), self.date.as_deref()].into_iter().flatten().collect();
        if !said.is_empty() {
            out.push_str(&plain(&format!("{}:", said.join(", "))));
            out.push_str(if is_markdown { "\n\n" } else { "\n" });
        }
        out.push_str(&plain(&self.text));
    }
}

#[cfg(test)]
mod tests {
    use super::super::{PageKind, PageReader};
    use super::*;

    fn written(format: TextForm, lang_codes: LanguageCodes) -> String {
        let options = TextOptions { format, lang_codes, input: PageKind::Html, ..TextOptions::default() };
        let page = "<html><head><title>Tea, \"green\"</title></head><body><article><h1>Tea, \"green\"</h1>\
            <p>The old kiosk at the pier sells green tea, black tea and buns to everybody who waits for the ferry.</p>\
            <p>It opens at six in the morning, and it closes when the last boat has left.</p>\
            <p>Write &lt;script&gt;alert(1)&lt;/script&gt; to <a href='javascript:alert(2)'>the keeper</a> of the kiosk, who reads it all.</p></article></body></html>";
        let reader = PageReader::new(options).unwrap();
        let bytes = super::super::PageBytes::of(page.as_bytes().to_vec());
        let file = super::super::PageFile {
            path: std::path::Path::new("a.html"),
            is_named: true,
            has_address: false,
        };
        match reader.texts(&bytes, PageKind::Html, file, "a,b".into(), None) {
            Ok(super::super::FileTexts::Texts { written, .. }) => written[0].body.clone(),
            _ => panic!("no text"),
        }
    }

    #[test]
    fn pages_are_documents_of_html_and_rows_of_csv() {
        let html = written(TextForm::Html, LanguageCodes::Three);
        assert!(html.starts_with("<!DOCTYPE html>\n<html lang=\"en\">"), "{html}");
        assert!(
            html.contains("<title>Tea, &quot;green&quot;</title>") && html.contains("<p>The old kiosk"),
            "{html}"
        );
        assert!(
            html.contains("alert(1)") && !html.contains("<script") && !html.contains("javascript:"),
            "{html}"
        );
        let row = written(TextForm::Csv, LanguageCodes::Two);
        assert!(row.starts_with("\"a,b\",,\"Tea, \"\"green\"\"\","), "{row}");
        assert!(row.contains(",en,"), "{row}");
        assert_eq!(csv_head().matches(',').count(), 12);
        assert!(written(TextForm::Csv, LanguageCodes::Three).contains(",eng,"));
    }
}
