//! The title: what metadata says if the first page bears it out, else the words in the largest type.
//!
//! **Definition.** A title of the metadata counts unless it is a file's name, a program's stamp or has less than half of its
//! words on the first page. Else the first page's runs of lines of one size are walked in reading order; the first of the
//! largest size with 2 to 300 characters and a letter is the title, or one of the upper half of the page that is at least 0.9
//! times as large. Where no type is larger than the rest, lines are weighed as of any document.

use super::facts::Facts;
use super::hyphens::Lexicon;
use super::layout::lines::Line;
use super::layout::words::Frame;
use super::page::Sheet;
use crate::title::{self, Candidate, is_title_like};
use crate::{Builder, Inline, TitleSource};

/// Sizes that differ by less than this share are equal.
const SAME: f64 = 0.03;
/// How much larger than the body a title's type is.
const LARGER: f64 = 1.08;
/// How large a title in the upper half of a page is at least, beside the largest.
const UPPER: f64 = 0.9;
/// Lines of the first page that are weighed.
const MAX_LINES: usize = 60;

/// Lines of one size, one after the other.
#[derive(Debug)]
struct Run {
    text: String,
    size: f64,
    upper: bool,
}

/// Gives a document its title. `body` is the size of most of its type; `first` its first page with words.
pub(super) fn give(
    builder: &mut Builder,
    facts: &Facts,
    first: Option<&Sheet>,
    lexicon: &Lexicon,
    body: f64,
) {
    let lines: Vec<(&Line, bool)> = first.into_iter().flat_map(lines).collect();
    let page = lines.iter().map(|(line, _)| line.text()).collect::<Vec<_>>().join("\n");
    for stated in facts.titles.iter().filter_map(|title| title::cleaned(title)) {
        if page.trim().is_empty() || !title::is_absent(&stated, &page) {
            builder.document.give_title(&stated, TitleSource::Metadata);
            return;
        }
    }
    let shaped: Vec<(String, f64, bool)> =
        lines.iter().map(|(line, upper)| (line.text(), line.size, *upper)).collect();
    if let Some(run) = largest(&runs(&shaped, lexicon)).filter(|run| run.size > body * LARGER) {
        // Marks of notes: of the author's thanks, of the conference.
        let title =
            run.text.trim_end_matches(['*', '\u{2217}', '†', '‡', '§', '¶', ' ']).replace('\u{AD}', "");
        builder.document.give_title(&title, TitleSource::Type);
        return;
    }
    let width = lines.iter().map(|(line, _)| line.u1).fold(0.0, f64::max);
    let left = lines.iter().map(|(line, _)| line.u0).fold(f64::INFINITY, f64::min);
    let candidates: Vec<Candidate> =
        lines.iter().take(MAX_LINES).map(|(line, _)| candidate(line, left, width)).collect();
    if let Some(best) = title::best(&candidates, &page) {
        builder.document.give_title(&best, TitleSource::Type);
    }
}

/// The lines of a page in its main direction, and whether they stand in its upper half.
fn lines(sheet: &Sheet) -> Vec<(&Line, bool)> {
    let Some(main) = sheet.blocks.iter().find(|block| !block.lines.is_empty()).map(|block| block.frame)
    else {
        return Vec::new();
    };
    let of_main = sheet.blocks.iter().filter(|block| block.frame == main).flat_map(|block| &block.lines);
    let upper = |line: &Line| main != Frame::UPRIGHT || line.v <= sheet.height / 2.0;
    of_main.map(|line| (line, upper(line))).collect()
}

/// Lines by runs of one size; blank lines change nothing.
fn runs(lines: &[(String, f64, bool)], lexicon: &Lexicon) -> Vec<Run> {
    let mut runs: Vec<Run> = Vec::new();
    for (text, size, upper) in lines.iter().filter(|(text, ..)| !text.trim().is_empty()) {
        match runs.last_mut() {
            Some(run) if (run.size - size).abs() <= SAME * run.size => {
                let mut words = Inline::from(std::mem::take(&mut run.text));
                lexicon.join(&mut words, text.trim().into());
                run.text = words.text;
            }
            _ => runs.push(Run { text: text.trim().to_owned(), size: *size, upper: *upper }),
        }
    }
    runs
}

/// The title among runs: the first of the upper half that is nearly as large as the largest, else that.
fn largest(runs: &[Run]) -> Option<&Run> {
    let fit = || runs.iter().filter(|run| is_title_like(&run.text));
    let best = fit().reduce(|best, run| if run.size > best.size * (1.0 + SAME) { run } else { best })?;
    Some(fit().find(|run| run.upper && run.size >= UPPER * best.size).unwrap_or(best))
}

fn candidate(line: &Line, left: f64, right: f64) -> Candidate {
    let (before, behind) = (line.u0 - left, right - line.u1);
    let margin = 1.5 * line.size;
    Candidate {
        text: line.text(),
        size: line.size as f32,
        bold: line.bold,
        centred: before > margin && (before - behind).abs() < margin,
        fills_width: before < margin && behind < margin,
        list_item: super::lists::marker(&line.text()).is_some(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn titled(lines: &[(f64, &str, bool)]) -> Option<String> {
        let lines: Vec<_> =
            lines.iter().map(|(size, text, upper)| ((*text).to_owned(), *size, *upper)).collect();
        largest(&runs(&lines, &Lexicon::default())).map(|run| run.text.clone())
    }

    #[test]
    fn title_is_the_first_run_of_the_largest_type() {
        let page = [
            (10.0, "Vol. 3", true),
            (24.0, "Crawling", true),
            (24.0, "the Web", true),
            (10.0, "A. Author", true),
            (24.0, "1", true),
        ];
        assert_eq!(titled(&page).as_deref(), Some("Crawling the Web"));
        // One that is closed never reopens.
        let page = [(24.0, "Crawling", true), (10.0, "by", true), (24.0, "the Web", true)];
        assert_eq!(titled(&page).as_deref(), Some("Crawling"));
        // Blank lines change nothing.
        let page = [(24.0, "Crawling", true), (9.0, "  ", true), (24.0, "the Web", true)];
        assert_eq!(titled(&page).as_deref(), Some("Crawling the Web"));
        // The upper half comes first where it is nearly as large.
        let page = [(23.0, "Crawling", true), (10.0, "words", true), (24.0, "PUBLISHER", false)];
        assert_eq!(titled(&page).as_deref(), Some("Crawling"));
        let page = [(18.0, "Crawling", true), (10.0, "words", true), (24.0, "PUBLISHER", false)];
        assert_eq!(titled(&page).as_deref(), Some("PUBLISHER"));
        assert_eq!(titled(&[(24.0, "1", true), (10.0, "words", true)]).as_deref(), Some("words"));
        assert_eq!(titled(&[(24.0, "2003", true)]), None);
    }
}
