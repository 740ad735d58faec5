//! What the path of a page's address (the canonical one, else where it was found) says of the page, as numbers.
//!
//! Paths often name a section (`/forum/`, `/product/`): a hint for the page's type, no more.

use std::sync::LazyLock;

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

/// Number of numbers that [`path_features`] gives.
pub(crate) const PATH_FEATURES: usize = 11;

static PATHS: LazyLock<Phrases> = LazyLock::new(|| {
    let sections = SECTIONS.iter().enumerate().map(|(bit, list)| (1 << bit, list.split_ascii_whitespace()));
    Phrases::new(sections.flat_map(|(bit, list)| list.map(move |phrase| (phrase, bit))))
});

/// Numbers of a URL's path: sections named, a year in it, depth, shape of the last segment; -1 without a path.
pub(crate) fn path_features(path: Option<&str>) -> [f32; PATH_FEATURES] {
    let Some(path) = path else { return [-1.0; PATH_FEATURES] };
    let mut out = [0.0; PATH_FEATURES];
    let bits = PATHS.find(path);
    for (bit, value) in out[..SECTIONS.len()].iter_mut().enumerate() {
        *value = (bits >> bit & 1) as f32;
    }
    let segments = || path.split('/').filter(|s| !s.is_empty());
    let year =
        |s: &str| s.len() == 4 && (s.starts_with("19") || s.starts_with("20")) && s.parse::<u16>().is_ok();
    out[6] = f32::from(u8::from(segments().any(year)));
    out[7] = segments().count().min(20) as f32;
    let last = path.rsplit('/').find(|s| !s.is_empty()).unwrap_or_default();
    out[8] = last.len().min(200) as f32;
    out[9] = last.bytes().filter(|b| matches!(b, b'-' | b'_')).count().min(30) as f32;
    out[10] = last.bytes().filter(u8::is_ascii_digit).count().min(30) as f32;
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sections_depth_and_shape() {
        let path = path_features(Some("/forum/2023/some-long-slug-12"));
        assert_eq!((path[0], path[1], path[6], path[7], path[9]), (1.0, 0.0, 1.0, 3.0, 3.0));
        assert_eq!(path_features(None)[0], -1.0);
        assert_eq!(path_features(Some("/"))[7], 0.0);
    }
}
