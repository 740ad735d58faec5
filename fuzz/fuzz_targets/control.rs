//! Any bytes as a command for a running crawl, a rule of scope, the history of a page.
#![no_main]

use webmill::crawl::control::Command;
use webmill::crawl::scope::{RuleAction, ScopeRule};
use webmill::crawl::revisit::PageHistory;

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    if let Ok(command) = Command::parse(data) {
        assert!(command.check().is_ok());
    }
    if let Ok(history) = PageHistory::decode(data) {
        assert_eq!(PageHistory::decode(&history.encode()).as_ref(), Ok(&history));
    }
    if let Ok(text) = std::str::from_utf8(data) {
        let _ = ScopeRule::parse(RuleAction::Reject, text);
    }
});
