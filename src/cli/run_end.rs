//! The last lines of `webmill run`: pages, languages, duplicates, the first page by PageRank, and the command that shows them.
//!
//! The numbers are those of the report's table `summary`, so that both say the same. Their words are in `words.toml`, as all texts for people.

use std::path::Path;

use anyhow::Result;
use console::measure_text_width;
use webmill_jobs::job::Context;
use webmill_jobs::report::summary::FIRST;
use webmill_jobs::report::tables::SummaryRow;
use webmill_jobs::report::{PAGE, Report};
use webmill_run::Job;
use webmill_serve::surface::{Lang, fill, shorten, thousands};
use webmill_table::read_rows;

use crate::crawl::quoted;

/// Languages that are named.
const LANGUAGES: usize = 4;
/// Longest URL that is shown whole.
const URL: usize = 80;

/// Prints what came of a run, in five lines.
///
/// # Errors
/// Where the report's table cannot be read, or standard output written.
pub fn print(context: &Context<'_>, lang: Lang) -> Result<()> {
    let rows: Vec<SummaryRow> = read_rows(&context.results_of(Report::NAME)?.path("summary"))?;
    webmill_jobs::print(&lines(&rows, &context.runtime.out, lang))?;
    Ok(())
}

fn lines(rows: &[SummaryRow], out: &Path, lang: Lang) -> String {
    let words = lang.words("run");
    let of = |name: &str| rows.iter().find(|row| row.section == "corpus" && row.name == name);
    let number = |name: &str| thousands(of(name).map_or(0, |row| row.value as u64));
    let first = rows.iter().find(|row| row.section == FIRST);
    let folder = quoted(&out.display().to_string());
    let told = [
        ("pages", fill(&words["pages_line"], &["html pages", "documents", "captures", "hosts"].map(number))),
        ("languages", languages(rows, lang)),
        ("duplicates", fill(&words["duplicates_line"], &["duplicates", "pages"].map(number))),
        (
            "first",
            first.map_or_else(
                || words["no_first"].clone(),
                |page| fill(&words["first_line"], &[shorten(&page.name, URL), share(page.value)]),
            ),
        ),
        (
            "open",
            fill(
                &words["open_line"],
                &[format!("webmill serve {folder}"), quoted(&out.join(PAGE).display().to_string())],
            ),
        ),
    ];
    let widest = told.iter().map(|(name, _)| measure_text_width(&words[*name])).max().unwrap_or(0);
    let padded = |name: &str| " ".repeat(widest - measure_text_width(&words[name]));
    told.iter().map(|(name, text)| format!("{}{}  {text}\n", words[*name], padded(name))).collect()
}

/// Four decimals, or two digits that are not 0.
fn share(value: f64) -> String {
    let digits = if value > 0.0 { (1.0 - value.log10().floor()).clamp(4.0, 12.0) } else { 4.0 };
    format!("{value:.*}", digits as usize)
}

/// The most used languages with their pages.
fn languages(rows: &[SummaryRow], lang: Lang) -> String {
    let (words, names) = (lang.words("run"), lang.words("languages"));
    let mut used: Vec<&SummaryRow> = rows.iter().filter(|row| row.section == "language").collect();
    used.sort_by(|a, b| b.value.total_cmp(&a.value).then_with(|| a.name.cmp(&b.name)));
    let told = used.iter().take(LANGUAGES).map(|row| {
        let name = names.get(&row.name).unwrap_or(&row.name);
        fill(&words["language"], &[name, &thousands(row.value as u64)])
    });
    let mut told: Vec<String> = told.collect();
    if used.len() > LANGUAGES {
        told.push(fill(&words["more_languages"], &[thousands((used.len() - LANGUAGES) as u64)]));
    }
    if told.is_empty() { words["no_text"].clone() } else { told.join(&words["comma"]) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows() -> Vec<SummaryRow> {
        [
            ("corpus", "captures", 1_710.0),
            ("corpus", "html pages", 1_600.0),
            ("corpus", "documents", 2.0),
            ("corpus", "pages", 1_602.0),
            ("corpus", "hosts", 3.0),
            ("corpus", "duplicates", 40.0),
            ("language", "zho", 600.0),
            ("language", "eng", 900.0),
            ("language", "xx", 1.0),
            ("language", "deu", 2.0),
            ("language", "fra", 3.0),
            (FIRST, "http://a.example/", 0.125),
        ]
        .map(|(section, name, value)| SummaryRow::new(section, name, value, ""))
        .to_vec()
    }

    #[test]
    fn a_run_ends_with_five_lines_in_either_language() {
        let english = lines(&rows(), Path::new("my results"), Lang::En);
        assert_eq!(
            english,
            "pages       HTML 1,600, other documents 2; captures 1,710, hosts 3\n\
             languages   English 900, Chinese 600, French 3, German 2, further 1\n\
             duplicates  40 of 1,602 pages\n\
             first       http://a.example/ (PageRank 0.1250)\n\
             open        webmill serve 'my results' (the museum), 'my results/report.html' (the report)\n"
        );
        let chinese = lines(&rows(), Path::new("结果"), Lang::Zh);
        let first: Vec<&str> = chinese.lines().filter_map(|line| line.split("  ").next()).collect();
        assert_eq!(first, ["网页", "语言", "重复", "首位", "查看"]);
        assert!(
            chinese.contains("英语（900）、汉语（600）") && chinese.contains("webmill serve 结果（存档馆）"),
            "{chinese}"
        );
    }

    #[test]
    fn small_shares_have_two_digits() {
        assert_eq!([0.125, 0.0, 0.00002136, 1.0].map(share), ["0.1250", "0.0000", "0.000021", "1.0000"]);
    }

    #[test]
    fn an_empty_corpus_has_five_lines_too() {
        let text = lines(&[], Path::new("r"), Lang::En);
        assert!(text.contains("no page has text") && text.contains("no page has a rank"), "{text}");
        assert_eq!(text.lines().count(), 5);
    }
}
