//! The last word about URLs that were not brought home: each counts once, however often it is said.
//!
//! **Definition.** Given up is a URL whose last outcome is one of [`outcome::SOFT`]; left out by media type or as a copy, one whose last
//! outcome is [`outcome::MEDIA_TYPE`] or [`outcome::PATTERN_CUT`]. The next event about it, also that it is requested again, takes its
//! place.
//!
//! **Cost.** A write for each such URL; where there are any, a read for each URL that comes to its end.

use crate::Purpose;
use crate::engine::{Crawl, Totals};
use crate::event::{Event, outcome};
use crate::frontier::Verdict;
use webmill_capture::CanonicalUrl;
use webmill_capture::error::Result;

/// Media types and patterns that are counted by name; the others are `other`.
const MOST_NAMES: usize = 64;

impl Crawl {
    /// Counts the end of a URL, in place of what was said of it before.
    pub(super) fn note_verdict(&mut self, event: &Event, url: &CanonicalUrl) -> Result<()> {
        if event.purpose == Purpose::Robots {
            return Ok(());
        }
        self.take_verdict(url)?;
        if let Some(verdict) = self.totals.count_verdict(url.host(), event) {
            self.frontier.set_verdict(url, &verdict);
        }
        Ok(())
    }

    /// What was said of a URL counts no more.
    pub(super) fn take_verdict(&mut self, url: &CanonicalUrl) -> Result<()> {
        let Totals { given_up, refused_types, cut_patterns, .. } = &self.totals;
        if given_up.is_empty() && refused_types.is_empty() && cut_patterns.is_empty() {
            return Ok(());
        }
        if let Some(verdict) = self.frontier.take_verdict(url)? {
            self.totals.forget_verdict(&verdict);
        }
        Ok(())
    }
}

impl Totals {
    /// Counts the end of a URL of a host, if it was not brought home.
    fn count_verdict(&mut self, host: &str, event: &Event) -> Option<Verdict> {
        let detail = event.detail.as_deref().unwrap_or("unknown");
        let counted_as = match &*event.outcome {
            outcome::MEDIA_TYPE => {
                let media_type = detail.split(',').next().unwrap_or_default();
                self.refused_types.add_bounded(media_type, MOST_NAMES).to_owned()
            }
            outcome::PATTERN_CUT => {
                let pattern = detail;
                self.cut_patterns.add_bounded(&format!("{host}{pattern}"), MOST_NAMES).to_owned()
            }
            soft if outcome::is_soft(soft) => {
                self.given_up.add(soft);
                String::new()
            }
            _ => return None,
        };
        Some(Verdict { outcome: event.outcome.to_string(), counted_as })
    }

    fn forget_verdict(&mut self, verdict: &Verdict) {
        match &*verdict.outcome {
            outcome::MEDIA_TYPE => self.refused_types.take(&verdict.counted_as),
            outcome::PATTERN_CUT => self.cut_patterns.take(&verdict.counted_as),
            soft => self.given_up.take(soft),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_counted_is_taken_back_under_the_same_name() {
        let mut totals = Totals::default();
        let said: Vec<(&'static str, String)> = (0..100)
            .map(|n| (outcome::MEDIA_TYPE, format!("image/x-{n}, by its ending")))
            .chain((0..3).map(|n| (outcome::PATTERN_CUT, format!("/p/#{}.html", n / 9))))
            .chain([(outcome::TIMEOUT, String::new()), (outcome::TIMEOUT, String::new())])
            .collect();
        let verdicts: Vec<Verdict> = said
            .into_iter()
            .filter_map(|(name, detail)| {
                let mut event = Event::new("http://a.example/", Purpose::Page, name, 0);
                event.detail = Some(detail);
                totals.count_verdict("a.example", &event)
            })
            .collect();
        assert_eq!(totals.refused_types.get("other"), 36);
        assert_eq!(totals.cut_patterns.get("a.example/p/#0.html"), 3);
        assert_eq!(totals.given_up.get(outcome::TIMEOUT), 2);
        verdicts.iter().rev().for_each(|verdict| totals.forget_verdict(verdict));
        assert_eq!(totals, Totals::default());
        let stored = Event::new("http://a.example/", Purpose::Page, outcome::STORED, 0);
        assert_eq!(totals.count_verdict("a.example", &stored), None);
    }
}
