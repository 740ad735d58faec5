//! Who may see which captures.
//!
//! **Definition.** A rule has a prefix of keys (or one key), an [`Access`], and conditions: a user or access point, a range
//! of capture times, an age, a range of times of the request. Of the rules whose conditions hold, that with the longest
//! prefix decides; one key goes before prefixes; of equal ones the first that names a user, then the first. Where none
//! holds, the default does.
//!
//! | access | queries | replay |
//! |---|---|---|
//! | allow, allow_ignore_embargo | shown | shown |
//! | block | shown, marked | 451 |
//! | exclude | not there | not there |
//!
//! **Forms.** [`AccessRules::parse_aclj`] reads pywb's: `SURT-prefix - {"access": …, "user", "before", "after", "older",
//! "newer"}`, `###` after a key that is meant alone, `*,` for everything, a comma at the end of a domain for the domain and
//! all below. [`AccessRules::parse_json`] reads rules as OutbackCDX has them (`urlPatterns` or `surts`, `captured`,
//! `accessed`, `period`, `policyId` with `policies` and their `accessPoints`), or with an `access` of their own.
//!
//! **Cost.** A look-up for each length of prefix that occurs.
//!
//! **Reference.** pywb, "Embargo and Access Control"; OutbackCDX, "Access Control".

use std::collections::{BTreeSet, HashMap};

use crate::index::Timestamp;
use webmill_capture::calendar::days_in_month;

#[path = "access/parse.rs"]
mod parse;

webmill_capture::words! {
    /// What a rule grants.
    #[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
    pub enum Access {
        /// Everything.
        #[default]
        Allow = "allow",
        /// Everything, whatever embargo there is.
        AllowIgnoreEmbargo = "allow_ignore_embargo",
        /// To know that it is there.
        Block = "block",
        /// Nothing.
        Exclude = "exclude",
    }
}

/// Who asks, and when.
#[derive(Debug, Clone, Default)]
pub struct Client {
    /// A user, as a trusted proxy names them; empty for nobody.
    pub user: String,
    /// The access point asked for; empty for none.
    pub point: String,
    /// The time of the request.
    pub now: Timestamp,
}

/// Years, months and days.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Period {
    years: u64,
    months: u64,
    days: u64,
}

#[derive(Debug, Clone, Default)]
struct Rule {
    access: Access,
    user: Option<String>,
    /// Access points to which it does not apply: those that its policy lets in.
    not_points: Vec<String>,
    captured: (Option<Timestamp>, Option<Timestamp>),
    accessed: (Option<Timestamp>, Option<Timestamp>),
    older: Option<Period>,
    newer: Option<Period>,
    message: Option<String>,
}

/// Rules of a collection.
#[derive(Debug, Clone, Default)]
pub struct AccessRules {
    /// What holds where no rule does.
    pub default: Access,
    keys: HashMap<String, Vec<Rule>>,
    prefixes: HashMap<String, Vec<Rule>>,
    lengths: BTreeSet<usize>,
}

/// What the rules say of a capture.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Verdict<'r> {
    /// What may be seen.
    pub access: Access,
    /// What to say about it.
    pub message: Option<&'r str>,
}

impl AccessRules {
    /// Whether everybody may see everything.
    pub fn is_open(&self) -> bool {
        self.keys.is_empty() && self.prefixes.is_empty() && self.default == Access::Allow
    }

    /// What `who` may see of a capture.
    pub fn of(&self, urlkey: &str, captured: Timestamp, who: &Client) -> Verdict<'_> {
        let lengths = self.lengths.iter().rev();
        let prefixes = lengths.filter_map(|length| self.prefixes.get(urlkey.get(..*length)?));
        let mut candidates = self.keys.get(urlkey).into_iter().chain(prefixes);
        let found = candidates.find_map(|rules| {
            let named = rules.iter().filter(|rule| rule.user.is_some());
            let unnamed = rules.iter().filter(|rule| rule.user.is_none());
            named.chain(unnamed).find(|rule| rule.holds(captured, who))
        });
        match found {
            Some(rule) => Verdict { access: rule.access, message: rule.message.as_deref() },
            None => Verdict { access: self.default, message: None },
        }
    }

    fn insert(&mut self, key: &str, exact: bool, rule: Rule) {
        if exact {
            self.keys.entry(key.to_owned()).or_default().push(rule);
            return;
        }
        // A domain and all below: its own key has a parenthesis where theirs have a comma.
        if let Some(domain) = key.strip_suffix(',').filter(|domain| !domain.is_empty()) {
            self.insert(&format!("{domain})"), false, rule.clone());
        }
        self.lengths.insert(key.len());
        self.prefixes.entry(key.to_owned()).or_default().push(rule);
    }
}

impl Rule {
    fn holds(&self, captured: Timestamp, who: &Client) -> bool {
        let within = |(from, to): (Option<Timestamp>, Option<Timestamp>), time| {
            from.is_none_or(|from| from <= time) && to.is_none_or(|to| time <= to)
        };
        self.user.as_ref().is_none_or(|user| *user == who.user)
            && !self.not_points.contains(&who.point)
            && within(self.captured, captured)
            && within(self.accessed, who.now)
            && self.older.is_none_or(|period| captured < period.before(who.now))
            && self.newer.is_none_or(|period| captured >= period.before(who.now))
    }
}

impl Period {
    /// The time so long before another.
    fn before(self, now: Timestamp) -> Timestamp {
        let (date, clock) = (now.0 / 1_000_000, now.0 % 1_000_000);
        let months = (date / 10_000 * 12 + (date / 100 % 100).max(1) - 1)
            .saturating_sub(self.years.saturating_mul(12))
            .saturating_sub(self.months);
        let (year, month) = ((months / 12) as i64, (months % 12) as u32 + 1);
        let day = (date % 100).min(u64::from(days_in_month(year, month).unwrap_or(28))).max(1);
        let midnight = webmill_capture::calendar::days_of_civil(year, month, day as u32).unwrap_or_default();
        let days = midnight.saturating_sub(i64::try_from(self.days).unwrap_or(i64::MAX)).max(-719_528);
        let (year, month, day) = webmill_capture::calendar::civil_of_days(days);
        Timestamp((year.max(0) as u64 * 10_000 + u64::from(month) * 100 + u64::from(day)) * 1_000_000 + clock)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn periods_go_back_by_the_calendar() {
        let period = |years, months, days| Period { years, months, days };
        for (now, period, want) in [
            (20200331120000, period(0, 1, 0), 20200229120000),
            (20200115000000, period(1, 1, 0), 20181215000000),
            (20200101000000, period(0, 0, 1), 20191231000000),
            (20200101000000, period(u64::MAX, 0, u64::MAX), 101000000),
        ] {
            assert_eq!(period.before(Timestamp(now)), Timestamp(want), "{now}");
        }
    }
}
