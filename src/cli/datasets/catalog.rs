//! The catalog: `datasets/catalog.toml`, embedded.

use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};

/// All datasets.
#[derive(Debug, Serialize, Deserialize)]
pub struct Catalog {
    /// In the order of the file.
    pub dataset: Vec<Dataset>,
}

/// A corpus of the catalogue.
#[derive(Debug, Serialize, Deserialize)]
pub struct Dataset {
    /// What users call it.
    pub name: String,
    /// Its contents.
    pub about: String,
    /// Where it comes from.
    #[serde(flatten)]
    pub source: DatasetSource,
}

/// Where a dataset comes from.
#[derive(Debug, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub enum DatasetSource {
    /// A Debian package whose files are pages.
    Debian {
        /// Its name.
        package: String,
        /// Which folders are sites.
        roots: Vec<Root>,
    },
    /// Shards behind URLs.
    Crawl {
        /// Where they are.
        urls: Vec<String>,
        /// Their digests, in the same order; empty where the publisher gives none.
        #[serde(default)]
        sha256: Vec<String>,
    },
}

/// A folder whose files are the pages of a site.
#[derive(Debug, Serialize, Deserialize)]
pub struct Root {
    /// Path in the package, without slashes at the ends.
    pub folder: String,
    /// URL of the folder, with its slash.
    pub site: String,
}

impl Catalog {
    /// The catalog that this program was built with.
    pub fn embedded() -> Result<Self> {
        toml::from_str(include_str!("../../../datasets/catalog.toml")).context("datasets/catalog.toml")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_catalog_is_sound() {
        let catalog = Catalog::embedded().unwrap();
        let mut names: Vec<_> = catalog.dataset.iter().map(|d| d.name.clone()).collect();
        names.sort();
        names.dedup();
        assert_eq!(names.len(), catalog.dataset.len());
        for dataset in catalog.dataset {
            match dataset.source {
                DatasetSource::Debian { roots, .. } => {
                    for root in roots {
                        assert!(webmill_capture::CanonicalUrl::parse(&root.site).is_some(), "{}", root.site);
                        assert!(
                            root.site.ends_with('/')
                                && !root.folder.ends_with('/')
                                && !root.folder.starts_with('/')
                        );
                    }
                }
                DatasetSource::Crawl { urls, sha256 } => {
                    assert!(sha256.is_empty() || sha256.len() == urls.len())
                }
            }
        }
    }
}
