//! The shared folder of agents that crawl together: each leaves there what belongs to the others.
//!
//! **Definition.** Several crawlers (*agents*) work on one crawl, each with a crawl folder of its own. All have the same list of
//! names; consistent hashing of it ([`crate::agents::Ring`]) says whose a host is. URLs of others' hosts are left in their inboxes:
//!
//! | in the shared folder | what |
//! |---|---|
//! | `NAME/inbox/*.jsonl` | lines for an agent ([`LineOf`]), removed once they are in its frontier |
//! | `NAME/state.json` | the list that it goes by, whether it runs, and whether anything waits there |
//!
//! **Never two on a host.** No agent begins while another one runs that goes by another list, or that has its name and another
//! folder. The list is changed while none runs: an agent that finds hosts in its frontier that are others' now hands them over
//! with the URLs that wait and those that are done before it asks for anything. One whose name is not in the list has no hosts: it hands all over.
//!
//! **Nothing is lost or done twice.** URLs for others are in their inboxes before the frontier of the sender is committed, and an
//! inbox is emptied after the frontier of its owner is. Both may be repeated without harm.
//!
//! **The end.** No agent of the list has anything left, looked at twice with no activity in between; those that have ended
//! (at a limit, stopped by their operator) are not waited for, those that died are.
//!
//! **Cost.** A file a commit for each agent that gets URLs. **Bounds.** A line is at most 64 KiB; foreign lines that are none are
//! passed over and counted.
//!
//! **Reference.** Boldi et al. (UbiCrawler), doi:10.1002/spe.587.

mod lines;

use std::collections::BTreeMap;
use std::io::{ErrorKind, Read, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};

use serde::{Deserialize, Serialize};

use crate::agents::Ring;
use webmill_capture::error::{AtPath, Error, Result};

pub use lines::{LineOf, read_lines};
pub(crate) use lines::{push_done, push_entry, push_url};

/// Longest state of an agent that is read, bytes.
const MAX_STATE_BYTES: u64 = 4 << 20;
/// Between two looks into the inbox.
const LOOK: Duration = Duration::from_millis(250);

/// What an agent says of itself.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
struct AgentState {
    /// The agents that it goes by, ascending.
    agents: Vec<String>,
    /// Seed of the hashes of URLs: the same for all, for they exchange keys.
    seed: u64,
    /// Hash of its crawl folder: a name belongs to one.
    home: u64,
    /// Whether it runs, or died while it ran.
    running: bool,
    /// Nothing waits.
    idle: bool,
    /// Counts the times that it began to work.
    activity: u64,
}

/// An agent's part in the exchange.
pub struct Exchange {
    folder: PathBuf,
    name: String,
    ring: Ring,
    state: AgentState,
    /// Tells processes apart in the names of files.
    process: u64,
    /// Files sent.
    files: u64,
    outgoing: BTreeMap<String, Vec<u8>>,
    looked: Option<Instant>,
}

impl Exchange {
    /// Takes part in the exchange in `folder` as the agent `name` of a crawl in the folder `crawl`; `seed` is that of the hashes of URLs.
    ///
    /// # Errors
    /// [`Error::Config`] where the name is taken, or another agent runs that goes by another list; [`Error::Io`].
    pub fn open(folder: &Path, crawl: &Path, ring: Ring, name: String, seed: u64) -> Result<Exchange> {
        std::fs::create_dir_all(folder).at(folder)?;
        let whole = std::fs::canonicalize(crawl).unwrap_or_else(|_| crawl.to_path_buf());
        let home = xxhash_rust::xxh3::xxh3_64(whole.as_os_str().as_encoded_bytes());
        let process = u64::from(std::process::id()) << 32
            ^ SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).map_or(0, |t| t.as_nanos() as u64);
        let mut exchange = Exchange {
            folder: folder.to_path_buf(),
            state: AgentState { agents: ring.agents().to_vec(), seed, home, ..AgentState::default() },
            ring,
            name,
            process,
            files: 0,
            outgoing: BTreeMap::new(),
            looked: None,
        };
        let before =
            exchange.state_of(&exchange.name)?.unwrap_or(AgentState { home, ..AgentState::default() });
        let refuse = |name: &str, why: &str| {
            Err(Error::Config(format!(
                "agent {name} {why}; if that is over, remove {}",
                exchange.state_path(name).display()
            )))
        };
        if before.home != home {
            return refuse(&exchange.name, "is at home in another crawl folder: give this one another name");
        }
        for other in exchange.others() {
            let state = exchange.state_of(other)?.filter(|state| state.running);
            if state.is_some_and(|of| (of.agents, of.seed) != (exchange.state.agents.clone(), seed)) {
                return refuse(other, "runs with another list of agents, or another seed: stop it first");
            }
        }
        exchange.state.running = true;
        exchange.state.activity = before.activity + 1;
        exchange.write_state()?;
        Ok(exchange)
    }

    /// Names of all agents, ascending.
    pub fn agents(&self) -> &[String] {
        self.ring.agents()
    }

    fn others(&self) -> impl Iterator<Item = &str> {
        self.ring.agents().iter().map(String::as_str).filter(|name| *name != self.name)
    }

    /// The agent that a host belongs to, if that is another one.
    pub fn other_owner(&self, host: &str) -> Option<&str> {
        let owner = self.ring.agent_of(host);
        (owner != self.name).then_some(owner)
    }

    /// Whether it is time to look into the inbox.
    pub fn is_due(&mut self) -> bool {
        let due = self.looked.is_none_or(|at| at.elapsed() >= LOOK);
        if due {
            self.looked = Some(Instant::now());
        }
        due
    }

    fn state_path(&self, name: &str) -> PathBuf {
        self.folder.join(name).join("state.json")
    }

    fn inbox_path(&self, name: &str) -> PathBuf {
        self.folder.join(name).join("inbox")
    }

    /// The state of an agent; `None` if its file is missing or incomplete.
    fn state_of(&self, name: &str) -> Result<Option<AgentState>> {
        let path = self.state_path(name);
        let file = match std::fs::File::open(&path) {
            Ok(file) => file,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(Error::io(path, error)),
        };
        let mut bytes = Vec::new();
        file.take(MAX_STATE_BYTES).read_to_end(&mut bytes).at(&path)?;
        Ok(serde_json::from_slice(&bytes).ok())
    }

    fn write_state(&self) -> Result<()> {
        let bytes = serde_json::to_vec(&self.state)
            .map_err(|e| Error::Internal(format!("the state of an agent: {e}")))?;
        write_as_whole(&self.state_path(&self.name), &bytes)
    }

    /// Says that it has something to do, before it does it.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub fn wake(&mut self) -> Result<()> {
        if self.state.idle {
            self.state.idle = false;
            self.state.activity += 1;
            self.write_state()?;
        }
        Ok(())
    }

    /// Says that it does not run any more.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub fn leave(&mut self) -> Result<()> {
        self.state.running = false;
        self.write_state()
    }

    /// Files that others have left for it, in order.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub fn inbox(&self) -> Result<Vec<PathBuf>> {
        files_in(&self.inbox_path(&self.name))
    }

    /// Lines that wait to be sent to an agent.
    pub fn outgoing(&mut self, agent: &str) -> &mut Vec<u8> {
        self.outgoing.entry(agent.to_owned()).or_default()
    }

    /// Bytes that wait to be sent.
    pub fn outgoing_bytes(&self) -> usize {
        self.outgoing.values().map(Vec::len).sum()
    }

    /// Sends what waits: before the frontier is committed.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub fn send(&mut self) -> Result<()> {
        for (agent, bytes) in std::mem::take(&mut self.outgoing) {
            if bytes.is_empty() {
                continue;
            }
            self.files += 1;
            let name = format!("{}-{:016x}-{:010}.jsonl", self.name, self.process, self.files);
            write_as_whole(&self.inbox_path(&agent).join(name), &bytes)?;
        }
        Ok(())
    }

    /// Nothing waits here: whether that is so everywhere, and the crawl at its end.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub fn is_over(&mut self) -> Result<bool> {
        if self.outgoing_bytes() > 0 || !self.inbox()?.is_empty() {
            return Ok(false);
        }
        if !self.state.idle {
            self.state.idle = true;
            self.write_state()?;
        }
        // One that is not in the list has no hosts, and nothing comes for it.
        if !self.ring.agents().contains(&self.name) {
            return Ok(true);
        }
        let Some(before) = self.all_idle()? else { return Ok(false) };
        Ok(self.all_idle()? == Some(before))
    }

    /// Counts of activity of the others, where nothing waits with any that has not ended.
    fn all_idle(&self) -> Result<Option<Vec<u64>>> {
        let mut activity = Vec::new();
        for name in self.others() {
            let Some(state) = self.state_of(name)? else { return Ok(None) };
            if state.running && !(state.idle && files_in(&self.inbox_path(name))?.is_empty()) {
                return Ok(None);
            }
            activity.push(state.activity);
        }
        Ok(self.inbox()?.is_empty().then_some(activity))
    }

    /// Agents that have ended though something waits in their inboxes.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub fn left_behind(&self) -> Result<Vec<String>> {
        let mut names = Vec::new();
        for name in self.others() {
            let ended = self.state_of(name)?.is_none_or(|state| !state.running);
            if ended && !files_in(&self.inbox_path(name))?.is_empty() {
                names.push(name.to_owned());
            }
        }
        Ok(names)
    }
}

/// Finished files of a folder, in order.
fn files_in(folder: &Path) -> Result<Vec<PathBuf>> {
    let entries = match std::fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(Error::io(folder, error)),
    };
    let mut files = Vec::new();
    for entry in entries {
        let entry = entry.at(folder)?;
        if !entry.file_name().as_encoded_bytes().starts_with(b".") {
            files.push(entry.path());
        }
    }
    files.sort_unstable();
    Ok(files)
}

/// Written beside and renamed: half of a file is never seen.
fn write_as_whole(path: &Path, bytes: &[u8]) -> Result<()> {
    let folder = path.parent().unwrap_or(Path::new("."));
    std::fs::create_dir_all(folder).at(folder)?;
    let mut file = tempfile::Builder::new().prefix(".").tempfile_in(folder).at(folder)?;
    file.write_all(bytes).at(path)?;
    file.persist(path).map_err(|e| Error::io(path, e.error))?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn open(folder: &Path, crawl: &str, names: &[&str], name: &str) -> Result<Exchange> {
        let ring = Ring::of(&names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>()).unwrap();
        Exchange::open(&folder.join("exchange"), Path::new(crawl), ring, name.to_owned(), 7)
    }

    #[test]
    fn lines_arrive_and_the_end_comes_when_nothing_waits_anywhere() {
        let folder = tempfile::tempdir().unwrap();
        let mut a = open(folder.path(), "/a", &["a", "b"], "a").unwrap();
        assert!(!a.is_over().unwrap(), "b was never there");
        let mut b = open(folder.path(), "/b", &["b", "a"], "b").unwrap();
        b.outgoing("a").extend_from_slice(b"x\n");
        assert!(!b.is_over().unwrap(), "something is to be sent");
        b.send().unwrap();
        assert!(!b.is_over().unwrap(), "something waits at a");
        assert!(!a.is_over().unwrap());
        let files = a.inbox().unwrap();
        assert_eq!(files.len(), 1);
        a.wake().unwrap();
        std::fs::remove_file(&files[0]).unwrap();
        assert!(!b.is_over().unwrap(), "a works");
        assert!(a.is_over().unwrap() && b.is_over().unwrap());
        // Who has ended is not waited for, and what waits there is said.
        a.leave().unwrap();
        b.outgoing("a").extend_from_slice(b"y\n");
        b.send().unwrap();
        assert!(b.is_over().unwrap());
        assert_eq!(b.left_behind().unwrap(), ["a"]);
    }

    #[test]
    fn one_that_is_not_in_the_list_waits_for_nobody() {
        let folder = tempfile::tempdir().unwrap();
        let mut gone = open(folder.path(), "/c", &["a", "b"], "c").unwrap();
        assert!(["x.example", "y.example"].iter().all(|host| gone.other_owner(host).is_some()));
        gone.outgoing("a").extend_from_slice(b"x\n");
        assert!(!gone.is_over().unwrap(), "it has something to hand over");
        gone.send().unwrap();
        assert!(gone.is_over().unwrap());
    }

    #[test]
    fn agents_that_differ_do_not_run_together() {
        let folder = tempfile::tempdir().unwrap();
        let mut a = open(folder.path(), "/a", &["a", "b"], "a").unwrap();
        let refused = |crawl, names: &[&str], name| {
            open(folder.path(), crawl, names, name).err().map(|error| error.to_string()).unwrap_or_default()
        };
        assert!(refused("/b", &["a", "b", "c"], "b").contains("another list"));
        assert!(refused("/other", &["a", "b"], "a").contains("another crawl folder"));
        a.leave().unwrap();
        assert_eq!(refused("/b", &["a", "b", "c"], "b"), "");
        // A file that is none of ours stops nobody.
        std::fs::write(folder.path().join("exchange/b/state.json"), b"{\"agents\":").unwrap();
        assert_eq!(refused("/a", &["a", "b"], "a"), "");
    }
}
