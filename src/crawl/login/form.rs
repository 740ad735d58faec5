//! The form of a login page, filled in as a browser would.
//!
//! Reference: HTML, "Constructing the entry list".

use std::collections::BTreeMap;

use webmill_capture::{CanonicalUrl, Response, decode_content};
use webmill_html::{Dom, Limits, NodeId, Tag, base_of, decode, parse};

/// Most bytes of a page that are read.
pub(super) const PAGE_BYTES: usize = 4 << 20;
/// Most fields of a form.
const MAX_FIELDS: usize = 1_000;

/// A form, ready to be sent.
#[derive(PartialEq, Eq)]
pub(super) struct Filled {
    pub action: CanonicalUrl,
    /// As `application/x-www-form-urlencoded`.
    pub body: Vec<u8>,
}

/// The text of a page: content coding and charset removed.
pub(super) fn text_of(url: &CanonicalUrl, raw: &[u8]) -> String {
    let response = Response::parse(raw);
    let payload = response.payload(PAGE_BYTES);
    let body = decode_content(&response, &payload.bytes, PAGE_BYTES);
    let tld = url.host().rsplit('.').next().map(str::as_bytes);
    decode(&body.bytes, response.charset_label(), tld).text.into_owned()
}

/// Whether the page has a field for a password.
pub(super) fn asks_password(text: &str) -> bool {
    let dom = parse(text, &Limits::default());
    dom.descendants(dom.document()).any(|node| is_password(&dom, node))
}

/// Fills in the form of a page that has `fields`, or else a password; in words why not.
pub(super) fn fill(
    url: &CanonicalUrl,
    text: &str,
    action: Option<&CanonicalUrl>,
    fields: &BTreeMap<String, String>,
) -> Result<Filled, &'static str> {
    let dom = parse(text, &Limits::default());
    let forms: Vec<NodeId> =
        dom.descendants(dom.document()).filter(|node| dom.tag(*node) == Tag::Form).collect();
    let has_fields = |form: &&NodeId| {
        fields.keys().all(|name| {
            dom.descendants(**form).any(|node| is_control(&dom, node) && dom.attr(node, "name") == Some(name))
        })
    };
    let has_password = |form: &&NodeId| dom.descendants(**form).any(|node| is_password(&dom, node));
    let form = forms.iter().find(has_fields).or_else(|| forms.iter().find(has_password)).copied();
    let (form, action) = match (form, action) {
        (form, Some(action)) => (form, action.clone()),
        (Some(form), None) => (Some(form), own_action(&dom, form, url)?),
        (None, None) => return Err("the page has no form with these fields, nor one with a password"),
    };
    let mut serializer = url::form_urlencoded::Serializer::new(String::new());
    if let Some(form) = form {
        for (name, value) in entries(&dom, form, fields) {
            serializer.append_pair(&name, &value);
        }
    }
    for (name, value) in fields {
        serializer.append_pair(name, value);
    }
    Ok(Filled { action, body: serializer.finish().into_bytes() })
}

fn own_action(dom: &Dom<'_>, form: NodeId, url: &CanonicalUrl) -> Result<CanonicalUrl, &'static str> {
    if !dom.attr(form, "method").is_some_and(|method| method.trim().eq_ignore_ascii_case("post")) {
        return Err("the form is not sent by POST");
    }
    let base = base_of(dom, Some(url));
    match dom.attr(form, "action").map(str::trim).filter(|action| !action.is_empty()) {
        None => Some(url.clone()),
        Some(action) => base.as_ref().unwrap_or(url).join(action),
    }
    .filter(CanonicalUrl::is_web)
    .ok_or("the form is sent to no URL")
}

fn is_control(dom: &Dom<'_>, node: NodeId) -> bool {
    matches!(dom.tag(node), Tag::Input | Tag::Textarea | Tag::Select | Tag::Button)
}

fn kind(dom: &Dom<'_>, node: NodeId) -> String {
    dom.attr(node, "type").unwrap_or("").trim().to_ascii_lowercase()
}

fn is_password(dom: &Dom<'_>, node: NodeId) -> bool {
    dom.tag(node) == Tag::Input && kind(dom, node) == "password"
}

/// What the form says by itself, but for what is filled in. Of several buttons the first is pressed.
fn entries(dom: &Dom<'_>, form: NodeId, given: &BTreeMap<String, String>) -> Vec<(String, String)> {
    let mut out = Vec::new();
    let mut pressed = false;
    for node in dom.descendants(form).filter(|node| is_control(dom, *node)) {
        let name = dom.attr(node, "name").unwrap_or_default();
        if dom.attr(node, "disabled").is_some() || out.len() >= MAX_FIELDS {
            continue;
        }
        let value = match (dom.tag(node), kind(dom, node).as_str()) {
            (Tag::Input, "submit") | (Tag::Button, "submit" | "") => {
                if std::mem::replace(&mut pressed, true) {
                    continue;
                }
                dom.attr(node, "value").unwrap_or_default().to_owned()
            }
            (Tag::Button, _) | (Tag::Input, "button" | "reset" | "image" | "file") => continue,
            (Tag::Input, "checkbox" | "radio") => {
                if dom.attr(node, "checked").is_none() {
                    continue;
                }
                dom.attr(node, "value").unwrap_or("on").to_owned()
            }
            (Tag::Textarea, _) => content(dom, node),
            (Tag::Select, _) => match chosen(dom, node) {
                Some(value) => value,
                None => continue,
            },
            _ => dom.attr(node, "value").unwrap_or_default().to_owned(),
        };
        if !name.is_empty() && !given.contains_key(name) {
            out.push((name.to_owned(), value));
        }
    }
    out
}

fn content(dom: &Dom<'_>, node: NodeId) -> String {
    let mut text = String::new();
    dom.text_content(node, &mut text);
    text
}

/// The option that is chosen, or the first.
fn chosen(dom: &Dom<'_>, select: NodeId) -> Option<String> {
    let options: Vec<NodeId> =
        dom.descendants(select).filter(|node| dom.tag(*node) == Tag::Option).take(MAX_FIELDS).collect();
    let one = options.iter().find(|node| dom.attr(**node, "selected").is_some()).or(options.first())?;
    Some(dom.attr(*one, "value").map_or_else(|| content(dom, *one).trim().to_owned(), str::to_owned))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn filled(page: &str, fields: &[(&str, &str)]) -> Result<(String, String), &'static str> {
        let url = CanonicalUrl::parse("http://a.test/in/login").unwrap();
        let fields = fields.iter().map(|(n, v)| ((*n).to_owned(), (*v).to_owned())).collect();
        let form = fill(&url, page, None, &fields)?;
        Ok((form.action.into_string(), String::from_utf8(form.body).unwrap()))
    }

    #[test]
    fn a_form_is_filled_in_as_a_browser_would() {
        let page = r#"<form action=/search method=post><input name=q><input type=hidden name=no value=no></form>
            <form method=POST action="session?x=1&amp;y=2"><input type=hidden name=csrf value="a&amp;b=é">
            <input name=user value=guest><input type=password name=pw><input type=checkbox name=keep checked>
            <input type=checkbox name=not><input type=radio name=r value=1><input type=radio name=r value=2 checked>
            <select name=lang><option>de<option selected value=en>English</select><textarea name=t>
two</textarea><input name=off disabled value=x><button name=go value=1>Go</button><input type=submit name=no value=2>
            <input type=file name=f><input type=hidden value=nameless></form>"#;
        let (action, body) = filled(page, &[("user", "m&e"), ("pw", "p=w ü")]).unwrap();
        assert_eq!(action, "http://a.test/in/session?x=1&y=2");
        assert_eq!(body, "csrf=a%26b%3D%C3%A9&keep=on&r=2&lang=en&t=two&go=1&pw=p%3Dw+%C3%BC&user=m%26e");
        // A base, no action, and fields that scripts make.
        let page = "<base href=http://b.test/x/><form method=post><input type=password></form>";
        assert_eq!(filled(page, &[("u", "1")]), Ok(("http://a.test/in/login".into(), "u=1".into())));
        let page = "<base href=http://b.test/x/><form method=post action=y><input type=password></form>";
        assert_eq!(filled(page, &[("u", "1")]).unwrap().0, "http://b.test/x/y");
        for page in [
            "<form method=post><input name=q></form>",
            "",
            "<form><input type=password></form>",
            "<form method=post action=javascript:x><input type=password></form>",
        ] {
            assert!(filled(page, &[("u", "1")]).is_err(), "{page}");
        }
        assert!(asks_password("<p><input type=PassWord>") && !asks_password("<input type=text>password"));
    }

    #[test]
    fn an_action_of_the_settings_needs_no_form() {
        let url = CanonicalUrl::parse("http://a.test/").unwrap();
        let action = CanonicalUrl::parse("http://a.test/session").unwrap();
        let fields = [("u".to_owned(), "1".to_owned())].into();
        let form = fill(&url, "<p>scripts only", Some(&action), &fields).ok().unwrap();
        assert_eq!((form.action, form.body), (action, b"u=1".to_vec()));
    }
}
