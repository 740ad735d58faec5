//! The part about topics that were found without labels: names, sizes, words, the pages in their middle.

use webmill_capture::Result;
use webmill_report::{Html, Lang, Panel, Part, Top, TopRow, Word, thousands};
use webmill_run::Committed;
use webmill_table::{Reader, columns, part_files};

use super::Sources;
use crate::learn::cluster::tables::TopicWordsRow;

/// Topics that are shown, the largest.
const SHOWN: usize = 50;

columns! {
    struct Row from TopicWordsRow { topic, name, size, words, language, nearest }
}

/// A topic as it is shown.
pub struct Topic {
    name: String,
    size: u64,
    language: String,
    words: String,
    nearest: Vec<String>,
}

/// The largest topics, and how many there are; none where nothing was clustered.
///
/// # Errors
/// Where the table cannot be read.
pub fn read(sources: &Sources) -> Result<(Vec<Topic>, usize)> {
    sources.topics.as_ref().map_or_else(|| Ok((Vec::new(), 0)), of)
}

fn of(committed: &Committed) -> Result<(Vec<Topic>, usize)> {
    let (mut topics, mut all) = (Vec::new(), 0);
    let mut reader = Reader::<Row>::over(part_files(&committed.path("topic_words"))?);
    while let Some(batch) = reader.next()? {
        for row in batch.rows() {
            all += 1;
            if topics.len() < SHOWN {
                topics.push(Topic {
                    name: format!("{}  {}", row.topic, row.name),
                    size: row.size,
                    language: row.language.unwrap_or("und").to_owned(),
                    words: row.words.iter().collect::<Vec<_>>().join(", "),
                    nearest: row.nearest.iter().map(str::to_owned).collect(),
                });
            }
        }
    }
    Ok((topics, all))
}

/// The part; `None` where there are no topics.
pub fn part((topics, all): &(Vec<Topic>, usize), lang: Lang) -> Option<Part> {
    let word = |word| lang.word(word).to_owned();
    if topics.is_empty() {
        return None;
    }
    let row = |topic: &Topic| {
        let nearest: Vec<Html> = topic.nearest.iter().map(|url| Html::name(url)).collect();
        let cells = vec![
            thousands(topic.size).into(),
            Html::text(&topic.language),
            Html::text(&topic.words),
            Html::join(&nearest, " · "),
        ];
        TopRow { name: topic.name.clone(), title: None, cells }
    };
    let note = if *all > topics.len() {
        format!("{} / {}", topics.len(), thousands(*all as u64))
    } else {
        String::new()
    };
    let top = Top {
        title: word(Word::TopicsTitle),
        note,
        of: word(Word::Topic),
        columns: [Word::Pages, Word::Languages, Word::TopicWords, Word::TopicNearest].map(word).into(),
        rows: topics.iter().map(row).collect(),
    };
    let (title, note) = (word(Word::TopicsTitle), word(Word::TopicsNote));
    Some(Part { id: "topics".into(), title, note, cards: Vec::new(), panels: vec![Panel::Top(top)] })
}
