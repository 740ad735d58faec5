//! Names of hosts beyond ASCII, as the reference has them: by IDNA 2003 (RFC 3490).
//!
//! **Algorithm.** UTS 46 (the crate `idna`), which maps as IDNA 2003 does but for four characters; labels of mixed directions are refused by the
//! older rule.

/// The host with its labels in ASCII; `None` where a label cannot be.
pub(super) fn to_ascii(host: &str) -> Option<String> {
    if host.is_empty() {
        return Some(String::new());
    }
    let mut labels: Vec<&str> = host.split(['.', '\u{3002}', '\u{ff0e}', '\u{ff61}']).collect();
    // The dot of the root.
    let rooted = labels.len() > 1 && labels.last() == Some(&"");
    if rooted {
        labels.pop();
    }
    let mut out = String::with_capacity(host.len() + 16);
    for (i, label) in labels.into_iter().enumerate() {
        if i > 0 {
            out.push('.');
        }
        push_label(label, &mut out)?;
    }
    if rooted {
        out.push('.');
    }
    Some(out)
}

/// Longest label of the domain name system; longer ones are refused.
const MAX_LABEL: usize = 63;

fn push_label(label: &str, out: &mut String) -> Option<()> {
    let start = out.len();
    if label.is_ascii() {
        out.push_str(label);
    } else if label.chars().count() > 4 * MAX_LABEL {
        return None;
    } else {
        // What later versions keep.
        let older = label.replace('ß', "ss").replace('ς', "σ").replace(['\u{200c}', '\u{200d}'], "");
        if is_mixed(&older) {
            return None;
        }
        out.push_str(&idna::domain_to_ascii(&older).ok()?);
    }
    (1..=MAX_LABEL).contains(&(out.len() - start)).then_some(())
}

/// Whether a label has letters of both directions, or does not begin and end with one where they go to the left.
fn is_mixed(label: &str) -> bool {
    let left = |c: char| {
        c.is_alphabetic()
            && matches!(c, '\u{590}'..='\u{7bf}' | '\u{fb1d}'..='\u{fdff}' | '\u{fe70}'..='\u{fefc}')
    };
    let framed = label.starts_with(left) && label.ends_with(left);
    label.chars().any(left) && (!framed || label.chars().any(|c| c.is_alphabetic() && !left(c)))
}
