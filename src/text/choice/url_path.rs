//! What the path of a page's address (the canonical one, else where it was found) says of the page, as features.
//!
//! Paths often name a section (`/forum/`, `/product/`): a hint for the page's type, no more.

use std::sync::LazyLock;

use super::features::{FeatureSink, features};
use super::numbers::flag;
use crate::phrases::Phrases;

/// Sections by bit, as they stand in paths.
const SECTIONS: [&str; 6] = [
    "-forum- -forums- -thread- -threads- -topic- -viewtopic- -showthread- -discussion- -discussions- -question- \
     -questions- -community- -bbs- -comments-",
    "-product- -products- -p- -dp- -item- -shop- -store- -buy-",
    "-collections- -collection- -category- -categories- -c- -catalog- -brands- -brand-",
    "-tag- -tags- -archive- -archives- -list- -search- -directory- -listing- -listings- -events- -jobs-",
    "-docs- -doc- -documentation- -api- -reference- -guide- -guides- -manual- -help- -wiki- -tutorial- -tutorials- \
     -kb- -support- -learn- -developer- -developers-",
    "-services- -service- -solutions- -solution- -about- -pricing- -programs- -program- -plans- -consulting- -features-",
];

static PATHS: LazyLock<Phrases> = LazyLock::new(|| {
    let sections = SECTIONS.iter().enumerate().map(|(bit, list)| (1 << bit, list.split_ascii_whitespace()));
    Phrases::new(sections.flat_map(|(bit, list)| list.map(move |phrase| (phrase, bit))))
});

/// Features of a URL's path: sections named, a year in it, depth, shape of the last segment; -1 without a path.
pub(super) fn path_features(path: Option<&str>, out: &mut impl FeatureSink) {
    let bits = path.map(|path| PATHS.find(path));
    for section in 0..SECTIONS.len() {
        features! { out, section; path_section: bits.map_or(-1.0, |bits| (bits >> section & 1) as f32) }
    }
    let segments: Option<Vec<&str>> = path.map(|path| path.split('/').filter(|s| !s.is_empty()).collect());
    let year =
        |s: &&str| s.len() == 4 && (s.starts_with("19") || s.starts_with("20")) && s.parse::<u16>().is_ok();
    let last = segments.as_ref().map(|segments| segments.last().copied().unwrap_or_default());
    let count =
        |is: fn(&u8) -> bool| last.map_or(-1.0, |last| last.bytes().filter(is).count().min(30) as f32);
    features! { out;
        path_has_year: segments.as_ref().map_or(-1.0, |segments| flag(segments.iter().any(year))),
        path_depth: segments.as_ref().map_or(-1.0, |segments| segments.len().min(20) as f32),
        path_last_length: last.map_or(-1.0, |last| last.len().min(200) as f32),
        path_last_hyphens: count(|b| matches!(b, b'-' | b'_')),
        path_last_digits: count(u8::is_ascii_digit),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sections_depth_and_shape() {
        let features = |path| {
            let mut out = Vec::new();
            path_features(path, &mut out);
            out
        };
        let path = features(Some("/forum/2023/some-long-slug-12"));
        assert_eq!(path, [1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 3.0, 17.0, 3.0, 2.0]);
        assert_eq!(features(None), [-1.0; 11]);
        assert_eq!(features(Some("/"))[7], 0.0);
    }
}
