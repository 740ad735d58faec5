//! What benchmarks beside peers share: the peer's process, and how rounds are summed up.

// Each benchmark uses its part of this.
#![allow(dead_code)]

pub mod rmat;

use std::io::{BufRead, BufReader, Error, Result, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use tempfile::TempDir;
use webmill::graph::Csr;

/// A peer that takes a line and answers with one; it ends with this.
pub struct Peer {
    child: Child,
    to: ChildStdin,
    from: BufReader<ChildStdout>,
    /// What it read its input from.
    pub folder: Option<TempDir>,
}

impl Peer {
    pub fn start(command: &mut Command) -> Result<Peer> {
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
        let to = child.stdin.take().ok_or_else(|| Error::other("no stdin"))?;
        let from = BufReader::new(child.stdout.take().ok_or_else(|| Error::other("no stdout"))?);
        Ok(Peer { child, to, from, folder: None })
    }

    /// Starts one that reads a graph (offsets and targets, raw little-endian) and is told damping and tolerance; also
    /// what it says when it is ready.
    pub fn of_graph(
        command: &mut Command,
        graph: &Csr,
        damping: f64,
        tolerance: f64,
    ) -> Result<(Peer, String)> {
        let folder = tempfile::tempdir()?;
        let (offsets, targets) = (folder.path().join("offsets"), folder.path().join("targets"));
        std::fs::write(&offsets, bytemuck::cast_slice(graph.offsets()))?;
        std::fs::write(&targets, bytemuck::cast_slice(graph.targets()))?;
        command.arg(&offsets).arg(&targets).args([damping.to_string(), tolerance.to_string()]);
        let mut peer = Peer::start(command)?;
        peer.folder = Some(folder);
        let hello = peer.line()?;
        Ok((peer, hello.trim_start_matches("ready ").to_owned()))
    }

    /// Hands a line over.
    pub fn say(&mut self, line: &str) -> Result<()> {
        writeln!(self.to, "{line}")?;
        self.to.flush()
    }

    /// The next line of it.
    pub fn line(&mut self) -> Result<String> {
        let mut line = String::new();
        if self.from.read_line(&mut line)? == 0 {
            return Err(Error::other("the peer ended"));
        }
        Ok(line.trim().to_owned())
    }

    /// Seconds that a task took it, and what else it says of it.
    pub fn run(&mut self, task: &str) -> Result<(f64, String)> {
        self.say(task)?;
        let line = self.line()?;
        let (seconds, rest) = line.split_once(' ').unwrap_or((&line, ""));
        let seconds = seconds.parse().map_err(|_| Error::other(format!("{task}: the peer says {line}")))?;
        Ok((seconds, rest.to_owned()))
    }
}

impl Drop for Peer {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A file below `benches/peers`.
pub fn script(name: &str) -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("benches/peers").join(name)
}

/// Least, median and greatest.
pub fn spread(values: &[f64]) -> [f64; 3] {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    [sorted[0], sorted[sorted.len() / 2], sorted[sorted.len() - 1]]
}

/// The same as text.
pub fn shown(values: &[f64]) -> String {
    let [least, median, greatest] = spread(values);
    format!("{least:.3} / {median:.3} / {greatest:.3}")
}
