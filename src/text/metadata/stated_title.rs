//! What a page states as its title, taken apart: without the site's name, in parts between separators.
//!
//! `title.rs` chooses among these; the main text, too, is found by them ([`title_variants`]), so that a change here may change
//! main texts.

use crate::comparison::bare;
use webmill_capture::cut::Cut;

/// Longest title or heading that is looked at, in bytes.
pub(super) const MAX_TITLE: usize = 400;

/// What parts the name of a site from a title.
pub(super) const SEPARATORS: [&str; 13] =
    [" | ", " - ", " – ", " — ", " » ", " « ", " :: ", " · ", " • ", " / ", "_", "｜", "|"];

/// White space collapsed.
pub(super) fn squeeze(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A page title without its site's name.
pub(super) fn clean_title(title: &str, site: Option<&str>) -> String {
    let title = squeeze(title);
    let site = site.map(bare).filter(|s| !s.is_empty());
    let mut best = title.as_str();
    // A stated site name at either end goes first, then the last part if it is the shorter one.
    for separator in SEPARATORS {
        if let (Some(site), Some((rest, last))) = (&site, best.rsplit_once(separator))
            && bare(last) == *site
            && !rest.trim().is_empty()
        {
            best = rest;
        }
        if let (Some(site), Some((first, rest))) = (&site, best.split_once(separator))
            && bare(first) == *site
            && !rest.trim().is_empty()
        {
            best = rest;
        }
    }
    if best.len() == title.len() {
        for separator in SEPARATORS {
            if let Some((rest, last)) = best.rsplit_once(separator)
                && rest.chars().count() >= 8
                && last.chars().count() < rest.chars().count()
            {
                best = rest;
                break;
            }
        }
    }
    best.trim().to_string()
}

/// The titles that a page states, for matching blocks against them: whole and in parts.
pub(crate) fn title_variants(stated: &[Option<&str>]) -> Vec<String> {
    let mut out: Vec<String> = Vec::new();
    for title in stated.iter().flatten() {
        let title = squeeze(title);
        let title: String = title.chars().take(300).collect();
        for separator in SEPARATORS {
            if let Some((first, _)) = title.rsplit_once(separator) {
                out.push(first.to_string());
            }
            if let Some((first, _)) = title.split_once(separator).filter(|p| p.0.chars().count() > 8) {
                out.push(first.to_string());
            }
        }
        out.push(title);
    }
    out.retain(|t| !t.trim().is_empty());
    out.sort_unstable();
    out.dedup();
    out
}

/// What parts a stated title beyond [`SEPARATORS`], where a heading tells which part is meant.
const MORE_SEPARATORS: [&str; 9] = [" : ", ": ", " › ", " ‹ ", " > ", " < ", " -- ", " ~ ", " ("];

/// The parts of the stated titles that a heading may repeat, compared by letters and digits: all that begins or ends at a
/// separator; and those of them that a title begins with.
pub(super) fn parts(stated: &[&str]) -> (Vec<String>, Vec<String>) {
    const MAX_CUTS: usize = 12;
    let (mut all, mut first) = (Vec::new(), Vec::new());
    for title in stated {
        let title = squeeze(title);
        let title = title.cut(..title.floor_char_boundary(MAX_TITLE));
        let mut cuts: Vec<(usize, usize)> = SEPARATORS
            .iter()
            .chain(&MORE_SEPARATORS)
            .flat_map(|separator| title.match_indices(separator))
            .map(|(at, separator)| (at, at + separator.len()))
            .collect();
        let weak =
            |end: usize| title.cut(end..).starts_with([':', '(']) || title.cut(end..).starts_with(" :");
        cuts.sort_unstable();
        cuts.truncate(MAX_CUTS);
        for start in std::iter::once(0).chain(cuts.iter().map(|cut| cut.1)) {
            for end in cuts.iter().map(|cut| cut.0).chain([title.len()]).filter(|&end| end > start) {
                let part = bare(title.cut(start..end));
                if part.is_empty() {
                    continue;
                }
                if start == 0 && !weak(end) {
                    first.push(part.clone());
                }
                all.push(part);
            }
        }
    }
    (all, first)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn titles_lose_the_site() {
        for (title, site, want) in [
            ("A long headline here | The Site", Some("The Site"), "A long headline here"),
            ("The Site - A headline", Some("the site"), "A headline"),
            ("A long headline here - Site", None, "A long headline here"),
            ("短标题_新闻频道", None, "短标题_新闻频道"),
            ("国务院办公厅印发关于假期的通知_新闻频道", None, "国务院办公厅印发关于假期的通知"),
            ("C++", None, "C++"),
        ] {
            assert_eq!(clean_title(title, site), want);
        }
    }
}
