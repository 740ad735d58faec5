//! Progress as plain lines.

use std::sync::Mutex;
use std::time::{Duration, Instant};

use webmill_run::{Measure, Progress};

/// How often a line is written.
const LINE_EVERY: Duration = Duration::from_secs(10);

/// Progress to stderr.
#[derive(Default)]
pub struct Console(Mutex<State>);

#[derive(Default)]
struct State {
    phase: String,
    started: Option<Instant>,
    last_line: Option<Instant>,
    done: u64,
    total: u64,
    bytes: bool,
}

impl Console {
    /// A console.
    pub fn new() -> Self {
        Console::default()
    }
}

impl Progress for Console {
    fn begin(&self, phase: &str, total: u64, measure: Measure) {
        let Ok(mut state) = self.0.lock() else { return };
        let now = Some(Instant::now());
        let (phase, bytes) = (phase.to_owned(), measure == Measure::Bytes);
        *state = State { phase, started: now, last_line: now, total, bytes, done: 0 };
    }

    fn advance(&self, amount: u64) {
        let Ok(mut state) = self.0.lock() else { return };
        state.done += amount;
        if state.last_line.is_some_and(|t| t.elapsed() >= LINE_EVERY) {
            state.last_line = Some(Instant::now());
            crate::say!("{}", line(&state));
        }
    }

    fn end(&self) {
        let Ok(mut state) = self.0.lock() else { return };
        crate::say!("{}", line(&state));
        *state = State::default();
    }

    fn plan(&self, text: &str) {
        let _ = crate::print(&format!("{text}\n"));
    }

    fn note(&self, text: &str) {
        crate::say!("{text}");
    }

    fn beside(&self) -> Option<Box<dyn Progress + '_>> {
        Some(Box::new(Console::new()))
    }
}

/// Bytes in words.
pub fn megabytes(bytes: u64) -> String {
    if bytes < 1_000_000 {
        format!("{:.1} kB", bytes as f64 / 1e3)
    } else {
        format!("{:.1} MB", bytes as f64 / 1e6)
    }
}

fn line(state: &State) -> String {
    let seconds = state.started.map_or(0.0, |t| t.elapsed().as_secs_f64());
    let rate = if seconds > 0.0 { state.done as f64 / seconds } else { 0.0 };
    let show = |n: f64| if state.bytes { megabytes(n as u64) } else { format!("{n:.0}") };
    let mut text = format!("{:>10}  {}", state.phase, show(state.done as f64));
    if state.total > state.done && rate > 0.0 {
        let left = (state.total - state.done) as f64 / rate;
        text += &format!(" of {}, {}/s, {left:.0} s left", show(state.total as f64), show(rate));
    } else {
        text += &format!(" in {seconds:.1} s ({}/s)", show(rate));
    }
    text
}
