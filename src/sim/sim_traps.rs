//! Parts of a host that have no end.

webmill_capture::words! {
    /// An endless part of a host. Its pages differ in little more than their numbers.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
    pub enum Trap {
        /// A page a month, by path.
        Calendar = "calendar",
        /// A page a month, by query.
        CalendarQuery = "calendar-query",
        /// Folders in themselves: a relative link that should have been absolute.
        Folders = "folders",
        /// Filters that can be set on and on.
        Facets = "facets",
        /// Numbered near-copies.
        Items = "items",
    }
}

impl Trap {
    /// What all its paths begin with.
    pub fn prefix(self) -> &'static str {
        match self {
            Trap::Calendar => "/calendar/",
            Trap::CalendarQuery => "/calendar?",
            Trap::Folders => "/shop/",
            Trap::Facets => "/list?",
            Trap::Items => "/item/",
        }
    }

    /// The path that the home page links to.
    pub(super) fn entry(self) -> &'static str {
        match self {
            Trap::Calendar => "/calendar/2026/1.html",
            Trap::CalendarQuery => "/calendar?year=2026&month=1",
            Trap::Folders => "/shop/",
            Trap::Facets => "/list?sort=0",
            Trap::Items => "/item/1.html",
        }
    }

    /// Whether a path with query is in it.
    pub(super) fn has(self, path: &str) -> bool {
        self.links(path).is_some()
    }

    /// Where the page at a path with query leads; `None` where there is none.
    pub(super) fn links(self, path: &str) -> Option<Vec<String>> {
        let rest = path.strip_prefix(self.prefix())?;
        Some(match self {
            Trap::Calendar => {
                let (year, month) = rest.strip_suffix(".html")?.split_once('/')?;
                let write = |(year, month)| format!("/calendar/{year}/{month}.html");
                months(year, month)?.into_iter().map(write).collect()
            }
            Trap::CalendarQuery => {
                let (year, month) = rest.strip_prefix("year=")?.split_once("&month=")?;
                let write = |(year, month)| format!("/calendar?year={year}&month={month}");
                months(year, month)?.into_iter().map(write).collect()
            }
            Trap::Folders => {
                let known = |folder: &str| matches!(folder, "shop" | "cart" | "");
                if !path.ends_with('/') || !rest.split('/').all(known) || rest.contains("//") {
                    return None;
                }
                vec!["shop/".into(), "cart/".into()]
            }
            Trap::Facets => {
                let sane = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'=' | b'&');
                if !rest.bytes().all(sane) || !rest.starts_with("sort=") {
                    return None;
                }
                let next = rest.matches('&').count() + 1;
                (0..3).map(|value| format!("{path}&f{next}={value}")).collect()
            }
            Trap::Items => {
                let number = rest.strip_suffix(".html")?;
                let item: u64 = number.parse().ok().filter(|&item| item > 0 && item < 1 << 60)?;
                if item.to_string() != number {
                    return None;
                }
                vec![format!("/item/{}.html", item + 1), format!("/item/{}.html", item * 2)]
            }
        })
    }

    /// The page at a path with query.
    pub(super) fn html(self, path: &str) -> Option<String> {
        let mut html = String::from(
            "<!DOCTYPE html>\n<html lang=\"en\"><head><title>Overview</title></head>\n<body>\n<h1>Overview</h1>\n<p>There is nothing on this list today. Please choose another entry from the list below, or come back later when our editors have had the time to put something new here for you to read.</p>\n<p>",
        );
        let escaped = |text: &str| text.replace('&', "&amp;");
        html.push_str(&escaped(path));
        html.push_str("</p>\n<ul>\n");
        for link in self.links(path)? {
            html.push_str(&format!("<li><a href=\"{}\">further</a></li>\n", escaped(&link)));
        }
        html.push_str("</ul>\n<p><a href=\"/\">home</a></p>\n</body></html>\n");
        Some(html)
    }
}

/// The months before and after, and that of the next year.
fn months(year: &str, month: &str) -> Option<[(u32, u32); 3]> {
    let number = |text: &str| text.parse::<u32>().ok().filter(|n| n.to_string() == text);
    let (year, month) = (number(year)?, number(month)?);
    if !(1..=12).contains(&month) || !(1..1_000_000_000).contains(&year) {
        return None;
    }
    let before = if month == 1 { (year - 1, 12) } else { (year, month - 1) };
    let after = if month == 12 { (year + 1, 1) } else { (year, month + 1) };
    Some([after, before, (year + 1, month)])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_trap_goes_on_without_end() {
        for trap in Trap::ALL {
            let mut at = trap.entry().to_owned();
            let mut seen = std::collections::HashSet::new();
            for _ in 0..100 {
                assert!(seen.insert(at.clone()), "{at}");
                let next = trap.links(&at).unwrap().remove(0);
                at = if next.starts_with('/') { next } else { at + &next };
            }
            assert!(trap.has(&at) && trap.html(&at).is_some());
        }
        for (trap, path) in [
            (Trap::Calendar, "/calendar/2026/13.html"),
            (Trap::Calendar, "/calendar/02026/1.html"),
            (Trap::Folders, "/shop/other/"),
            (Trap::Folders, "/shop/shop"),
            (Trap::Items, "/item/0.html"),
            (Trap::Items, "/item/01.html"),
            (Trap::Facets, "/list?x=<"),
        ] {
            assert!(!trap.has(path), "{path}");
        }
    }
}
