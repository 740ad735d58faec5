//! What extraction knows beside its code: learnt models and lists of words. Whoever keeps results compares these by a digest.

/// Name and content of every model and list: the files themselves.
pub const MODELS_AND_LISTS: &[(&str, &[u8])] = &[
    ("types", include_bytes!("choice/models/types.txt")),
    ("blocks", include_bytes!("choice/models/blocks.txt")),
    ("doubtful", include_bytes!("choice/models/doubtful.txt")),
    ("brief", include_bytes!("choice/models/brief.txt")),
    ("confidence", include_bytes!("choice/models/confidence.txt")),
    ("class names", include_bytes!("blocks/class_names.txt")),
    ("schema types", include_bytes!("blocks/schema_types.rs")),
    ("boilerplate phrases", include_bytes!("choice/boilerplate_phrases.txt")),
    ("Chinese phrases", include_bytes!("choice/chinese_phrases.txt")),
    ("languages", crate::language::TABLE),
    ("codes of languages", include_bytes!("language/iso639_1.txt")),
    ("function words", include_bytes!("language/function_words.txt")),
    ("names of people", include_bytes!("person_name.txt")),
    ("labels of dates", include_bytes!("metadata/date_labels.txt")),
    ("stop words", include_bytes!("terms/stop_words.txt")),
];
