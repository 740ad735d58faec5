//! An index as somebody may see it.

use std::ops::ControlFlow;

use crate::index::{CaptureSource, Entry, KeyRange, Scan};
use webmill_capture::Result;

use crate::access::{Access, AccessRules, Client};

/// Leaves out captures that are excluded, and marks the others with their access.
pub struct Guarded<'a> {
    source: &'a dyn CaptureSource,
    rules: &'a AccessRules,
    who: &'a Client,
}

impl<'a> Guarded<'a> {
    pub fn new(source: &'a dyn CaptureSource, rules: &'a AccessRules, who: &'a Client) -> Guarded<'a> {
        Guarded { source, rules, who }
    }

    fn watch<'v>(&'v self, visit: Scan<'v>) -> impl FnMut(&Entry<'_>) -> ControlFlow<()> + 'v {
        move |entry| {
            let access = self.rules.of(&entry.urlkey, entry.timestamp, self.who).access;
            if access == Access::Exclude {
                return ControlFlow::Continue(());
            }
            let mut entry = entry.clone();
            entry.extra.push(("access".into(), format!("\"{}\"", access.name()).into()));
            visit(&entry)
        }
    }
}

impl CaptureSource for Guarded<'_> {
    fn scan(&self, range: &KeyRange, visit: Scan<'_>) -> Result<()> {
        if self.rules.is_open() {
            return self.source.scan(range, visit);
        }
        self.source.scan(range, &mut self.watch(visit))
    }

    fn scan_back(&self, range: &KeyRange, visit: Scan<'_>) -> Result<()> {
        if self.rules.is_open() {
            return self.source.scan_back(range, visit);
        }
        self.source.scan_back(range, &mut self.watch(visit))
    }
}
