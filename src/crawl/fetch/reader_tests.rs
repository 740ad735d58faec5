use proptest::prelude::*;

use super::*;

/// Reads `data` cut into pieces; the connection ends after it. Returns the bytes kept, and whether they are complete.
fn read(data: &[u8], cuts: &[usize], http09: bool) -> Result<(Reader, bool), Fault> {
    let mut reader = Reader::new(Vec::new(), http09);
    let mut at = 0_usize;
    let mut heads = 0;
    for size in cuts.iter().copied().chain([usize::MAX]) {
        let piece = &data[at..data.len().min(at.saturating_add(size))];
        at += piece.len();
        if piece.is_empty() {
            break;
        }
        reader.raw.extend_from_slice(piece);
        let mut progress = reader.advance()?;
        if progress == Progress::Head {
            heads += 1;
            progress = reader.advance()?;
        }
        assert!(progress != Progress::Head && heads <= 1);
        if progress == Progress::Done {
            // Further bytes change nothing.
            reader.raw.extend_from_slice(&data[at..]);
            assert_eq!(reader.advance(), Ok(Progress::Done));
            break;
        }
    }
    let whole = reader.finish();
    Ok((reader, whole))
}

/// Name, what the server sends, what of it is kept, whether that is whole, whether the connection can be used again.
type Case = (&'static [u8], &'static [u8], bool, bool);

#[test]
fn where_a_response_ends() {
    let cases: &[Case] = &[
        (b"HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabc", b"abc", true, true),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabcd", b"abc", true, false),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nab", b"ab", false, false),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", b"", true, true),
        (b"HTTP/1.1 200\r\nContent-Length: 1\r\n\r\na", b"a", true, true),
        (b"HTTP/1.1 200 OK\nContent-Length: 1\n\na", b"a", true, true),
        (b"\r\n\nHTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\na", b"a", true, true),
        (b"http/1.1 200 ok\r\ncontent-length:1\r\n\r\na", b"a", true, true),
        (b"HTTP/1.1 200 OK\r\n\r\nto the end", b"to the end", true, false),
        (b"HTTP/1.0 200 OK\r\nContent-Length: 1\r\n\r\na", b"a", true, false),
        (b"HTTP/1.0 200 OK\r\nConnection: Keep-Alive\r\nContent-Length: 1\r\n\r\na", b"a", true, true),
        (b"HTTP/1.1 200 OK\r\nConnection: x, CLOSE\r\nContent-Length: 1\r\n\r\na", b"a", true, false),
        (b"ICY 200 OK\r\nContent-Length: 1\r\n\r\na", b"a", true, false),
        (b"HTTP/1.1 xyz\r\nContent-Length: 1\r\n\r\na", b"a", true, true),
        // Lines that are none, folded lines, no empty line.
        (b"HTTP/1.1 200 OK\r\nnonsense\r\nContent-Length: 1\r\n\r\na", b"a", true, true),
        (b"HTTP/1.1 200 OK\r\nX: y\r\n Content-Length: 9\r\nContent-Length:\r\n 1\r\n\r\na", b"a", true, true),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 3\r\n<p>", b"<p>", true, true),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\r\na", b"a", true, true),
        // No body, whatever is promised.
        (b"HTTP/1.1 204 No\r\nContent-Length: 3\r\n\r\n", b"", true, true),
        (b"HTTP/1.1 304 No\r\nTransfer-Encoding: chunked\r\n\r\n", b"", true, true),
        (b"HTTP/1.1 304 No\r\nContent-Length: 3\r\n\r\nabc", b"", true, false),
        // Interim responses.
        (b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early\r\nLink: x\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\na", b"a", true, true),
        // Odd lengths.
        (b"HTTP/1.1 200 OK\r\nContent-Length: 1, 1\r\nContent-Length: 1\r\n\r\na", b"a", true, true),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nabc", b"abc", true, false),
        (b"HTTP/1.1 200 OK\r\nContent-Length:   1\0\r\n\r\na", b"a", true, true),
        (b"HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\nabc", b"abc", true, false),
        (b"HTTP/1.1 200 OK\r\nContent-Length: +1\r\n\r\nabc", b"abc", true, false),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 99999999999999999999\r\n\r\nabc", b"abc", true, false),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 18446744073709551615\r\n\r\nabc", b"abc", false, false),
        (b"HTTP/1.1 200 OK\r\nContent-Length:\r\n\r\nabc", b"abc", true, false),
        // Chunks.
        (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n", b"3\r\nabc\r\n0\r\n\r\n", true, true),
        (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\nTransfer-Encoding: Chunked\r\n\r\n1\na\n0\n\n", b"1\na\n0\n\n", true, true),
        (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n 3 ;x=\"y\"\r\nabc\r\n000;z\r\nA: b\r\nC: d\r\n\r\nE", b" 3 ;x=\"y\"\r\nabc\r\n000;z\r\nA: b\r\nC: d\r\n\r\n", true, false),
        (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Length: 2\r\n\r\n1\r\na\r\n0\r\n\r\n", b"1\r\na\r\n0\r\n\r\n", true, false),
        (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nab", b"3\r\nab", false, false),
        (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n", b"3\r\nabc\r\n", false, false),
        (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n", b"3\r\nabc\r\n0\r\n", true, false),
        (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", b"", false, false),
        (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nffffffffffffffff\r\nabc", b"ffffffffffffffff\r\nabc", false, false),
        (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n<html>not\n", b"<html>not\n", true, false),
        (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nabc\r\n0\r\n\r\n", b"2\r\nabc\r\n0\r\n\r\n", true, false),
        (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked, gzip\r\n\r\nabc", b"abc", true, false),
        (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: identity\r\nContent-Length: 1\r\n\r\na", b"a", true, true),
    ];
    for (data, body, whole, reusable) in cases {
        let name = String::from_utf8_lossy(data);
        for cuts in [&[][..], &[1; 400], &[7; 60]] {
            let mut end = 0;
            let (mut reader, got) = read(data, cuts, false).unwrap_or_else(|f| panic!("{name}: {f:?}"));
            if cuts.len() == 400 {
                end = reader.end();
            }
            assert_eq!(got, *whole, "{name}");
            // Cut byte by byte, nothing after the end has been seen when the end comes.
            assert!(reader.reusable() == *reusable || end > 0, "{name}");
            reader.trim();
            assert_eq!(&reader.raw[reader.head_len()..], *body, "{name}");
            assert!(data.windows(reader.raw.len()).any(|part| part == reader.raw), "{name}");
        }
    }
}

#[test]
fn what_is_no_response() {
    for data in [
        &b""[..],
        b"H",
        b"\r\n",
        b"HTTP/1.1 200 OK",
        b"HTTP/1.1 200 OK\r\nA: b\r\n",
        b"HTTP/1.1 100 C\r\n\r\n",
    ] {
        let (reader, whole) = read(data, &[], false).unwrap();
        assert!(!whole && !reader.has_head(), "{data:?}");
    }
    for data in [&b"<html>"[..], b"SSH-2.0-x\r\n", b"HTTX/1.1 200", b"Content-Type: text/html\r\n\r\nabc"] {
        assert_eq!(read(data, &[], false).unwrap_err(), Fault::NotHttp, "{data:?}");
        let (reader, whole) = read(data, &[2, 3], true).unwrap();
        assert_eq!((reader.raw.as_slice(), reader.head_len(), reader.status(), whole), (data, 0, 200, true));
    }
    let (reader, whole) = read(b"<p", &[], true).unwrap();
    assert!(whole && reader.raw == b"<p");
}

#[test]
fn endless_heads_end() {
    let long = |line: &str| {
        let mut data = b"HTTP/1.1 200 OK\r\n".to_vec();
        data.extend(line.bytes().cycle().take(MAX_HEAD_BYTES + 10));
        data
    };
    let mut interim = b"HTTP/1.1 102 Processing\r\n\r\n".repeat(MAX_HEAD_BYTES / 20);
    interim.extend_from_slice(b"HTTP/1.1 200 OK\r\n\r\n");
    for data in [long("x"), long("a: b\r\n"), vec![b'\n'; MAX_HEAD_BYTES + 2], interim] {
        assert_eq!(read(&data, &[], false).unwrap_err(), Fault::HeadTooLong);
        assert_eq!(read(&data, &[1000; 400], false).unwrap_err(), Fault::HeadTooLong);
    }
    let mut trailers = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n".to_vec();
    trailers.extend(b"a: b\r\n".repeat(MAX_TRAILER_BYTES / 4));
    let (reader, _) = read(&trailers, &[1000; 400], false).unwrap();
    assert!(!reader.reusable());
}

/// Text that looks like responses, with all that can be wrong in them.
fn responses() -> impl Strategy<Value = Vec<u8>> {
    let part = prop_oneof![
        Just("HTTP/1.1 200 OK\r\n".to_string()),
        Just("HTTP/1.1 100 Continue\r\n\r\n".to_string()),
        "HTTP/1\\.[01] [1-5][0-9]{2} [a-z]{0,5}\r?\n",
        "Content-Length: [0-9]{1,2}\r?\n",
        "Transfer-Encoding: (chunked|gzip|identity)(, chunked)?\r?\n",
        "[A-Za-z-]{0,8}:? ?[ -~]{0,12}\r?\n",
        " [a-z]{0,5}\r\n",
        "(\r?\n){1,2}",
        "[0-9a-f]{1,2}(;x)?\r?\n",
        "0\r\n(A: b\r\n)?\r\n",
        "<?[a-z\r\n]{0,9}",
    ];
    proptest::collection::vec(part, 0..14).prop_map(|parts| parts.concat().into_bytes())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    /// However the bytes come, the result is the same, and the border of the head is the one that readers of the
    /// stored response find.
    #[test]
    fn cuts_change_nothing(
        data in prop_oneof![responses(), proptest::collection::vec(any::<u8>(), 0..300)],
        cuts in proptest::collection::vec(1_usize..40, 0..60),
        http09 in any::<bool>(),
    ) {
        match (read(&data, &[], http09), read(&data, &cuts, http09)) {
            (Err(a), Err(b)) => prop_assert_eq!(a, b),
            (Ok((mut a, whole_a)), Ok((mut b, whole_b))) => {
                prop_assert_eq!(whole_a, whole_b);
                prop_assert_eq!(a.has_head(), b.has_head());
                prop_assert_eq!((a.head_len(), a.status(), a.end()), (b.head_len(), b.status(), b.end()));
                a.trim();
                b.trim();
                prop_assert_eq!(&a.raw, &b.raw);
                prop_assert!(data.windows(a.raw.len().max(1)).any(|part| part == a.raw) || a.raw.is_empty());
                if a.head_len() > 0 {
                    let stored = Response::parse(&a.raw);
                    prop_assert_eq!(stored.body.len(), a.raw.len() - a.head_len());
                    prop_assert_eq!(stored.status.unwrap_or(200), a.status());
                }
            }
            (a, b) => prop_assert!(false, "{:?} {:?}", a.map(|r| r.1), b.map(|r| r.1)),
        }
    }

    /// A body in chunks is read completely, and a cut is noticed wherever it is.
    #[test]
    fn chunks(body in proptest::collection::vec(any::<u8>(), 0..300), size in 1_usize..60, cut in any::<prop::sample::Index>()) {
        let mut data = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n".to_vec();
        let head = data.len();
        data.extend(webmill_capture::chunked::encode(&body, size));
        let (reader, whole) = read(&data, &[3; 200], false).unwrap();
        prop_assert!(whole);
        prop_assert_eq!(reader.end(), data.len());
        let cut = head + cut.index(data.len() - head);
        let (_, whole) = read(&data[..cut], &[], false).unwrap();
        prop_assert_eq!(whole, cut >= data.len() - 2);
    }
}
