use std::io::{Cursor, Write};

use flate2::{Compression, GzBuilder};
use proptest::prelude::*;

use super::super::*;
use super::*;

/// One member of `data`; every second level has a head with all fields.
fn pack(data: &[u8], level: u32) -> Vec<u8> {
    let mut head = GzBuilder::new();
    if level % 2 == 1 {
        head = head.extra(*b"slsome more").filename("a name").comment("a comment");
    }
    let mut encoder = head.write(Vec::new(), Compression::new(level));
    encoder.write_all(data).unwrap();
    encoder.finish().unwrap()
}

fn noise(n: u32) -> Vec<u8> {
    (0..n).map(|n| (n.wrapping_mul(2_654_435_761) >> 13) as u8).collect()
}

/// Data that needs stored, fixed and dynamic blocks, long codes, short and long distances, and a second block.
fn samples() -> Vec<Vec<u8>> {
    let mut skewed = Vec::new();
    let (mut a, mut b) = (1usize, 1usize);
    for symbol in 0..24u8 {
        skewed.extend(std::iter::repeat_n(symbol * 7, a));
        (a, b) = (b, a + b);
    }
    let shuffled = (0..skewed.len()).map(|i| skewed[i * 7919 % skewed.len()]).collect();
    let text = "a page, and the same page again: ".repeat(400).into_bytes();
    let far = [noise(32_768), noise(32_768)].concat();
    vec![vec![], b"a".to_vec(), vec![b'a'; 1000], text, noise(100_000), skewed, shuffled, far]
}

/// What a chain of members decodes to, whole members asked for or not: bytes up to the first error, the error, and the
/// stored offset of every member.
fn walk(stored: &[u8], whole: bool, limit: usize) -> (Vec<u8>, Option<String>, Vec<u64>) {
    let stream = Stream::from_reader(Box::new(Cursor::new(stored.to_vec())), "t");
    let mut members = Members::new(stream, Container::Gzip, None, limit).unwrap().0;
    if let (Codec::Gzip(gzip), false) = (&mut members.codec, whole) {
        gzip.only_by_and_by();
    }
    let (mut decoded, mut starts) = (Vec::new(), Vec::new());
    let mut step = || -> webmill_capture::error::Result<bool> {
        let at = members.stored().position();
        if !members.next_member()? {
            return Ok(false);
        }
        starts.push(at);
        loop {
            let step = members.more();
            let n = members.reach();
            decoded.extend_from_slice(members.window());
            members.consume(n);
            if step? == Step::End {
                return Ok(true);
            }
        }
    };
    let error = loop {
        match step() {
            Ok(true) => {}
            Ok(false) => break None,
            Err(e) => break Some(e.to_string()),
        }
    };
    (decoded, error, starts)
}

fn assert_same(stored: &[u8], limit: usize) {
    let (ours, theirs) = (walk(stored, true, limit), walk(stored, false, limit));
    assert_eq!(ours.1, theirs.1, "the same verdict");
    assert_eq!(ours.2, theirs.2, "the same members");
    assert!(ours.0 == theirs.0, "the same bytes");
}

/// As [`assert_same`]; but a member that the streaming decoder refuses may be taken if it decodes to what was packed:
/// libdeflate forgives what a decoder can do without (codes that no data uses, say), and the check sum vouches for it.
fn assert_same_or_sound(stored: &[u8], packed: &[&[u8]]) {
    let (ours, theirs) = (walk(stored, true, 64 << 20), walk(stored, false, 64 << 20));
    if ours != theirs {
        assert!(theirs.1.is_some() && ours.2.starts_with(&theirs.2), "{:?} {:?}", ours.1, theirs.1);
        assert!(
            ours.0.starts_with(&packed[..theirs.2.len()].concat()),
            "refused, taken and wrong: {:?}",
            theirs.1
        );
    }
}

#[test]
fn members_are_found_whole() {
    let mut inflater = Inflater::new().unwrap();
    for data in samples() {
        for level in [0, 1, 6, 9] {
            let mut packed = pack(&data, level);
            let length = packed.len();
            let mut out = vec![0; data.len()];
            for _ in 0..2 {
                assert_eq!(inflater.member(&packed, &mut out), Ok((length, data.len())));
                assert!(out == data);
                packed.extend_from_slice(b"\x1f\x8b what follows does not matter");
            }
            if let Some(less) = data.len().checked_sub(1) {
                assert_eq!(inflater.member(&packed, &mut out[..less]), Err(InflateStop::Output));
            }
        }
    }
}

#[test]
fn every_truncation_is_refused() {
    let mut inflater = Inflater::new().unwrap();
    for data in samples() {
        for level in [0, 1, 6] {
            let packed = pack(&data, level);
            let mut out = vec![0; data.len() + 1000];
            let step = (packed.len() / 200).max(1);
            for n in (0..packed.len()).step_by(step).chain(packed.len().saturating_sub(30)..packed.len()) {
                // A boxed slice ends where its memory ends, for sanitizers.
                let cut = packed[..n].to_vec().into_boxed_slice();
                assert!(inflater.member(&cut, &mut out).is_err(), "{n} of {}", packed.len());
            }
        }
    }
}

#[test]
fn chains_agree_with_streaming() {
    let chain: Vec<u8> = samples().iter().zip(0..).flat_map(|(data, level)| pack(data, level)).collect();
    let all = samples().concat();
    for limit in [100, 64 << 20] {
        assert_eq!(walk(&chain, true, limit), walk(&chain, false, limit));
    }
    assert!(walk(&chain, true, 64 << 20).0 == all);
    // Members over each of the sizes tried first, and over the last: by input, and by output.
    let large: Vec<u8> = [70_000, 300_000, 1_500_000, 5_000_000].into_iter().flat_map(noise_of).collect();
    let zeros: Vec<u8> =
        [600_000, 3_000_000, 9_000_000].into_iter().flat_map(|n| pack(&vec![0; n], 6)).collect();
    for chain in [&large, &zeros, &[&zeros[..], &large, &chain].concat()] {
        assert_same(chain, 64 << 20);
        assert_same(chain, 1000);
    }
    assert_same(&[&chain[..], &[0; 700]].concat(), 64 << 20);
    assert_same(&[&chain[..], b"no member"].concat(), 64 << 20);
}

/// A member that does not shrink.
fn noise_of(n: u64) -> Vec<u8> {
    let mut state = n;
    let data: Vec<u8> = (0..n)
        .map(|_| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            state as u8
        })
        .collect();
    pack(&data, 1)
}

#[test]
fn failures_are_backed_off() {
    let mut bad = pack(b"a record", 6);
    let at = bad.len() - 5;
    bad[at] ^= 1;
    let mut members = Members::new(
        Stream::from_reader(Box::new(Cursor::new(bad.repeat(1000))), "t"),
        Container::Gzip,
        None,
        1000,
    )
    .unwrap()
    .0;
    let mut broken = 0;
    loop {
        match members.next_member() {
            Ok(false) => break,
            Ok(true) => {}
            Err(_) => unreachable!("the heads are sound"),
        }
        while matches!(members.more(), Ok(Step::Data)) {}
        broken += u32::from(members.is_broken());
        assert!(members.find(|_| true).unwrap() || broken == 1000);
    }
    let Codec::Gzip(gzip) = &members.codec else { unreachable!() };
    assert_eq!((broken, gzip.vain()), (1000, 9), "1 + 2 + 4 + … members a try");
}

/// Three members, of which one bit of any byte is changed, or the rest cut off.
#[test]
fn one_bit_of_any_byte() {
    let words = "some words, some more words, no more words. ".repeat(30);
    let noise = noise(300);
    let packed = [words.as_bytes(), b"between", &noise];
    let mut chain = [pack(packed[0], 4), pack(packed[1], 1), pack(packed[2], 9)].concat();
    for at in 0..chain.len() {
        assert_same_or_sound(&chain[..at], &packed);
        chain[at] ^= 64;
        assert_same_or_sound(&chain, &packed);
        chain[at] ^= 64;
    }
}

proptest! {
    #[test]
    fn agrees_with_streaming_on_data(
        records in proptest::collection::vec((proptest::collection::vec(("[a-e]{1,6}|[\\x00-\\xff]{0,4}", 1..20usize), 0..100), 0..10u32), 0..6),
        limit in 0..3000usize,
    ) {
        let data: Vec<String> = records.iter().map(|r| r.0.iter().map(|(w, n)| w.repeat(*n)).collect()).collect();
        let chain: Vec<u8> = data.iter().zip(&records).flat_map(|(d, r)| pack(d.as_bytes(), r.1)).collect();
        prop_assert!(walk(&chain, true, limit).0 == data.concat().as_bytes());
        assert_same(&chain, limit);
    }

}

/// Many small members may be passed over: what was read of a file compressed as a whole pays for it, not the last member.
#[test]
fn a_file_compressed_as_a_whole_has_one_budget() {
    let stored = pack(&noise(100_000), 6).repeat(4);
    let stream = Stream::from_reader(Box::new(Cursor::new(stored.clone())), "t");
    let mut members = Members::new(stream, Container::WholeGzip, None, 1 << 20).unwrap().0;
    members.pass_to(400_000).unwrap();
    let most = SKIP_FLOOR + SKIP_RATIO * stored.len() as u64;
    assert_eq!((members.over_budget(most), members.over_budget(most + 1)), (false, true));
}
