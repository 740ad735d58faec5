use super::*;
use crate::ole::testing::container;

/// The main part of a document of one run of bytes: flags, text of body and comments, characters of the comments.
fn main_part(flags: u16, text: &str, comments: u32) -> Vec<u8> {
    let mut main = vec![0; 1024];
    let mut put = |at: usize, number: u32| main[at..at + 4].copy_from_slice(&number.to_le_bytes());
    put(0, 0x00C1_A5EC);
    put(8, u32::from(flags) << 16);
    put(24, 1024);
    put(28, 1024 + text.len() as u32);
    put(0x4C, text.len() as u32 - comments);
    put(0x4C + 16, comments);
    main.extend(text.bytes());
    main
}

/// A document with comments, and where each begins.
fn word(flags: u16, text: &str, comments: u32, places: &[u32]) -> Vec<u8> {
    let mut main = main_part(flags, text, comments);
    main[154 + 5 * 8 + 4..154 + 6 * 8].copy_from_slice(&(places.len() as u32 * 4).to_le_bytes());
    let table = places.iter().flat_map(|place| place.to_le_bytes()).collect::<Vec<_>>();
    container(&[("WordDocument", &main), ("0Table", &table)])
}

#[test]
fn raised_and_lowered_characters_are_marked() {
    // A page of looks: where their runs begin, where their properties stand in half of it, the properties, how many they are.
    let looks: [(u32, &[u8]); 6] = [
        (1024, &[]),
        (1025, &[0x48, 0x2A, 1]),
        (1026, &[]),
        (1028, &[0x48, 0x2A, 2]),
        (1029, &[]),
        (1032, &[0x45, 0x48, 6, 0]),
    ];
    let mut page = vec![0; 512];
    for (at, (from, sprms)) in looks.iter().enumerate() {
        page[at * 4..at * 4 + 4].copy_from_slice(&from.to_le_bytes());
        let place = 100 + at * 8;
        page[28 + at] = (place / 2) as u8;
        page[place] = sprms.len() as u8;
        page[place + 1..place + 1 + sprms.len()].copy_from_slice(sprms);
    }
    page[24..28].copy_from_slice(&1034_u32.to_le_bytes());
    page[511] = 6;
    let mut main = main_part(0, "x2 H2O10-3\r", 0);
    main.resize(1536, 0);
    main.extend(page);
    main[154 + 12 * 8 + 4..154 + 12 * 8 + 8].copy_from_slice(&12_u32.to_le_bytes());
    let table = [1024_u32, 1034, 3].map(u32::to_le_bytes).concat();
    let read = read(&container(&[("WordDocument", &main), ("0Table", &table)]), &Limits::default()).unwrap();
    assert_eq!(read.text, "x² H₂O10⁻³\n");
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
