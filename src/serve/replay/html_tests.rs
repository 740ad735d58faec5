use webmill_capture::CanonicalUrl;
use webmill_capture::cut::Cut;

use super::*;

fn rewritten_in(source: &[u8], encoding: &'static encoding_rs::Encoding, inject: &str) -> Vec<u8> {
    let base = CanonicalUrl::parse("http://e.org/d/p.html").unwrap();
    let mut references = References::new("/c/", "2024", Some("ab"), base, encoding);
    references.inject = inject.to_owned();
    let mut out = Vec::new();
    rewrite(source, &mut references, inject, &mut out);
    out
}

fn rewritten(source: &str) -> String {
    String::from_utf8(rewritten_in(source.as_bytes(), encoding_rs::UTF_8, "")).unwrap()
}

#[test]
fn attributes_that_hold_addresses() {
    // `[mp]` is the address of the site's root, so that cases fit their lines.
    let cases = [
        ("<a href=/x>", "<a href=[mp]/x>"),
        ("<A HREF = '/x?a=1&amp;b=2'>", "<A HREF = '[mp]/x?a=1&amp;b=2'>"),
        ("<a href=\" //e.org/x \">", "<a href=\" [mp]/x \">"),
        (
            "<a href=x.html><a href='../x'><a href=#y><a href='?z'>",
            "<a href=x.html><a href='../x'><a href=#y><a href='?z'>",
        ),
        ("<a href='../../x&quot;'>", "<a href='[mp]/x%22'>"),
        ("<a href='&#47;x'>", "<a href='[mp]/x'>"),
        ("<a href='\n/x\ny#&lt;'>", "<a href='\n[mp]/xy#&#60;'>"),
        ("<a href=javascript:x() title=/x data-href=/x>", "<a href=javascript:x() title=/x data-href=/x>"),
        ("<img src=/x srcset='/x 1x, y 2x,/z'>", "<img src=[im]/x srcset='[im]/x 1x, y 2x,[im]/z'>"),
        ("<img srcset='/x,y.png 2x, /z (a,b) 3x'>", "<img srcset='[im]/x,y.png 2x, [im]/z (a,b) 3x'>"),
        (
            "<link rel=stylesheet href=/x><link rel=icon href=/x>",
            "<link rel=stylesheet href=[cs]/x><link rel=icon href=[im]/x>",
        ),
        ("<link rel=preload as=script href=/x>", "<link rel=preload as=script href=[js]/x>"),
        ("<link rel='dns-prefetch' href=/x>", "<link data-archived-rel='dns-prefetch' href=[mp]/x>"),
        ("<script src=/x integrity=y></script>", "<script src=[js]/x data-archived-integrity=y></script>"),
        ("<iframe src=/x></iframe><frame src=/x>", "<iframe src=[if]/x></iframe><frame src=[if]/x>"),
        ("<form action=/x><button formaction=/y>", "<form action=[mp]/x><button formaction=[mp]/y>"),
        (
            "<a ping=/x><html manifest=/x><a manifest=/x>",
            "<a data-archived-ping=/x><html data-archived-manifest=/x><a manifest=/x>",
        ),
        ("<body background=/x><video poster=/x>", "<body background=[im]/x><video poster=[im]/x>"),
        (
            "<object data=/x><param name=movie value=/x><param name=q value=/x>",
            "<object data=[mp]/x><param name=movie value=[mp]/x><param name=q value=/x>",
        ),
        ("<p style='background:url(/x)'>", "<p style='background:url([im]/x)'>"),
        ("<p style='background:url(&quot;/x&quot;)'>", "<p style='background:url(&#34;[im]/x&#34;)'>"),
        ("<style>a{b:url(/x)}</style>", "<style>a{b:url([im]/x)}</style>"),
        ("<script>'<a href=/x>'</script><a href=/x>", "<script>'<a href=/x>'</script><a href=[mp]/x>"),
        (
            "<script><!-- <script> </script> <a href=/y> </script><a href=/x>",
            "<script><!-- <script> </script> <a href=/y> </script><a href=[mp]/x>",
        ),
        ("<textarea><a href=/x></textarea><a href=/x>", "<textarea><a href=/x></textarea><a href=[mp]/x>"),
        (
            "<!-- <a href=/x> --><a href=/x><!--><a href=/x>-->",
            "<!-- <a href=/x> --><a href=[mp]/x><!--><a href=[mp]/x>-->",
        ),
        ("<!-- --!><a href=/x>", "<!-- --!><a href=[mp]/x>"),
        (
            "<svg><a xlink:href=/x><use href=/x#y /><title><a href=/x></title></svg>",
            "<svg><a xlink:href=[mp]/x><use href=[im]/x#y /><title><a href=[mp]/x></title></svg>",
        ),
        (
            "<svg><![CDATA[<a href=/x>]]></svg><![CDATA[<a href=/x>]]>",
            "<svg><![CDATA[<a href=/x>]]></svg><![CDATA[<a href=/x>]]>",
        ),
        (
            "<svg><rect fill='url(/x#y)'></svg><p fill='url(/x)'>",
            "<svg><rect fill='url([im]/x#y)'></svg><p fill='url(/x)'>",
        ),
        (
            "<noscript><iframe src=/x></noscript><img src=/x>",
            "<noscript><iframe src=[if]/x></noscript><img src=[im]/x>",
        ),
        (
            "<meta http-equiv=refresh content='0; url=/x'>",
            "<meta http-equiv=refresh content='0;&#32;url=[mp]/x'>",
        ),
        (
            "<meta http-equiv=refresh content='5'><meta name=refresh content='0; url=/x'>",
            "<meta http-equiv=refresh content='5'><meta name=refresh content='0; url=/x'>",
        ),
        (
            "<meta http-equiv=Content-Security-Policy content=x>",
            "<meta data-archived-http-equiv=Content-Security-Policy content=x>",
        ),
        (
            "<base href=//e.org/a/b/c/><a href=../../../x><a href=../../../../x>",
            "<base href=[mp]/a/b/c/><a href=../../../x><a href=[mp]/x>",
        ),
        (
            "<base href=x/><base href=//f.org/><a href=/y>",
            "<base href=x/><base href=/c/2024mp_ab/http://f.org/><a href=[mp]/y>",
        ),
        ("<script type=module>import '/x'</script>", "<script type=module>import '[js]/x'</script>"),
        (
            "<script type=importmap>{\"imports\":{\"a\":\"/x\"}}</script>",
            "<script type=importmap>{\"imports\":{\"a\":\"[js]/x\"}}</script>",
        ),
        ("<script type=speculationrules>x</script>", "<script type=archived-speculationrules>x</script>"),
        (
            "<script type=text/template><a href=/x></script>",
            "<script type=text/template><a href=/x></script>",
        ),
        (
            "<iframe srcdoc='<a href=&quot;/x&quot;>'>",
            "<iframe srcdoc='&#60;a&#32;href=&#34;[mp]/x&#34;&#62;'>",
        ),
        (
            "<p title=\"<a href=/x>\"></p title='<a href=/x>'><a href=/x>",
            "<p title=\"<a href=/x>\"></p title='<a href=/x>'><a href=[mp]/x>",
        ),
        ("<a href=/x", "<a href=/x"),
        ("<a href='/x>", "<a href='/x>"),
        ("<plaintext><a href=/x>", "<plaintext><a href=/x>"),
        ("a < b <3 </ <? <a href=/x>", "a < b <3 </ <? <a href=/x>"),
    ];
    for (source, expected) in cases {
        let mut expected = expected.to_owned();
        for of in ["mp", "im", "js", "cs", "if"] {
            expected = expected.replace(&format!("[{of}]"), &format!("/c/2024{of}_ab/http://e.org"));
        }
        assert_eq!(rewritten(source), expected, "{source}");
    }
}

#[test]
fn the_client_script_stands_before_all_that_could_be_a_script() {
    for (source, expected) in [
        ("<!DOCTYPE html>\n<html>\n<head a=b><title>", "<!DOCTYPE html>\n<html>\n<head a=b>*<title>"),
        ("<!-- c --> <script>", "<!-- c --> *<script>"),
        ("<html><body>", "<html>*<body>"),
        ("text<p>", "*text<p>"),
        ("\u{feff}<p>", "\u{feff}*<p>"),
        ("\u{feff}a<p>", "\u{feff}*a<p>"),
        ("", "*"),
    ] {
        let out = rewritten_in(source.as_bytes(), encoding_rs::UTF_8, "*");
        assert_eq!(String::from_utf8(out).unwrap(), expected);
    }
}

#[test]
fn queries_are_sent_in_the_encoding_of_the_page() {
    // 0xD6D0 is 中 in GBK; its own bytes are kept where they can be, and encoded as a browser would where not.
    let source = b"<a href=\"/s?q=\xD6\xD0\"><a href=\"/a/../s?q=\xD6\xD0\">";
    let out = rewritten_in(source, encoding_rs::GBK, "");
    let start = b"<a href=\"/c/2024mp_ab/http://e.org/s?q=";
    let expected = [&start[..], b"\xD6\xD0\">", start, b"%D6%D0\">"].concat();
    assert_eq!(out, expected);
}

#[test]
fn pages_within_pages_are_bounded() {
    let mut source = "<a href=/x>".to_owned();
    for _ in 0..6 {
        source = format!("<iframe srcdoc=\"{}\">", crate::replay::tags::escaped(&source));
    }
    let mut out = rewritten(&source);
    for _ in 0..3 {
        let at = out.find("srcdoc=").unwrap();
        out = crate::replay::tags::decoded(
            out.cut(at + 8..).trim_end_matches("\">").as_bytes(),
            encoding_rs::UTF_8,
        );
    }
    assert!(out.starts_with("<iframe data-archived-srcdoc="), "{out}");
}

#[test]
fn time_is_linear_in_odd_pages() {
    for piece in
        "<noscript>|<!--|<svg>|<a |<script><!--<script>|<iframe srcdoc='|<style>|<![CDATA[".split('|')
    {
        let source = piece.repeat(60_000);
        assert!(rewritten(&source).len() < 3 * source.len(), "{piece}");
    }
}
