//! The death of a writing process, and a disk that is full: a child process of this test is the writer.

use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use super::tests::{KINDS, info, options, packed, strictly, visited_ids};
use super::*;
use crate::Purpose;
use crate::event::{Event, outcome};
use crate::journal::{Journal, replay};

/// Names the folder and the kind of shards to the child.
const CHILD: &str = "WEBMILL_TEST_WRITER";
/// Answers that the child writes at most.
const ANSWERS: u64 = 200_000;

type Checkpoint = (Position, Position, u64);

fn journal(folder: &Path) -> Journal {
    Journal::open(folder, 700).unwrap()
}

fn event(n: u64) -> Event {
    Event::new(format!("http://h.example/{n}"), Purpose::Page, outcome::STORED, n as i64)
}

fn read_checkpoint(folder: &Path) -> Option<Checkpoint> {
    std::fs::read(folder.join("mark")).ok().map(|bytes| postcard::from_bytes(&bytes).unwrap())
}

/// Opens both as a crawl does and checks that all before the checkpoint is there and that what follows is in order.
fn reopen(folder: &Path, options: &ArchiveOptions) -> (Archive, Journal, u64, u64) {
    let checkpoint = read_checkpoint(folder);
    let archive =
        Archive::open(&folder.join("shards"), options, &info(), checkpoint.map(|checkpoint| checkpoint.0))
            .unwrap();
    let journal = journal(&folder.join("events"));
    let (shards_checkpoint, events_checkpoint, count) = checkpoint.unwrap_or_default();
    assert!(archive.holds(shards_checkpoint).unwrap() && journal.holds(events_checkpoint).unwrap());
    let behind = visited_ids(&archive, shards_checkpoint);
    assert_eq!(behind, (count..count + behind.len() as u64).collect::<Vec<_>>());
    let mut events = count;
    let visited = replay(&folder.join("events"), events_checkpoint, &mut |event| {
        assert_eq!(event, self::event(events));
        events += 1;
        Ok(())
    });
    assert_eq!(visited.unwrap().damaged, 0);
    (archive, journal, count + behind.len() as u64, events)
}

/// The child: writes, flushes and marks until it is killed or the disk is full.
#[test]
fn writer() {
    let Ok(orders) = std::env::var(CHILD) else { return };
    let (kind, folder) = orders.split_once(' ').unwrap();
    let (options, folder) = (options(KINDS[kind.parse::<usize>().unwrap()], 100_000), Path::new(folder));
    let (mut archive, mut journal, mut pages, mut events) = reopen(folder, &options);
    let mut write = || -> Result<()> {
        while pages < ANSWERS {
            for _ in 0..pages % 13 + 1 {
                archive.append(&packed(pages, &options))?;
                pages += 1;
            }
            archive.flush()?;
            while events < pages {
                journal.append(&event(events))?;
                events += 1;
            }
            journal.flush()?;
            let checkpoint: Checkpoint = (archive.position(), journal.position(), pages);
            std::fs::write(folder.join("mark.new"), postcard::to_allocvec(&checkpoint).unwrap()).unwrap();
            std::fs::rename(folder.join("mark.new"), folder.join("mark")).unwrap();
        }
        Ok(())
    };
    let Err(Error::Io { path, source }) = write() else { panic!("the disk is never full") };
    assert!(
        path.starts_with(folder) && source.to_string().contains("free space"),
        "{}: {source}",
        path.display()
    );
    // It stays full, and nothing half written is in the way of a later attempt.
    let before = (archive.position(), journal.position());
    assert!(archive.flush().is_err() || journal.flush().is_err());
    assert_eq!((archive.position(), journal.position()), before);
    let name = if path.starts_with(folder.join("shards")) { Some(before.0) } else { None };
    if let Some(position) = name {
        assert_eq!(std::fs::metadata(&path).unwrap().len(), position.offset);
    }
    std::fs::write(folder.join("full"), b"").unwrap();
}

fn spawn(folder: &Path, kind: usize, max_kib: Option<u64>) -> Child {
    let program = std::env::current_exe().unwrap();
    let limit = max_kib.map_or(String::new(), |kib| format!("trap '' XFSZ; ulimit -f {kib}; "));
    Command::new("bash")
        .args(["-c", &format!("{limit}exec \"$0\" --exact archive::crash_tests::writer")])
        .arg(program)
        .env(CHILD, format!("{kind} {}", folder.display()))
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

#[test]
fn a_killed_writer_loses_nothing_that_was_flushed() {
    for kind in [2, 4] {
        let folder = tempfile::tempdir().unwrap();
        let mut last = 0;
        for round in 0..6 {
            let mut child = spawn(folder.path(), kind, None);
            while read_checkpoint(folder.path()).is_none_or(|checkpoint| checkpoint.2 < last + 50) {
                assert!(child.try_wait().unwrap().is_none(), "the writer stopped by itself");
                std::thread::sleep(Duration::from_millis(1));
            }
            std::thread::sleep(Duration::from_millis(7 * round % 40));
            child.kill().unwrap();
            child.wait().unwrap();
            last = read_checkpoint(folder.path()).unwrap().2;
        }
        let (mut archive, journal, pages, _) = reopen(folder.path(), &options(KINDS[kind], 100_000));
        assert!(pages >= 300);
        assert_eq!(visited_ids(&archive, Position::default()), (0..pages).collect::<Vec<_>>());
        journal.finish().unwrap();
        archive.finish().unwrap();
        assert_eq!(strictly(&archive).2, pages);
    }
}

#[test]
fn a_full_disk_stops_the_writer_and_loses_nothing() {
    for kind in [0, 2, 3, 4] {
        let folder = tempfile::tempdir().unwrap();
        for kib in [20, 40, 60] {
            assert!(spawn(folder.path(), kind, Some(kib)).wait().unwrap().success(), "{kind} {kib}");
            assert!(folder.path().join("full").exists());
        }
        let (mut archive, _, pages, _) = reopen(folder.path(), &options(KINDS[kind], 100_000));
        assert!(pages > 20);
        assert_eq!(archive.cut(), 0, "a failed write leaves nothing behind");
        archive.append(&packed(pages, &options(KINDS[kind], 100_000))).unwrap();
        archive.finish().unwrap();
        assert_eq!(strictly(&archive).2, pages + 1);
    }
}
