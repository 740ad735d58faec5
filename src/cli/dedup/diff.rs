//! `webmill dedup diff`: two texts beside each other.
//!
//! **Definition.** Texts are compared by their [`Units`]: words without case and width, letters in scripts without spaces; blanks
//! and marks between them do not count. *Shared* is what both have in the same order, *own* what stands between.
//!
//! **Algorithm.** Myers' with a bounded search (crate `similar`): differences of texts that have little in common may be larger
//! than they need be. Shared runs of one or two words between larger changes count as changed: unrelated texts share many a *the*.
//!
//! **Determinism.** A function of both texts and the flags.

use std::fs::File;
use std::io::{self, IsTerminal, Read};
use std::ops::Range;
use std::path::Path;
use std::process::ExitCode;
use webmill_capture::cut::Cut;

use anyhow::{Context, Result, bail};
use comfy_table::{ContentArrangement, Table, presets};
use similar::{Algorithm, DiffOp, capture_diff_slices};
use webmill_dedup::{Overlap, SHINGLE_WORDS, Shingles, Units};

use super::pages::texts_of;
use crate::args::Results;

/// Columns of the output where it goes to no terminal.
const COLUMNS: u16 = 120;

/// Bytes of a text that are compared.
const MAX_TEXT: usize = 16 << 20;

/// Shared runs of fewer words between larger changes count as changed.
const MIN_SHARED: usize = 3;

/// Show two texts side by side: what both have, and what each has of its own.
///
/// Texts are the main texts of pages in results, or files. They are compared word by word, letter by letter in
/// scripts without spaces; case, width of letters, marks and blanks do not count. Words that only the first text
/// has are in [-…-], words that only the second has in {+…+}. Exit code: 0 for the same words in the same order, 1
/// for others, 2 for trouble.
#[derive(Debug, clap::Args)]
#[command(
    override_usage = "webmill dedup diff [OPTIONS] [RESULTS] <A> <B>",
    after_help = "Examples:\n  webmill dedup diff out/demo/results http://www.lakeside.example/ http://mirror.lakeside.example/\n  webmill dedup diff before.txt after.txt --context 10 | less"
)]
pub struct DiffArgs {
    #[command(flatten)]
    results: Results,
    /// First text: URL of a page of the results, a text file, or - for standard input.
    a: Option<String>,
    /// Second text, likewise.
    b: Option<String>,
    /// Write the summary alone: words, shared passages, resemblance, containment.
    #[arg(long)]
    brief: bool,
    /// Show at most this many shared words beside each difference.
    #[arg(long, value_name = "WORDS", default_value_t = 40)]
    context: usize,
}

/// A part of both texts, by numbers of words: shared, or what each has of its own there.
struct Segment {
    shared: bool,
    a: Range<usize>,
    b: Range<usize>,
}

/// A text and its words.
struct Words<'t> {
    text: &'t str,
    units: Units,
    cut: bool,
}

impl<'t> Words<'t> {
    fn of(text: &'t str, name: &str) -> Self {
        let cut = text.len() > MAX_TEXT;
        if cut {
            webmill_jobs::say!("{name}: only the first {MAX_TEXT} bytes are compared");
        }
        let text = text.cut(..text.floor_char_boundary(MAX_TEXT));
        Words { text, units: Units::of(text), cut }
    }

    /// The bytes of these words with what follows them up to the next word, as they may be shown: without what moves the
    /// cursor or turns the direction of writing.
    fn show(&self, words: Range<usize>) -> String {
        let at = |word: usize| match word {
            0 => 0,
            _ if word >= self.units.len() => self.text.len(),
            _ => self.units.bytes(word..word + 1).start,
        };
        let visible = |c: char| match c {
            '\n' | '\t' => c,
            '\u{61C}' | '\u{200E}' | '\u{200F}' | '\u{2028}'..='\u{202E}' | '\u{2066}'..='\u{2069}' => {
                '\u{FFFD}'
            }
            c if c.is_control() => '\u{FFFD}',
            c => c,
        };
        self.text.cut(at(words.start)..at(words.end)).chars().map(visible).collect()
    }
}

/// Runs the command.
///
/// # Errors
/// What it meets.
pub fn run(args: &DiffArgs) -> Result<ExitCode> {
    let (results, names) = args.results.perhaps_before([&args.a, &args.b], ["A", "B"])?;
    let [first, second] = texts(results.as_deref(), &names)?;
    let (a, b) = (Words::of(&first, &names[0]), Words::of(&second, &names[1]));
    let segments = compare(a.units.hashes(), b.units.hashes());
    let mut shown = summary(&a, &b, &segments);
    if !args.brief {
        shown += &beside([(&a, &names[0]), (&b, &names[1])], &segments, args.context);
    }
    webmill_jobs::print(&shown)?;
    let same = !(a.cut || b.cut) && segments.iter().all(|segment| segment.shared);
    Ok(ExitCode::from(u8::from(!same && first != second)))
}

/// Shared and own parts in turn.
fn compare(a: &[u64], b: &[u64]) -> Vec<Segment> {
    let ops = capture_diff_slices(Algorithm::Myers, a, b);
    let size = |op: Option<&DiffOp>| op.map_or(0, |op| op.old_range().len().max(op.new_range().len()));
    let mut segments: Vec<Segment> = Vec::new();
    for (at, op) in ops.iter().enumerate() {
        let (a, b) = (op.old_range(), op.new_range());
        let changed = size(ops.get(at + 1)).min(at.checked_sub(1).map_or(0, |before| size(ops.get(before))));
        let by_chance = a.len() < MIN_SHARED && a.len() < changed;
        let shared = matches!(op, DiffOp::Equal { .. }) && !by_chance;
        match segments.last_mut() {
            Some(last) if last.shared == shared => (last.a.end, last.b.end) = (a.end, b.end),
            _ => segments.push(Segment { shared, a, b }),
        }
    }
    segments
}

/// What the comparison counts, in a line.
fn summary(a: &Words<'_>, b: &Words<'_>, segments: &[Segment]) -> String {
    let shared: Vec<usize> = segments.iter().filter(|s| s.shared).map(|s| s.a.len()).collect();
    let overlap = Overlap::of(&Shingles::of(a.text, SHINGLE_WORDS), &Shingles::of(b.text, SHINGLE_WORDS));
    format!(
        "{} and {} words, {} shared in order in {} passages; resemblance {:.3}, first in second {:.3}, second in first {:.3}\n",
        a.units.len(),
        b.units.len(),
        shared.iter().sum::<usize>(),
        shared.len(),
        overlap.resemblance(),
        overlap.a_in_b(),
        overlap.b_in_a(),
    )
}

/// Both texts in two columns. A row ends in shared words, where both are in step.
fn beside(
    [(a, name_a), (b, name_b)]: [(&Words<'_>, &String); 2],
    segments: &[Segment],
    context: usize,
) -> String {
    let mut table = Table::new();
    table.load_style(presets::UTF8_NO_BORDERS).set_content_arrangement(ContentArrangement::Dynamic);
    if !io::stdout().is_terminal() {
        table.set_width(COLUMNS);
    }
    table.set_header([name_a, name_b]);
    let mut row = [String::new(), String::new()];
    let mut folded = 0;
    for (at, segment) in segments.iter().enumerate() {
        if !segment.shared {
            for (cell, side, words, marks) in
                [(0, a, &segment.a, ["[-", "-]"]), (1, b, &segment.b, ["{+", "+}"])]
            {
                let text = side.show(words.clone());
                let own = text.trim_end();
                if !own.is_empty() {
                    row[cell] += &format!("{}{own}{}{}", marks[0], marks[1], text.cut(own.len()..));
                }
            }
            continue;
        }
        let len = segment.a.len();
        let before = if at == 0 { 0 } else { context.min(len) };
        let after = if at + 1 == segments.len() { 0 } else { context.min(len) };
        let put = |row: &mut [String; 2], words: Range<usize>| {
            row[0] += &a.show(segment.a.start + words.start..segment.a.start + words.end);
            row[1] += &b.show(segment.b.start + words.start..segment.b.start + words.end);
        };
        if before + after >= len {
            put(&mut row, 0..len);
            continue;
        }
        put(&mut row, 0..before);
        table.add_row(std::mem::take(&mut row));
        let hidden = format!("… {} shared words …", len - before - after);
        table.add_row([hidden.clone(), hidden]);
        folded += len - before - after;
        put(&mut row, len - after..len);
    }
    table.add_row(row);
    if folded > 0 {
        webmill_jobs::say!("{folded} shared words are not shown; --context shows more");
    }
    format!("\n{}\n", table.trim_fmt())
}

/// Both texts: those of pages by one look into the results.
fn texts(results: Option<&Path>, named: &[String; 2]) -> Result<[String; 2]> {
    if named.iter().all(|name| name == "-") {
        bail!("standard input can be one of the texts, not both");
    }
    let urls: Vec<&str> = named.iter().map(|name| name.as_str()).filter(|name| is_url(name)).collect();
    let mut pages = match (results, urls.first()) {
        (_, None) => Vec::new(),
        (Some(results), _) => texts_of(results, &urls)?,
        (None, Some(url)) => {
            bail!("{url}: name the results that hold this page: webmill dedup diff RESULTS A B")
        }
    }
    .into_iter();
    let mut text = |name: &str| match is_url(name) {
        true => pages.next().context("a text for each URL"),
        false => read_file(name),
    };
    Ok([text(&named[0])?, text(&named[1])?])
}

/// Whether an argument is the address of a page.
pub(super) fn is_url(name: &str) -> bool {
    name.starts_with("http://") || name.starts_with("https://")
}

/// Most bytes of a text file.
const MAX_FILE: u64 = 256 << 20;

/// The text of a file, or of standard input for `-`.
pub(super) fn read_file(name: &str) -> Result<String> {
    let mut bytes = Vec::new();
    match name {
        "-" => io::stdin().lock().take(MAX_FILE + 1).read_to_end(&mut bytes),
        _ => File::open(name).and_then(|file| file.take(MAX_FILE + 1).read_to_end(&mut bytes)),
    }
    .with_context(|| format!("{name} (a page's URL begins with http:// or https://)"))?;
    if bytes.len() as u64 > MAX_FILE {
        bail!("{name}: texts of more than {MAX_FILE} bytes are not compared");
    }
    Ok(String::from_utf8(bytes).unwrap_or_else(|error| {
        let text = String::from_utf8_lossy(error.as_bytes()).into_owned();
        let from = error.utf8_error().valid_up_to();
        webmill_jobs::say!("{name}: no UTF-8 from byte {from} on; what is none shows as \u{FFFD}");
        text
    }))
}
