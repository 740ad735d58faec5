//! What was said last of URLs that were not brought home, so that it counts no more once something else is said of them.
//!
//! **Form.** A key of the URL → the outcome, and the name that it was counted under; beside the notes of the operator. Keys are
//! seeded hashes of 128 bits, which tell URLs apart.
//!
//! **Cost.** Some fifty bytes a URL that was given up or left out; a read where one may be.

use super::Frontier;
use webmill_capture::CanonicalUrl;
use webmill_capture::error::Result;

/// First bytes of a key.
const VERDICT: &[u8] = b"verdict ";

/// Counts of a URL that was not brought home.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verdict {
    /// Outcome of the URL, as in table `events`.
    pub outcome: String,
    /// The name that it was counted under: a media type, host and pattern; empty: its outcome.
    pub counted_as: String,
}

impl Frontier {
    /// Keeps what was said of a URL.
    pub fn set_verdict(&mut self, url: &CanonicalUrl, verdict: &Verdict) {
        let value = [verdict.outcome.as_bytes(), &[0], verdict.counted_as.as_bytes()].concat();
        self.meta.put(self.verdict_key(url), value);
    }

    /// Forgets what was said of a URL; gives it, if there was anything.
    ///
    /// # Errors
    /// [`webmill_capture::error::Error::Corrupt`], [`webmill_capture::error::Error::Io`].
    pub fn take_verdict(&mut self, url: &CanonicalUrl) -> Result<Option<Verdict>> {
        let key = self.verdict_key(url);
        let Some(value) = self.meta.get(&key)? else { return Ok(None) };
        self.meta.remove(key);
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let end = memchr::memchr(0, &value).unwrap_or(value.len());
        let counted_as = value.get(end + 1..).unwrap_or_default();
        Ok(Some(Verdict { outcome: text(&value[..end]), counted_as: text(counted_as) }))
    }

    fn verdict_key(&self, url: &CanonicalUrl) -> Vec<u8> {
        [VERDICT, &self.history_key(url).to_be_bytes()].concat()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frontier::FrontierOptions;

    #[test]
    fn a_verdict_is_kept_over_a_reopening_and_taken_once() {
        let folder = tempfile::tempdir().unwrap();
        let options = FrontierOptions { memory: 16 << 20, ..FrontierOptions::default() };
        let path = folder.path().join("f");
        let url = |n: u32| CanonicalUrl::parse(&format!("http://a.example/{n}")).unwrap();
        let verdict = |n: u32| Verdict { outcome: "timeout".into(), counted_as: "x".repeat(n as usize) };
        let (mut frontier, _) = Frontier::open(&path, &options).unwrap();
        (0..5).for_each(|n| frontier.set_verdict(&url(n), &verdict(n)));
        frontier.commit(b"mark").unwrap();
        frontier.close().unwrap();
        let (mut frontier, _) = Frontier::open(&path, &options).unwrap();
        for n in 0..5 {
            assert_eq!(frontier.take_verdict(&url(n)).unwrap(), Some(verdict(n)));
            assert_eq!(frontier.take_verdict(&url(n)).unwrap(), None);
        }
        assert_eq!(frontier.take_verdict(&url(5)).unwrap(), None);
    }
}
