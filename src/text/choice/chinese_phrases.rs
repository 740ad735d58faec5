//! Labels, tools and paths around Chinese texts, as the [rules](super::chinese_boilerplate) look for them.

use std::sync::LazyLock;

use crate::word_list::section;

/// A list of phrases.
pub(super) type List = LazyLock<Vec<&'static str>>;

fn named(name: &str) -> Vec<&'static str> {
    section(include_str!("chinese_phrases.txt"), name)
}

pub(super) static CREDITS: List = LazyLock::new(|| named("credits"));
pub(super) static PATHS: List = LazyLock::new(|| named("paths"));
pub(super) static FACTS: List = LazyLock::new(|| named("facts"));
pub(super) static SURE_TOOLS: List = LazyLock::new(|| named("sure_tools"));
pub(super) static TOOLS: List = LazyLock::new(|| named("tools"));
pub(super) static RELATED: List = LazyLock::new(|| named("related"));
pub(super) static PROFILE: List = LazyLock::new(|| named("profile"));
