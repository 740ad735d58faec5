//! Where a refresh leads.

use webmill_capture::cut::Cut;

/// The URL in the `content` of a refresh, by the standard's "shared declarative refresh steps"; `None` where the page
/// reloads itself.
pub fn refresh_url(content: &str) -> Option<&str> {
    let rest = content.trim_start_matches(|c: char| c.is_ascii_whitespace());
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    if digits == 0 && !rest.starts_with('.') {
        return None;
    }
    let rest = rest.cut(digits..).trim_start_matches(|c: char| c.is_ascii_digit() || c == '.');
    if !rest.starts_with(|c: char| c == ';' || c == ',' || c.is_ascii_whitespace()) {
        return None;
    }
    let rest = rest.trim_start_matches(|c: char| c.is_ascii_whitespace());
    let rest = rest.strip_prefix([';', ',']).unwrap_or(rest);
    let rest = rest.trim_start_matches(|c: char| c.is_ascii_whitespace());
    // `url=` may be missing, and what looks like it may be the URL itself.
    let named = rest.get(..3).filter(|start| start.eq_ignore_ascii_case("url")).and_then(|_| {
        let after = rest.cut(3..).trim_start_matches(|c: char| c.is_ascii_whitespace()).strip_prefix('=')?;
        Some(after.trim_start_matches(|c: char| c.is_ascii_whitespace()))
    });
    let target = named.unwrap_or(rest);
    let target = match target.chars().next() {
        Some(quote @ ('"' | '\'')) => target.cut(1..).split(quote).next().unwrap_or_default(),
        _ => target,
    };
    let target = target.trim();
    (!target.is_empty()).then_some(target)
}
