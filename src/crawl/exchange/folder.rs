//! The shared folder: names, views, heartbeats. Files are written beside and renamed: half of one is never seen.

use std::io::{ErrorKind, Read, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize, de::DeserializeOwned};

use webmill_capture::error::{AtPath, Error, Result};

/// Longest heartbeat or view that is read, bytes.
const MAX_BYTES: u64 = 4 << 20;
/// Longest name of an agent.
const MAX_NAME: usize = 64;
const VIEWS: &str = "views";

/// An agent in one of its lives.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Member {
    /// Its name.
    pub name: String,
    /// Counts the times that it joined after it had been left out.
    pub life: u64,
}

/// Who belongs to the crawl.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct View {
    /// Counts from 1.
    pub number: u64,
    /// The last view before it that was complete: all had acknowledged it and taken over what was theirs.
    pub base: u64,
    /// Who belongs.
    pub members: Vec<Member>,
    /// Who was left out since `base`.
    pub gone: Vec<Member>,
    /// Points of each agent on the ring: the same for all.
    pub virtual_nodes: u32,
    /// Seed of the hashes of URLs: the same for all, for they exchange keys.
    pub hash_seed: u64,
}

impl View {
    /// Whether an agent belongs.
    pub fn has(&self, member: &Member) -> bool {
        self.members.contains(member)
    }
}

/// An agent's sign of life.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Heartbeat {
    /// Its life.
    pub life: u64,
    /// Tells processes apart.
    pub process: u64,
    /// Hash of its crawl folder: a name belongs to one.
    pub home: u64,
    /// Counts the heartbeats.
    pub beat: u64,
    /// When it was written, ms since 1970, for people.
    pub at_ms: i64,
    /// When its lease ends, ms since 1970, for people: others measure by their own clocks.
    pub lease_ms: i64,
    /// The view that it has acknowledged: it asks for nothing that is others' in it, and has handed that over.
    pub acked: u64,
    /// The view that it has settled in: it has taken over what is its own.
    pub settled: u64,
    /// Nothing waits.
    pub idle: bool,
    /// Counts the times that it began to work.
    pub activity: u64,
    /// It has ended because all were at their end.
    pub done: bool,
}

/// Whether a name can be a folder.
///
/// # Errors
/// [`Error::Config`].
pub fn check_name(name: &str) -> Result<()> {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    if name.is_empty()
        || name.len() > MAX_NAME
        || !name.chars().all(plain)
        || name.starts_with('.')
        || name == VIEWS
    {
        return Err(Error::Config(format!(
            "{name:?} cannot be the name of an agent: at most {MAX_NAME} letters, digits, - _ and ."
        )));
    }
    Ok(())
}

/// Hash of a crawl's folder.
pub(super) fn home_of(crawl: &Path) -> u64 {
    let whole = std::fs::canonicalize(crawl).unwrap_or_else(|_| crawl.to_path_buf());
    xxhash_rust::xxh3::xxh3_64(whole.as_os_str().as_encoded_bytes())
}

/// A name from that of the machine and the folder of the crawl: the same whenever that crawl goes on.
pub fn default_name(crawl: &Path) -> String {
    let machine = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    let machine: String =
        machine.chars().filter(|c| c.is_ascii_alphanumeric() || *c == '-').take(40).collect();
    let machine = if machine.is_empty() { "agent".to_owned() } else { machine };
    format!("{machine}-{:08x}", home_of(crawl) as u32)
}

/// Paths below a shared folder.
#[derive(Debug, Clone)]
pub(super) struct Shared(pub PathBuf);

impl Shared {
    pub fn inbox(&self, member: &Member) -> PathBuf {
        self.0.join(&member.name).join(member.life.to_string()).join("inbox")
    }

    pub fn log(&self, member: &Member) -> PathBuf {
        self.0.join(&member.name).join(member.life.to_string()).join("log")
    }

    fn view_path(&self, number: u64) -> PathBuf {
        self.0.join(VIEWS).join(format!("{number:06}.json"))
    }

    /// A view; none where there is none of that number.
    pub fn view(&self, number: u64) -> Result<Option<View>> {
        let view: Option<View> = read_json(&self.view_path(number))?;
        match view {
            Some(view)
                if view.number != number || view.members.iter().any(|m| check_name(&m.name).is_err()) =>
            {
                Err(Error::corrupt(self.view_path(number), 0, "not a view of this number"))
            }
            view => Ok(view),
        }
    }

    /// Number of the newest view from `known` on; 0: there is none.
    pub fn newest(&self, known: u64) -> Result<u64> {
        let mut newest = known;
        if known == 0 {
            for name in names_in(&self.0.join(VIEWS))? {
                let number = name.strip_suffix(".json").and_then(|n| n.parse().ok()).unwrap_or(0);
                newest = newest.max(number);
            }
        }
        while self.view_path(newest + 1).try_exists().at(&self.0)? {
            newest += 1;
        }
        Ok(newest)
    }

    /// Makes a view, unless somebody was faster.
    pub fn propose(&self, view: &View) -> Result<bool> {
        let folder = self.0.join(VIEWS);
        std::fs::create_dir_all(&folder).at(&folder)?;
        let mut file = tempfile::NamedTempFile::new_in(&folder).at(&folder)?;
        file.write_all(&to_json(view)?).and_then(|()| file.as_file().sync_all()).at(&folder)?;
        // A link is made by one only, and with its content.
        match std::fs::hard_link(file.path(), self.view_path(view.number)) {
            Ok(()) => Ok(true),
            Err(error) if error.kind() == ErrorKind::AlreadyExists => Ok(false),
            Err(error) => Err(Error::io(self.view_path(view.number), error)),
        }
    }

    pub fn beat(&self, name: &str, heartbeat: &Heartbeat) -> Result<()> {
        let folder = self.0.join(name);
        write_as_whole(&folder.join("heartbeat.json"), &to_json(heartbeat)?)
    }

    pub fn heartbeat(&self, name: &str) -> Result<Option<Heartbeat>> {
        read_json(&self.0.join(name).join("heartbeat.json"))
    }

    /// Names of all agents that ever were there.
    pub fn agents(&self) -> Result<Vec<String>> {
        let mut names = names_in(&self.0)?;
        names.retain(|name| check_name(name).is_ok());
        Ok(names)
    }
}

/// Finished files of a folder, in order.
pub(super) fn files_in(folder: &Path) -> Result<Vec<PathBuf>> {
    let names = names_in(folder)?;
    Ok(names.iter().filter(|name| !name.starts_with('.')).map(|name| folder.join(name)).collect())
}

fn names_in(folder: &Path) -> Result<Vec<String>> {
    let entries = match std::fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(Error::io(folder, error)),
    };
    let mut names = Vec::new();
    for entry in entries {
        names.extend(entry.at(folder)?.file_name().into_string());
    }
    names.sort_unstable();
    Ok(names)
}

pub(super) fn write_as_whole(path: &Path, bytes: &[u8]) -> Result<()> {
    let folder = path.parent().unwrap_or(Path::new("."));
    std::fs::create_dir_all(folder).at(folder)?;
    let mut file = tempfile::Builder::new().prefix(".").tempfile_in(folder).at(folder)?;
    file.write_all(bytes).at(path)?;
    file.persist(path).map_err(|e| Error::io(path, e.error))?;
    Ok(())
}

fn to_json<T: Serialize>(value: &T) -> Result<Vec<u8>> {
    serde_json::to_vec(value).map_err(|e| Error::Internal(format!("a file of the exchange: {e}")))
}

/// A file of JSON; none where there is none, or not a whole one of this kind: a stranger's file must not stop a crawl.
fn read_json<T: DeserializeOwned>(path: &Path) -> Result<Option<T>> {
    let file = match std::fs::File::open(path) {
        Ok(file) => file,
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
            return Ok(None);
        }
        Err(error) => return Err(Error::io(path, error)),
    };
    let mut bytes = Vec::new();
    file.take(MAX_BYTES).read_to_end(&mut bytes).at(path)?;
    Ok(serde_json::from_slice(&bytes).ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn view(number: u64, names: &[&str]) -> View {
        let members = names.iter().map(|name| Member { name: (*name).to_owned(), life: 1 }).collect();
        View { number, base: 0, members, gone: Vec::new(), virtual_nodes: 8, hash_seed: 0 }
    }

    #[test]
    fn a_view_is_made_once() {
        let folder = tempfile::tempdir().unwrap();
        let shared = Shared(folder.path().to_path_buf());
        assert_eq!(shared.newest(0).unwrap(), 0);
        assert!(shared.propose(&view(1, &["a"])).unwrap());
        assert!(!shared.propose(&view(1, &["b"])).unwrap());
        assert_eq!(shared.view(1).unwrap(), Some(view(1, &["a"])));
        let made = std::thread::scope(|scope| {
            let all: Vec<_> =
                (0..8).map(|_| scope.spawn(|| shared.propose(&view(2, &["a", "b"])).unwrap())).collect();
            all.into_iter().filter(|_| true).map(|t| u32::from(t.join().unwrap())).sum::<u32>()
        });
        assert_eq!((made, shared.newest(0).unwrap(), shared.newest(1).unwrap()), (1, 2, 2));
    }

    #[test]
    fn strangers_files_are_not_agents() {
        let folder = tempfile::tempdir().unwrap();
        let shared = Shared(folder.path().to_path_buf());
        shared.beat("one", &Heartbeat { beat: 4, ..Heartbeat::default() }).unwrap();
        std::fs::create_dir_all(folder.path().join("two")).unwrap();
        std::fs::write(folder.path().join("two/heartbeat.json"), b"{\"beat\":").unwrap();
        std::fs::write(folder.path().join("readme"), b"x").unwrap();
        assert_eq!(shared.agents().unwrap(), ["one", "readme", "two"]);
        assert_eq!(shared.heartbeat("one").unwrap().map(|h| h.beat), Some(4));
        assert_eq!((shared.heartbeat("two").unwrap(), shared.heartbeat("readme").unwrap()), (None, None));
        for name in ["", "a/b", "..", ".x", "views", "\u{e4}"] {
            assert!(check_name(name).is_err(), "{name}");
        }
        check_name(&default_name(folder.path())).unwrap();
    }
}
