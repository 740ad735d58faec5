//! Pages near one that is not there: the same address under another scheme, with or without `www.`, slash or query; else
//! those of its host whose addresses have most in common with it.

use std::cmp::Reverse;
use webmill_capture::cut::Cut;

use anyhow::Result;
use webmill_capture::CanonicalUrl;
use webmill_capture::urlkey::url_key;
use webmill_mill::PageRow;
use webmill_table::columns;

use super::tables::{LookupKeys, Tables};

columns! {
    struct Neighbour from PageRow { url, url_surtkey, url_origin, is_current }
}

/// URLs that are proposed.
const NEAR: usize = 8;

/// How near, nearest first: kind, letters in common, letters of difference, URL.
type Nearness = (u8, Reverse<usize>, usize, String);

/// Near pages, with why each is one.
///
/// # Errors
/// Where the table cannot be read.
pub fn near(tables: &mut Tables, page: &LookupKeys) -> Result<Vec<(String, &'static str)>> {
    let Some(folder) = tables.folder("extract", "pages")? else { return Ok(Vec::new()) };
    // The pages of a host are neighbours in the order of the table, those of `www.` beside them.
    let bare = page.url.host().strip_prefix("www.").unwrap_or(page.url.host()).to_owned();
    let hosts = [bare.clone(), format!("www.{bare}")];
    let prefixes = hosts.clone().map(|host| webmill_capture::surt::surt_host(&host));
    let mut reader = webmill_table::Reader::<Neighbour>::open(&folder)?
        .only(move |group| prefixes.iter().any(|prefix| group.may_hold_prefix("url_sortkey", prefix)));
    let (asked, surtkey) = (page.url.as_str(), url_key(page.url.as_str()));
    let mut near: Vec<Nearness> = Vec::new();
    while let Some(batch) = reader.next()? {
        for row in batch.rows().filter(|row| row.is_current) {
            let Some(url) = CanonicalUrl::parse_stored(row.url) else { continue };
            let kind = match () {
                () if row.url_origin == Some(asked) => 0,
                () if row.url_surtkey == surtkey => 1,
                () if !hosts.iter().any(|host| host == url.host()) => continue,
                () if folded(&url) == folded(&page.url) => 2,
                () => 3,
            };
            let common =
                after_host(asked).bytes().zip(after_host(row.url).bytes()).take_while(|(a, b)| a == b);
            near.push((
                kind,
                Reverse(common.count()),
                row.url.len().abs_diff(asked.len()),
                row.url.to_owned(),
            ));
            if near.len() >= 64 * NEAR {
                near.sort_unstable();
                near.truncate(NEAR);
            }
        }
    }
    near.sort_unstable();
    near.dedup_by(|a, b| a.3 == b.3);
    near.truncate(NEAR);
    let why = |kind: u8| match kind {
        0 => "it redirects there",
        1 => "the same page to indexes",
        2 => "the same path",
        _ => "of the same host",
    };
    Ok(near.into_iter().map(|(kind, _, _, url)| (url, why(kind))).collect())
}

/// A path without query, closing slash and case.
fn folded(url: &CanonicalUrl) -> String {
    url.path().trim_end_matches('/').to_lowercase()
}

fn after_host(url: &str) -> &str {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    rest.find('/').map_or("", |at| rest.cut(at..))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_folded() {
        let url = |text: &str| CanonicalUrl::parse(text).unwrap();
        assert_eq!(folded(&url("http://a.org/X/?q=1")), folded(&url("https://a.org/x")));
        assert_ne!(folded(&url("http://a.org/x/y")), folded(&url("http://a.org/x")));
        assert_eq!(after_host("http://a.org/x?y"), "/x?y");
        assert_eq!(after_host("mailto:x"), "");
    }
}
