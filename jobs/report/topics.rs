//! The topics that were found without labels: names, sizes, words, the pages in their middle.

use serde::Serialize;
use webmill_capture::Result;
use webmill_table::{Reader, columns, part_files};

use super::Sources;
use crate::learn::cluster::tables::TopicWordsRow;

/// Topics that are shown, the largest.
const SHOWN: usize = 50;

columns! {
    struct Row from TopicWordsRow { topic, name, size, words, language, nearest }
}

/// A topic as it is shown.
#[derive(Serialize)]
struct Topic {
    name: String,
    size: u64,
    language: String,
    words: String,
    nearest: Vec<String>,
}

/// The largest topics, and how many there are.
#[derive(Default, Serialize)]
pub struct Topics {
    shown: Vec<Topic>,
    all: usize,
}

impl Topics {
    /// The topics of the sources; empty if nothing was clustered.
    ///
    /// # Errors
    /// Where the table cannot be read.
    pub fn read(sources: &Sources) -> Result<Self> {
        let mut topics = Topics::default();
        let Some(committed) = &sources.topics else { return Ok(topics) };
        let mut reader = Reader::<Row>::over(part_files(&committed.path("topic_words"))?);
        while let Some(batch) = reader.next()? {
            for row in batch.rows() {
                topics.all += 1;
                if topics.shown.len() < SHOWN {
                    topics.shown.push(Topic {
                        name: format!("{}  {}", row.topic, row.name),
                        size: row.size,
                        language: row.language.unwrap_or("und").to_owned(),
                        words: row.words.iter().collect::<Vec<_>>().join(", "),
                        nearest: row.nearest.iter().map(str::to_owned).collect(),
                    });
                }
            }
        }
        Ok(topics)
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.shown.is_empty()
    }
}
