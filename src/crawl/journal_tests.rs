use proptest::prelude::*;

use super::*;
use crate::event::outcome;
use crate::task::Purpose;

fn event(n: u64) -> Event {
    let mut event = Event::new(
        format!("http://h{}.example/{}", n % 7, "ä/".repeat((n % 11) as usize)),
        Purpose::Page,
        outcome::STORED,
        1_700_000_000_000 + n as i64,
    );
    event.bytes = n;
    event.status = Some(200);
    event.referrer = n.is_multiple_of(3).then(|| "http://h0.example/".into());
    event
}

fn visited_ids(journal: &Journal, from: Position) -> (Vec<u64>, u64) {
    let mut seen = Vec::new();
    let visited = replay(&journal.folder, from, &mut |event: Event| {
        assert_eq!(event, self::event(event.bytes));
        seen.push(event.bytes);
        Ok(())
    })
    .unwrap();
    assert_eq!(visited.records, seen.len() as u64);
    (seen, visited.damaged)
}

#[test]
fn replay_from_every_position_gives_the_rest() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path().join("events");
    let mut journal = Journal::open(&folder, 8).unwrap();
    let mut positions = Vec::new();
    for n in 0..50 {
        positions.push(journal.position());
        journal.append(&event(n)).unwrap();
        journal.flush().unwrap();
    }
    assert!(positions.windows(2).all(|two| two[0] < two[1]));
    let check = |journal: &Journal| {
        for (n, position) in positions.iter().enumerate() {
            assert_eq!(visited_ids(journal, *position), ((n as u64..50).collect(), 0), "{position:?}");
            assert!(journal.holds(*position).unwrap());
        }
        assert!(visited_ids(journal, journal.position()).0.is_empty());
        assert!(!journal.holds(Position { file: 3, offset: 1 << 30 }).unwrap());
        assert!(!journal.holds(Position { file: 99, offset: 0 }).unwrap());
        let end = journal.position();
        assert!(!journal.holds(Position { offset: end.offset + 1, ..end }).unwrap());
    };
    check(&journal);
    drop(journal);
    let journal = Journal::open(&folder, 8).unwrap();
    check(&journal);
    let parts = journal.finish().unwrap();
    assert_eq!(parts.len(), 7);
    assert!(parts.iter().all(|part| part.finished));
    let journal = Journal::open(&folder, 8).unwrap();
    assert_eq!(journal.position(), Position { file: 7, offset: 0 });
    for (n, position) in positions.iter().enumerate() {
        assert_eq!(visited_ids(&journal, *position).0, (n as u64..50).collect::<Vec<_>>());
    }
    assert_eq!(journal.finish().unwrap().len(), 7);
    let names = std::fs::read_dir(&folder).unwrap().count();
    assert_eq!(names, 7, "nothing but the parts is left");
}

#[test]
fn a_cut_at_any_byte_costs_the_line_it_hits() {
    let folder = tempfile::tempdir().unwrap();
    let mut journal = Journal::open(folder.path(), 1000).unwrap();
    let mut ends = vec![0];
    for n in 0..4 {
        journal.append(&event(n)).unwrap();
        journal.flush().unwrap();
        ends.push(journal.position().offset);
    }
    drop(journal);
    let path = plain_path(folder.path(), 0);
    let whole = std::fs::read(&path).unwrap();
    for cut in 0..=whole.len() {
        for zeros in [0, 600] {
            let mut bytes = whole[..cut].to_vec();
            bytes.resize(cut + zeros, 0);
            std::fs::write(&path, bytes).unwrap();
            let mut journal = Journal::open(folder.path(), 1000).unwrap();
            let kept = ends.iter().filter(|end| **end <= cut as u64).count() as u64 - 1;
            assert_eq!(journal.position().offset, ends[kept as usize]);
            for n in kept..5 {
                journal.append(&event(n)).unwrap();
            }
            journal.flush().unwrap();
            assert_eq!(visited_ids(&journal, Position::default()), ((0..5).collect(), 0), "cut at {cut}");
        }
    }
}

#[test]
fn damaged_lines_are_counted_and_passed_over() {
    let folder = tempfile::tempdir().unwrap();
    let mut lines = Vec::new();
    event(0).write_line(&mut lines);
    lines.extend_from_slice(b"\n{\"url\":\n\0\0\0\xff\n");
    event(1).write_line(&mut lines);
    lines.extend(std::iter::repeat_n(b'x', 5 * MAX_LINE_BYTES + 17));
    lines.push(b'\n');
    event(2).write_line(&mut lines);
    std::fs::write(plain_path(folder.path(), 0), &lines).unwrap();
    let journal = Journal::open(folder.path(), 1000).unwrap();
    assert_eq!(visited_ids(&journal, Position::default()), (vec![0, 1, 2], 4));
    let parts = journal.finish().unwrap();
    let mut first = None;
    let visited = parts[0].read(0, &mut |_| Ok(())).unwrap();
    first = first.or(visited.first);
    let mut one = Vec::new();
    event(0).write_line(&mut one);
    assert!(matches!(first, Some(Error::Corrupt { offset, .. }) if offset == one.len() as u64));

    // A finished part that was damaged ends where the damage begins, and says so.
    let mut packed = std::fs::read(&parts[0].path).unwrap();
    let middle = packed.len() / 2;
    packed[middle] ^= 0x55;
    std::fs::write(&parts[0].path, &packed).unwrap();
    let mut journal = Journal::open(folder.path(), 1000).unwrap();
    journal.append(&event(3)).unwrap();
    journal.flush().unwrap();
    let (seen, damaged) = visited_ids(&journal, Position::default());
    assert!(damaged >= 1 && seen.last() == Some(&3), "{seen:?} {damaged}");
}

#[test]
fn a_death_while_a_part_is_compressed() {
    let folder = tempfile::tempdir().unwrap();
    let mut journal = Journal::open(folder.path(), 5).unwrap();
    for n in 0..12 {
        journal.append(&event(n)).unwrap();
    }
    journal.flush().unwrap();
    drop(journal);
    let (plain, packed) = (plain_path(folder.path(), 0), folder.path().join(".events-00000.jsonl.zst"));
    let lines = zstd::decode_all(&std::fs::read(&packed).unwrap()[..]).unwrap();
    let all: Vec<u64> = (0..12).collect();
    // Compressed, but the lines not deleted yet; and not compressed, with half of the result there.
    for both in [true, false] {
        std::fs::write(&plain, &lines).unwrap();
        if !both {
            std::fs::rename(&packed, Staged::partial_path(&packed).unwrap()).unwrap();
        }
        let journal = Journal::open(folder.path(), 5).unwrap();
        assert_eq!(visited_ids(&journal, Position::default()), (all.clone(), 0));
        assert_eq!(visited_ids(&journal, Position { file: 0, offset: lines.len() as u64 }).0, all[5..]);
        drop(journal);
        assert!(packed.exists() && !plain.exists());
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]
    #[test]
    fn any_history_of_deaths(
        steps in proptest::collection::vec((0u8..6, 1u64..9), 1..40), part_events in 1u64..9,
    ) {
        let folder = tempfile::tempdir().unwrap();
        let mut journal = Journal::open(folder.path(), part_events).unwrap();
        let (mut appended, mut flushed) = (0u64, 0u64);
        let mut checkpoints = vec![(Position::default(), 0)];
        for (step, count) in steps {
            match step {
                0 | 1 => for _ in 0..count {
                    journal.append(&event(appended)).unwrap();
                    appended += 1;
                },
                2 => { journal.flush().unwrap(); flushed = appended; checkpoints.push((journal.position(), flushed)); }
                3 => { journal.sync().unwrap(); flushed = appended; checkpoints.push((journal.position(), flushed)); }
                4 => {
                    // Killed: what was not flushed may be there (a part was full) or not.
                    drop(journal);
                    journal = Journal::open(folder.path(), part_events).unwrap();
                    let seen = visited_ids(&journal, Position::default()).0.len() as u64;
                    prop_assert!(seen >= flushed && seen <= appended);
                    (appended, flushed) = (seen, seen);
                }
                _ => { journal.finish().unwrap(); flushed = appended; journal = Journal::open(folder.path(), part_events).unwrap(); }
            }
        }
        journal.flush().unwrap();
        for (checkpoint, before) in checkpoints {
            prop_assert_eq!(visited_ids(&journal, checkpoint), ((before..appended).collect(), 0));
            prop_assert!(journal.holds(checkpoint).unwrap());
            let bytes = postcard::to_allocvec(&checkpoint).unwrap();
            prop_assert_eq!(postcard::from_bytes::<Position>(&bytes).unwrap(), checkpoint);
        }
    }
}
