//! Lists of words that are kept in text files: sections, each with a line `== NAME` before it.

/// Name and content of each section of a list, in order.
pub(crate) fn sections(list: &'static str) -> impl Iterator<Item = (&'static str, &'static str)> {
    list.split("\n== ").filter_map(|section| section.trim_start_matches("== ").split_once('\n'))
}

/// The lines of a section; empty if the list has no such section.
pub(crate) fn section(list: &'static str, name: &str) -> Vec<&'static str> {
    sections(list)
        .find(|(known, _)| *known == name)
        .map_or_else(Vec::new, |(_, words)| words.lines().collect())
}

/// The entries of a section that stand in a line with ` | ` between; empty if the list has no such section.
pub(crate) fn entries(list: &'static str, name: &str) -> Vec<&'static str> {
    section(list, name).into_iter().flat_map(|line| line.split(" | ")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sections_have_names_and_lines() {
        let list = "== one\na b\n[c\n== two\n-d-\n";
        assert_eq!(sections(list).collect::<Vec<_>>(), [("one", "a b\n[c"), ("two", "-d-\n")]);
        assert_eq!(section(list, "one"), ["a b", "[c"]);
        assert_eq!(entries("== a\nb c | d\ne", "a"), ["b c", "d", "e"]);
        assert_eq!((section(list, "two"), section(list, "three")), (vec!["-d-"], vec![]));
    }
}
