//! Progress of jobs on stderr: on a terminal one bar, elsewhere now and then a plain line; each step with its time for whoever asks for steps.

use std::io::{IsTerminal, Write};
use std::sync::Mutex;
use std::time::{Duration, Instant};

use webmill_run::{Measure, Progress};

/// Between two lines about a step, where each is told.
const STEPS_EVERY: Duration = Duration::from_secs(10);
/// Between two lines of a log, and until the first: few steps take as long.
const LOG_EVERY: Duration = Duration::from_secs(60);
/// Between two drawings of the bar.
const DRAWN_EVERY: Duration = Duration::from_millis(100);
/// Characters of the bar.
const BAR: usize = 30;
/// Goes to the begin of a terminal's line, and empties it.
const CLEAR: &str = "\r\x1b[K";

/// How steps are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum View {
    /// A line at the end of each, and details.
    Steps,
    /// A bar on a terminal.
    Bar,
    /// Not at all, below the bar of another job.
    BelowBar,
    /// A line about those that take long.
    Log,
}

/// Progress to stderr.
pub struct Console(View, Mutex<State>);

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
    /// A console; `verbose`: that tells each step with its time, and details.
    pub fn new(verbose: bool) -> Self {
        let on_terminal = || std::io::stderr().is_terminal();
        let view = if verbose {
            View::Steps
        } else if on_terminal() {
            View::Bar
        } else {
            View::Log
        };
        Console(view, Mutex::default())
    }

    fn say(&self, text: &str) {
        let clear = if matches!(self.0, View::Bar | View::BelowBar) { CLEAR } else { "" };
        // In one piece: another job may be speaking.
        let _ = std::io::stderr().write_all(format!("{clear}{text}\n").as_bytes());
    }

    /// Shows where a step is, if it is time to.
    fn show(&self, state: &mut State) {
        let every = match self.0 {
            View::Steps => STEPS_EVERY,
            View::Bar => DRAWN_EVERY,
            View::Log => LOG_EVERY,
            View::BelowBar => return,
        };
        if state.last_line.is_none_or(|t| t.elapsed() < every) {
            return;
        }
        state.last_line = Some(Instant::now());
        match self.0 {
            View::Bar => {
                let _ = std::io::stderr().write_all(format!("{CLEAR}{}", bar(state)).as_bytes());
            }
            _ => self.say(&line(state)),
        }
    }
}

impl Progress for Console {
    fn begin(&self, phase: &str, total: u64, measure: Measure) {
        let Ok(mut state) = self.1.lock() else { return };
        let now = Some(Instant::now());
        let (phase, bytes) = (phase.to_owned(), measure == Measure::Bytes);
        *state = State { phase, started: now, last_line: now, total, bytes, done: 0 };
        if self.0 == View::Bar {
            // A step may be long at its first piece: what is on the screen is never the step before it.
            let _ = std::io::stderr().write_all(format!("{CLEAR}{}", bar(&state)).as_bytes());
        }
    }

    fn advance(&self, amount: u64) {
        let Ok(mut state) = self.1.lock() else { return };
        state.done += amount;
        self.show(&mut state);
    }

    fn end(&self) {
        let Ok(mut state) = self.1.lock() else { return };
        match self.0 {
            View::Steps => self.say(&line(&state)),
            View::Bar => {
                let _ = std::io::stderr().write_all(CLEAR.as_bytes());
            }
            View::BelowBar | View::Log => {}
        }
        *state = State::default();
    }

    fn plan(&self, text: &str) {
        let _ = crate::print(&format!("{text}\n"));
    }

    fn note(&self, text: &str) {
        self.say(text);
    }

    fn detail(&self, text: &str) {
        if self.0 == View::Steps {
            self.say(text);
        }
    }

    fn beside(&self) -> Option<Box<dyn Progress + '_>> {
        let view = if self.0 == View::Bar { View::BelowBar } else { self.0 };
        Some(Box::new(Console(view, Mutex::default())))
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

/// A step as a bar of 30 characters; what it did, where nobody knows of how much.
fn bar(state: &State) -> String {
    if state.total == 0 {
        return format!("{:>16}  {}", state.phase, state.done);
    }
    let done = state.done.min(state.total) as f64 / state.total as f64;
    let full = (done * BAR as f64) as usize;
    let seconds = state.started.map_or(0.0, |t| t.elapsed().as_secs_f64());
    let left = if done > 0.0 { format!(", {:.0} s left", seconds / done - seconds) } else { String::new() };
    let (full, empty) = ("#".repeat(full), ".".repeat(BAR - full));
    format!("{:>16}  [{full}{empty}] {:3.0} %{left}", state.phase, 100.0 * done)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bar_is_as_full_as_the_step_is_done() {
        let drawn = |done, total| bar(&State { phase: "links".into(), done, total, ..State::default() });
        assert_eq!(drawn(0, 4), format!("           links  [{}]   0 %", ".".repeat(30)));
        assert!(drawn(2, 4).contains(&format!("[{}{}]  50 %", "#".repeat(15), ".".repeat(15))));
        assert!(drawn(9, 4).contains(&format!("[{}] 100 %", "#".repeat(30))), "more than was expected");
        assert_eq!(drawn(7, 0), "           links  7");
    }
}
