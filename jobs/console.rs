//! Progress on a terminal as bars with rate and remaining time, elsewhere as plain lines.

use std::io::IsTerminal;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use indicatif::{MultiProgress, ProgressBar, ProgressStyle};
use webmill_run::{Measure, Progress};

/// How often a plain line is written.
const LINE_EVERY: Duration = Duration::from_secs(10);

/// Progress to stderr.
pub struct Console {
    /// Those of jobs that run side by side.
    bars: MultiProgress,
    state: Mutex<State>,
    terminal: bool,
}

#[derive(Default)]
struct State {
    bar: Option<ProgressBar>,
    phase: String,
    started: Option<Instant>,
    last_line: Option<Instant>,
    done: u64,
    total: u64,
    bytes: bool,
}

impl Default for Console {
    fn default() -> Self {
        Console::new()
    }
}

impl Console {
    /// A console that looks whether stderr is a terminal.
    pub fn new() -> Self {
        Console {
            bars: MultiProgress::new(),
            state: Mutex::default(),
            terminal: std::io::stderr().is_terminal(),
        }
    }

    /// Says a line, above the bars where there are any.
    fn say(&self, text: &str) {
        self.bars.suspend(|| crate::say!("{text}"));
    }
}

impl Progress for Console {
    fn begin(&self, phase: &str, total: u64, measure: Measure) {
        let Ok(mut state) = self.state.lock() else { return };
        let bytes = measure == Measure::Bytes;
        *state = State {
            phase: phase.to_owned(),
            started: Some(Instant::now()),
            last_line: Some(Instant::now()),
            total,
            bytes,
            ..State::default()
        };
        if self.terminal {
            let bar = if total > 0 { ProgressBar::new(total) } else { ProgressBar::new_spinner() };
            let template = match (total > 0, bytes) {
                (true, true) => "{prefix:>10} {wide_bar} {bytes}/{total_bytes} {bytes_per_sec} ETA {eta}",
                (true, false) => "{prefix:>10} {wide_bar} {human_pos}/{human_len} {per_sec} ETA {eta}",
                (false, true) => "{prefix:>10} {spinner} {bytes} {bytes_per_sec}",
                (false, false) => "{prefix:>10} {spinner} {human_pos} {per_sec}",
            };
            if let Ok(style) = ProgressStyle::with_template(template) {
                bar.set_style(style);
            }
            bar.set_prefix(phase.to_owned());
            let bar = self.bars.add(bar);
            bar.enable_steady_tick(Duration::from_millis(200));
            state.bar = Some(bar);
        }
    }

    fn advance(&self, amount: u64) {
        let Ok(mut state) = self.state.lock() else { return };
        state.done += amount;
        if let Some(bar) = &state.bar {
            bar.inc(amount);
        } else if state.last_line.is_some_and(|t| t.elapsed() >= LINE_EVERY) {
            state.last_line = Some(Instant::now());
            self.say(&line(&state));
        }
    }

    fn end(&self) {
        let Ok(mut state) = self.state.lock() else { return };
        if let Some(bar) = state.bar.take() {
            bar.finish_and_clear();
        }
        self.say(&line(&state));
        *state = State::default();
    }

    fn plan(&self, text: &str) {
        let _ = crate::print(&format!("{text}\n"));
    }

    fn note(&self, text: &str) {
        self.say(text);
    }

    fn beside(&self) -> Option<Box<dyn Progress + '_>> {
        Some(Box::new(Console { bars: self.bars.clone(), state: Mutex::default(), terminal: self.terminal }))
    }
}

fn line(state: &State) -> String {
    let seconds = state.started.map_or(0.0, |t| t.elapsed().as_secs_f64());
    let rate = if seconds > 0.0 { state.done as f64 / seconds } else { 0.0 };
    let show = |n: f64| if state.bytes { format!("{:.1} MB", n / 1e6) } else { format!("{n:.0}") };
    let mut text = format!("{:>10}  {}", state.phase, show(state.done as f64));
    if state.total > state.done && rate > 0.0 {
        let left = (state.total - state.done) as f64 / rate;
        text += &format!(" of {}, {}/s, {left:.0} s left", show(state.total as f64), show(rate));
    } else {
        text += &format!(" in {seconds:.1} s ({}/s)", show(rate));
    }
    text
}
