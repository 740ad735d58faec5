//! Crash points: places where a test can make the process die, to prove that the run can be resumed.

/// Every step of the commit protocol at which a process may die, in the order they are passed.
pub const CRASH_POINTS: &[&str] = &[
    "staged",
    "unit-started",
    "unit-written",
    "unit-synced",
    "receipt-written",
    "receipt-renamed",
    "rejects-written",
    "manifest-written",
    "receipts-removed",
    "folder-renamed",
    "latest-moved",
];

/// Aborts the process, as a power cut would, if the environment variable `WEBMILL_CRASH_AT` names this point.
pub fn crash_point(name: &str) {
    debug_assert!(CRASH_POINTS.contains(&name), "unlisted crash point {name}");
    if std::env::var_os("WEBMILL_CRASH_AT").is_some_and(|at| at == name) {
        std::process::abort();
    }
}
