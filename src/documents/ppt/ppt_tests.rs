use super::*;
use crate::ole::testing::container;

#[test]
fn broken_presentations_say_so() {
    for (streams, reason) in [
        (&[("PowerPoint Document", &b"\x0F\0\xE8\x03\xFF\xFF\xFF\xFF"[..])][..], "damaged"),
        (&[("Other", &b"x"[..])], "damaged"),
        (&[("EncryptedPackage", &b"x"[..])], "encrypted"),
    ] {
        let read = read(&container(streams), &Limits::default());
        assert_eq!(read.unwrap_err().reason, reason, "{streams:?}");
    }
}
