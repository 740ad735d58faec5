//! What an agent writes into the shared folder: lines for others, and the log for its heirs.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::PathBuf;

use crate::exchange::folder::{Member, Shared, View, write_as_whole};
use crate::exchange::lines;
use crate::frontier::Entered;
use webmill_capture::error::{AtPath, Error, Result};

/// Bytes of a file of the log.
const LOG_BYTES: u64 = 64 << 20;

/// What waits to be written.
#[derive(Default)]
pub(super) struct Outgoing {
    /// Tells processes apart in the names of files.
    process: u64,
    /// Files sent.
    files: u64,
    lines: BTreeMap<String, Vec<u8>>,
    log: Option<Log>,
    logs: u64,
}

/// A file of the log.
struct Log {
    file: std::fs::File,
    path: PathBuf,
    written: u64,
}

impl Outgoing {
    pub fn new(process: u64) -> Outgoing {
        Outgoing { process, ..Outgoing::default() }
    }

    /// Lines that wait to be sent to an agent.
    pub fn lines_for(&mut self, agent: &str) -> &mut Vec<u8> {
        self.lines.entry(agent.to_owned()).or_default()
    }

    /// Bytes that wait to be sent.
    pub fn bytes(&self) -> usize {
        self.lines.values().map(Vec::len).sum()
    }

    /// Whether there are no lines for anybody.
    pub fn is_empty(&self) -> bool {
        self.lines.is_empty()
    }

    /// Another life begins, with a log of its own.
    pub fn begin_life(&mut self) {
        self.log = None;
        self.lines.clear();
    }

    /// Sends what waits to the agents of a view, in files named after `sender`.
    pub fn send(&mut self, shared: &Shared, view: Option<&View>, sender: &str) -> Result<()> {
        for (agent, bytes) in std::mem::take(&mut self.lines) {
            if bytes.is_empty() {
                continue;
            }
            let member = view.and_then(|view| view.members.iter().find(|m| m.name == agent));
            let member = member
                .ok_or_else(|| Error::Internal(format!("URLs for agent {agent}, who does not belong")))?;
            self.files += 1;
            let name = format!("{sender}-{:016x}-{:010}.jsonl", self.process, self.files);
            write_as_whole(&shared.inbox(member).join(name), &bytes)?;
        }
        Ok(())
    }

    /// Writes what was entered into the log of `me`.
    pub fn write_log(&mut self, shared: &Shared, me: &Member, ledger: &[Entered]) -> Result<()> {
        if ledger.is_empty() {
            return Ok(());
        }
        let mut bytes = Vec::with_capacity(128 * ledger.len());
        for entered in ledger {
            lines::push_entered(&mut bytes, entered)?;
        }
        let log = match self.log.take().filter(|log| log.written <= LOG_BYTES) {
            Some(log) => log,
            None => self.begin_log(shared, me)?,
        };
        let log = self.log.insert(log);
        log.file.write_all(&bytes).at(&log.path)?;
        log.written += bytes.len() as u64;
        Ok(())
    }

    fn begin_log(&mut self, shared: &Shared, me: &Member) -> Result<Log> {
        let folder = shared.log(me);
        std::fs::create_dir_all(&folder).at(&folder)?;
        self.logs += 1;
        let path = folder.join(format!("{:016x}-{:06}.jsonl", self.process, self.logs));
        let file = std::fs::File::create(&path).at(&path)?;
        Ok(Log { file, path, written: 0 })
    }
}
