use super::*;
use crate::ole::testing::container;

/// A document of one run of bytes: flags, text of body and comments, characters of the comments and where each begins.
fn word(flags: u16, text: &str, comments: u32, places: &[u32]) -> Vec<u8> {
    let mut main = vec![0; 1024];
    let mut put = |at: usize, number: u32| main[at..at + 4].copy_from_slice(&number.to_le_bytes());
    put(0, 0x00C1_A5EC);
    put(8, u32::from(flags) << 16);
    put(24, 1024);
    put(28, 1024 + text.len() as u32);
    put(0x4C, text.len() as u32 - comments);
    put(0x4C + 16, comments);
    put(154 + 5 * 8 + 4, places.len() as u32 * 4);
    main.extend(text.bytes());
    let table = places.iter().flat_map(|place| place.to_le_bytes()).collect::<Vec<_>>();
    container(&[("WordDocument", &main), ("0Table", &table)])
}

#[test]
fn comments_are_notes() {
    let read = read(&word(0, "body\rone\rtwo\r", 8, &[0, 4, 8, 9]), &Limits::default()).unwrap();
    assert_eq!(read.markdown, "body\n\n[^c1]: one\n[^c2]: two\n");
}

#[test]
fn documents_that_cannot_be_read_say_why() {
    let locked = word(0x0100, "body\r", 0, &[]);
    let mut old = vec![0; 1024];
    old[..4].copy_from_slice(b"\xEC\xA5\x65\0");
    for (bytes, reason) in [
        (locked, "encrypted"),
        (container(&[("WordDocument", &old)]), "too-old"),
        (container(&[("EncryptedPackage", b"x")]), "encrypted"),
        (container(&[("WordDocument", b"no head")]), "damaged"),
        (b"no container".to_vec(), "damaged"),
    ] {
        assert_eq!(read(&bytes, &Limits::default()).unwrap_err().reason, reason);
    }
}
