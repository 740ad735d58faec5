use super::*;
use crate::testing::{packed, zipped};

fn limits() -> Limits {
    Limits { max_inflated_bytes: 8 << 20, ..Limits::default() }
}

fn part(bytes: &[u8], name: &str) -> Result<Option<Vec<u8>>, Failure> {
    Container::open(bytes, &limits())?.part(name)
}

#[test]
fn parts_are_found_by_name() {
    let bytes = packed(&[("a/One.xml", "one"), ("b.txt", "")]);
    for (name, found) in [
        ("a/One.xml", Some("one")),
        ("/a/One.xml", Some("one")),
        ("A/one.XML", Some("one")),
        ("b.txt", Some("")),
        ("c", None),
    ] {
        let read = part(&bytes, name).unwrap();
        assert_eq!(read.as_deref(), found.map(str::as_bytes), "{name}");
    }
    // Something before the container moves its offsets.
    let moved = [b"#!/bin/sh\n".as_slice(), &bytes].concat();
    assert_eq!(part(&moved, "a/One.xml").unwrap().as_deref(), Some(b"one".as_slice()));
}

#[test]
fn cut_containers_give_what_they_have() {
    let bytes = packed(&[("one", &"1".repeat(5000)), ("two", &"2".repeat(5000))]);
    let directory = memmem::find(&bytes, CENTRAL).unwrap();
    for end in [directory, directory + 10, bytes.len() - 8] {
        let cut = &bytes[..end];
        let mut container = Container::open(cut, &limits()).unwrap();
        assert_eq!(container.part("two").unwrap().unwrap().len(), 5000, "{end}");
        assert!(container.is_damaged(), "{end}");
    }
    // Within the data: what comes out of it.
    let noise = (0..5000_u32)
        .map(|n| (n.wrapping_mul(2_654_435_761).wrapping_mul(n ^ 0x9E37) >> 24) as u8)
        .collect::<Vec<_>>();
    let bytes = zipped(&[("one", &noise)]);
    let mut container = Container::open(&bytes[..2500], &limits()).unwrap();
    let read = container.part("one").unwrap().unwrap();
    assert!(read.len() > 1000 && noise.starts_with(&read), "{}", read.len());
    assert!(container.is_damaged());
}

#[test]
fn last_of_equal_names_counts() {
    let mut bytes = packed(&[("one", "first"), ("two", "other")]);
    while let Some(at) = memmem::find(&bytes, b"two") {
        bytes[at..at + 3].copy_from_slice(b"one");
    }
    let mut container = Container::open(&bytes, &limits()).unwrap();
    assert!(container.has_doubles());
    assert_eq!(container.part("one").unwrap().unwrap(), b"other");
}

#[test]
fn bombs_are_refused_whatever_they_declare() {
    let zeros = vec![0_u8; 4 << 20];
    let bytes = zipped(&[("zeros", &zeros)]);
    assert_eq!(part(&bytes, "zeros").unwrap_err().reason, "inflates-too-much");
    // Sizes that lie: the part is as long as its stream.
    let mut lying = zipped(&[("text", "word ".repeat(100).as_bytes())]);
    let central = memmem::find(&lying, CENTRAL).unwrap();
    lying[central + 24..central + 28].copy_from_slice(&7_u32.to_le_bytes());
    assert_eq!(part(&lying, "text").unwrap().unwrap().len(), 500);
    // Many parts that are harmless one by one.
    let noise = (0..900_000_u32).map(|n| (n.wrapping_mul(2_654_435_761) >> 17) as u8).collect::<Vec<_>>();
    let names = (0..12).map(|n| n.to_string()).collect::<Vec<_>>();
    let bytes = zipped(&names.iter().map(|name| (name.as_str(), noise.as_slice())).collect::<Vec<_>>());
    let mut container = Container::open(&bytes, &limits()).unwrap();
    let read = names.iter().map_while(|name| container.part(name).ok()).count();
    assert_eq!(read, (8 << 20) / 900_000);
}

#[test]
fn what_is_no_container_is_a_failure() {
    let mut locked = packed(&[("one", "first")]);
    locked[6] |= 1;
    let central = memmem::find(&locked, CENTRAL).unwrap();
    locked[central + 8] |= 1;
    assert_eq!(part(&locked, "one").unwrap_err().reason, "encrypted");

    let mut file = cfb::CompoundFile::create(std::io::Cursor::new(Vec::new())).unwrap();
    file.create_stream("EncryptedPackage").unwrap();
    let package = file.into_inner().into_inner();
    assert_eq!(part(&package, "one").unwrap_err().reason, "encrypted");

    let headers = [LOCAL, CENTRAL, END, COMPOUND].map(<[u8]>::to_vec);
    let cases = [b"".to_vec(), b"PK".to_vec(), b"hello".to_vec(), vec![0xFF; 100]];
    for bytes in headers.into_iter().chain(cases) {
        assert_eq!(part(&bytes, "one").unwrap_err().reason, "damaged", "{bytes:?}");
    }
}
