//! The elements of a style tree with their importance, for people to look at.

use super::style_tree::StyleTree;
use super::{MAX_IMPORTANCE, MIN_PAGES};

/// Elements named in a path; those between are left out.
const MAX_PATH: usize = 12;

/// An element of a [`StyleTree`].
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub struct ElementImportance {
    /// Tags with classes from `body` down to it: `body > div.main > p`; `#text` is text between elements. Of deep ones the
    /// middle is `…`.
    pub path: String,
    /// Elements above it.
    pub depth: u32,
    /// Pages that have it.
    pub pages: u32,
    /// Sequences of children that it has on these pages; 0 of one that holds text alone.
    pub styles: u32,
    /// Distinct words that are known of one that holds text alone.
    pub words: u32,
    /// Composite importance: 0 of what all pages share, 1 of what each has for itself.
    pub importance: f64,
    /// Whether it holds text and is template: enough pages have it, and it is not important.
    pub is_template: bool,
}

impl StyleTree {
    /// All elements with their importance, parents before their children.
    pub fn elements(&self) -> Vec<ElementImportance> {
        let importance = self.importance();
        let element = |(i, importance): (usize, f64)| {
            let path = self.path(i);
            let node = &self.nodes[i];
            let styles = node.styles.len() as u32 + node.single;
            ElementImportance {
                depth: path.len() as u32 - 1,
                path: shown(&path),
                pages: node.pages,
                styles,
                words: node.features.len() as u32,
                importance,
                is_template: styles == 0 && node.pages >= MIN_PAGES && importance <= MAX_IMPORTANCE,
            }
        };
        importance.into_iter().enumerate().filter(|&(i, _)| self.nodes[i].pages > 0).map(element).collect()
    }
}

fn shown(path: &[&str]) -> String {
    if path.len() <= MAX_PATH {
        return path.join(" > ");
    }
    let half = MAX_PATH / 2;
    format!("{} > … > {}", path[..half].join(" > "), path[path.len() - half..].join(" > "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn deep_paths_are_short() {
        let path: Vec<&str> = std::iter::repeat_n("div", 500).collect();
        assert_eq!(shown(&path).matches("div").count(), MAX_PATH);
        assert_eq!(shown(&["body", "p"]), "body > p");
    }
}
