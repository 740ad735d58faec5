use super::*;

fn context(modifier: Modifier, destination: Option<Destination>) -> Context<'static> {
    Context {
        origin: "http://127.0.0.1:8080",
        prefix: "/c/",
        token: Some("ab"),
        timestamp: "20240615060000",
        modifier,
        url: "http://e.org/d/p",
        destination,
    }
}

fn headers(pairs: &[(&'static str, &str)]) -> HeaderMap {
    pairs
        .iter()
        .map(|(name, value)| (HeaderName::from_static(name), HeaderValue::from_str(value).unwrap()))
        .collect()
}

fn answered(destination: Option<Destination>, media: &str, body: &[u8]) -> Replayed {
    let context = context(Modifier::Page, destination);
    answer(&context, StatusCode::OK, &headers(&[("content-type", media)]), Bytes::copy_from_slice(body))
}

#[test]
fn headers_that_act_on_an_origin_are_set_aside() {
    let captured = headers(&[
        ("content-type", "text/plain"),
        ("content-language", "zh"),
        ("set-cookie", "a=b"),
        ("content-security-policy", "default-src *"),
        ("strict-transport-security", "max-age=1"),
        ("clear-site-data", "\"*\""),
        ("service-worker-allowed", "/"),
        ("alt-svc", "h3=\":443\""),
        ("link", "</x>; rel=preload"),
        ("access-control-allow-origin", "*"),
        ("content-encoding", "gzip"),
        ("location", "/x"),
        ("refresh", "3; url=/y"),
    ]);
    let context = context(Modifier::Page, None);
    let replayed = answer(&context, StatusCode::FOUND, &captured, Bytes::new());
    let value = |name: &str| replayed.headers.get(name).map(|value| value.to_str().unwrap());
    assert_eq!((value("content-type"), value("content-language")), (Some("text/plain"), Some("zh")));
    assert_eq!(value("location"), Some("/c/20240615060000mp_ab/http://e.org/x"));
    assert_eq!(value("refresh"), Some("3; url=/c/20240615060000mp_ab/http://e.org/y"));
    assert_eq!(value("access-control-allow-origin"), Some("null"));
    assert!(value("content-security-policy").unwrap().starts_with("sandbox"));
    for name in [
        "set-cookie",
        "strict-transport-security",
        "clear-site-data",
        "service-worker-allowed",
        "alt-svc",
        "link",
        "content-encoding",
    ] {
        assert_eq!(value(name), None, "{name}");
        assert!(value(&format!("x-archive-orig-{name}")).is_some(), "{name}");
    }
    let token = None;
    let without = answer(&Context { token, ..context }, StatusCode::OK, &captured, Bytes::new());
    assert!(!without.headers.contains_key("access-control-allow-origin"));
    assert_eq!(preflight(&Context { token, ..context }, &captured).status, StatusCode::FORBIDDEN);
    assert_eq!(preflight(&context, &captured).status, StatusCode::NO_CONTENT);
}

#[test]
fn the_browser_is_told_the_charset_that_the_page_names() {
    // 中 in GBK; the declaration would stand too far from the start behind the client script's tag.
    let page = b"<meta charset=gb2312><p>\xD6\xD0";
    let replayed = answered(None, "text/html", page);
    assert_eq!(replayed.headers["content-type"], "text/html; charset=GBK");
    assert!(replayed.body.ends_with(b"<p>\xD6\xD0"));
    let labelled = answered(None, "text/html; charset=big5", page);
    assert_eq!(labelled.headers["content-type"], "text/html; charset=big5");
    let unlabelled = answered(None, "text/html", b"<p>\xD6\xD0");
    assert_eq!(unlabelled.headers["content-type"], "text/html");
    let wide: Vec<u8> = "\u{feff}<a href=/x>中".encode_utf16().flat_map(u16::to_le_bytes).collect();
    let replayed = answered(None, "text/html", &wide);
    assert_eq!(replayed.headers["content-type"], "text/html; charset=UTF-8");
    assert!(replayed.body.ends_with("<a href=/c/20240615060000mp_ab/http://e.org/x>中".as_bytes()));
}

#[test]
fn what_a_body_is_depends_on_what_it_is_wanted_for() {
    let css = b"a{b:url(/x)}";
    for (destination, media, changed, sent) in [
        (None, "text/css", true, "text/css"),
        (Some(Destination::Style), "text/plain", true, "text/css"),
        (Some(Destination::Data), "text/css", false, "text/css"),
        (Some(Destination::Media), "text/html", false, "text/html"),
        (Some(Destination::Script), "text/plain", false, "text/javascript"),
        (Some(Destination::Script), "image/png", false, "image/png"),
    ] {
        let replayed = answered(destination, media, css);
        assert_eq!(replayed.body != css[..], changed, "{destination:?} {media}");
        assert_eq!(replayed.headers["content-type"], sent, "{destination:?} {media}");
    }
    let sniffed = answer(
        &context(Modifier::Page, None),
        StatusCode::OK,
        &HeaderMap::new(),
        "<!DOCTYPE html><p>".into(),
    );
    assert!(sniffed.body.len() > 50);
    assert_eq!(sniffed.headers["content-type"], "text/html");
}

#[test]
fn documents_without_the_client_script_run_none() {
    let policy =
        |replayed: &Replayed| replayed.headers["content-security-policy"].to_str().unwrap().to_owned();
    for media in ["image/svg+xml", "application/xml", "text/plain"] {
        assert!(
            policy(&answered(Some(Destination::Frame), media, b"<svg/>")).contains("script-src 'none'"),
            "{media}"
        );
    }
    let page = answered(Some(Destination::Frame), "application/xhtml+xml", b"<html/>");
    assert!(policy(&page).contains("sandbox allow-scripts"));
    let script = answered(Some(Destination::Script), "text/javascript", b"");
    assert!(policy(&script).contains("sandbox allow-scripts"));
}

#[test]
fn statuses_that_speak_to_a_browser_are_not_passed_on() {
    for (captured, told) in
        [(200, 200), (404, 404), (304, 200), (101, 200), (407, 403), (503, 503), (999, 502)]
    {
        assert_eq!(sent(StatusCode::from_u16(captured).unwrap()).as_u16(), told);
    }
}
