//! Title of a page's main text.
//!
//! The title is a heading that the page's stated title repeats, else what structured data or the page state; it loses the
//! site's name.

use crate::blocks::elements::heading;
use crate::blocks::page::Page;
use crate::comparison::bare;
use webmill_html::Tag;

fn squeeze(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

const SEPARATORS: [&str; 13] =
    [" | ", " - ", " – ", " — ", " » ", " « ", " :: ", " · ", " • ", " / ", "_", "｜", "|"];

/// A page title without its site's name.
pub(crate) fn clean_title(title: &str, site: Option<&str>) -> String {
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

/// The title: a heading that the page's title repeats, else the stated one without the site's name.
pub(crate) fn title(
    page: &Page,
    stated: &[Option<&str>],
    headline: Option<&str>,
    site: Option<&str>,
) -> Option<String> {
    let stated: Vec<&str> = stated.iter().flatten().copied().filter(|t| !t.trim().is_empty()).collect();
    let cleaned: Vec<String> = stated.iter().map(|t| clean_title(t, site)).collect();
    let whole: Vec<String> = stated.iter().map(|t| bare(t)).collect();
    let mut best: Option<(usize, &str)> = None;
    for block in page.blocks.iter() {
        let container = &page.containers[block.container as usize];
        let Some(level) = heading(container.tag) else { continue };
        let text = page.text_of(block);
        if text.len() > 400 {
            continue;
        }
        let own = bare(text);
        let shared = whole.iter().any(|w| !own.is_empty() && w.contains(&own));
        let is_site = site.is_some_and(|s| bare(s) == own);
        let score = own.len().min(200) * usize::from(shared) + if level == 1 && shared { 20 } else { 0 };
        if shared && !is_site && own.len() >= 6 && best.is_none_or(|b| score > b.0) {
            best = Some((score, text));
        }
    }
    let found = best.map(|b| squeeze(b.1)).filter(|found| {
        cleaned.first().is_none_or(|c| bare(found).len() * 2 >= bare(c).len())
            || title_variants(&[Some(stated[0])]).iter().any(|part| bare(part) == bare(found))
    });
    found
        .or_else(|| headline.map(squeeze).filter(|h| !h.is_empty()))
        .or_else(|| cleaned.into_iter().find(|c| !c.is_empty()))
        .or_else(|| {
            let first = page.blocks.iter().find(|b| page.containers[b.container as usize].tag == Tag::H1)?;
            Some(squeeze(page.text_of(first)))
        })
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
