//! The collections that are served: each has an index, records, and rules about who may see which capture.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use crate::index::CaptureSource;
use crate::index::query::KeyOf;
use crate::index::store::Store;
use webmill_capture::{Error, Result};

use crate::access::AccessRules;
use crate::record::RecordStore;
use crate::site::{Facts, NoFacts, Survey};

/// Longest name of a collection.
const MAX_NAME: usize = 100;
/// Names that mean something else in addresses.
pub const RESERVED_NAMES: [&str; 4] = ["static", "search", "robots.txt", "favicon.ico"];

/// Captures of one name.
pub struct Collection {
    /// The name in addresses.
    pub name: String,
    /// What people call it, where that is known.
    pub title: Option<String>,
    /// What it holds, in words.
    pub description: Option<String>,
    /// Which captures there are.
    pub index: Arc<dyn CaptureSource>,
    /// Their records.
    pub records: Arc<dyn RecordStore>,
    /// Where captures can be added and deleted over HTTP; `None`: nowhere.
    pub writable: Option<Arc<Store>>,
    /// Who may see what.
    pub access: AccessRules,
    /// Known facts about its pages beside the index.
    pub facts: Arc<dyn Facts>,
    /// Its numbers, counted when they are first shown, and again after it was written to.
    survey: Mutex<Option<Arc<Survey>>>,
}

impl Collection {
    /// A collection that everybody may see and nobody may change.
    pub fn new(name: &str, index: Arc<dyn CaptureSource>, records: Arc<dyn RecordStore>) -> Collection {
        Collection {
            name: name.to_owned(),
            title: None,
            description: None,
            index,
            records,
            writable: None,
            access: AccessRules::default(),
            facts: Arc::new(NoFacts),
            survey: Mutex::default(),
        }
    }

    /// Its numbers; `count` counts them where nobody has. Who asks meanwhile waits for the same numbers.
    pub(crate) fn survey(&self, count: impl FnOnce() -> Result<Survey>) -> Result<Arc<Survey>> {
        let mut counted = self.survey.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(survey) = &*counted {
            return Ok(Arc::clone(survey));
        }
        Ok(Arc::clone(counted.insert(Arc::new(count()?))))
    }

    /// Its numbers are no longer right: they are counted anew when they are next shown.
    pub(crate) fn changed(&self) {
        *self.survey.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }
}

/// All collections of a server.
pub struct Archive {
    collections: BTreeMap<String, Collection>,
    /// Makes the keys that the indexes are sorted by.
    pub key: KeyOf,
}

impl Archive {
    /// An archive without collections whose indexes are sorted by `key`.
    pub fn new(key: KeyOf) -> Archive {
        Archive { collections: BTreeMap::new(), key }
    }

    /// Adds a collection.
    ///
    /// # Errors
    /// [`Error::Config`] for a name that is taken, or not made of letters, digits, `-`, `_` and `.` (not at its start).
    pub fn add(&mut self, collection: Collection) -> Result<()> {
        let name = &collection.name;
        let fine = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
        if name.is_empty() || name.len() > MAX_NAME || name.starts_with('.') || !name.chars().all(fine) {
            return Err(Error::Config(format!(
                "a collection cannot be called {name:?}: letters, digits, '-', '_' and '.' make a name"
            )));
        }
        if RESERVED_NAMES.contains(&name.as_str()) || self.collections.contains_key(name) {
            return Err(Error::Config(format!("the name {name:?} of a collection is taken")));
        }
        self.collections.insert(name.clone(), collection);
        Ok(())
    }

    /// The collection of a name.
    pub fn collection(&self, name: &str) -> Option<&Collection> {
        self.collections.get(name)
    }

    /// All collections by name.
    pub fn collections(&self) -> impl Iterator<Item = &Collection> {
        self.collections.values()
    }
}
