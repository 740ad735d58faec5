//! Job keys: what makes two runs the same run.
//!
//! key = xxh3-128 of the canonical JSON (sorted object keys, no white space) of name, version, configuration, sorted
//! digests of the shipped models and data tables that the job uses ([`Job::ingredients`]), sorted digests and names of
//! the inputs and keys of the jobs upstream. Threads, memory, paths and times are not in it.

use std::fmt;
use webmill_capture::cut::Cut;

use serde::Serialize;

use crate::{Ingredient, Inputs, Job, digest_bytes, hex128};
use webmill_capture::error::{Error, Result};

/// Key of a job: 32 hex digits.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
pub struct JobKey(String);

impl JobKey {
    /// The hex digits.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// A 64-bit number for seeding, the same for the same key.
    pub fn seed(&self) -> u64 {
        u64::from_str_radix(self.0.cut(..16), 16).unwrap_or(0)
    }
}

impl fmt::Display for JobKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[derive(Serialize)]
struct Material<'a> {
    name: &'a str,
    version: u32,
    configuration: &'a serde_json::Value,
    ingredients: &'a [Ingredient],
    inputs: Vec<String>,
    upstream: Vec<String>,
}

/// The key of `job` over `inputs`.
///
/// # Errors
/// [`Error::Internal`] where the configuration does not serialise.
pub fn job_key<J: Job>(job: &J, inputs: &Inputs) -> Result<JobKey> {
    JobDescription::new(job)?.key(inputs)
}

/// What a job is beside its code: the same type for every job, so that the runtime is compiled once.
pub(crate) struct JobDescription {
    pub name: &'static str,
    pub version: u32,
    /// Whether there is a list of rejects even where nothing was rejected.
    pub reads_records: bool,
    /// As it stands in the manifest.
    pub configuration: serde_json::Value,
    /// In the order in which they stand in key and manifest.
    pub ingredients: Vec<Ingredient>,
}

impl JobDescription {
    /// What `job` is.
    ///
    /// # Errors
    /// [`Error::Internal`] where the configuration does not serialise.
    pub fn new<J: Job>(job: &J) -> Result<Self> {
        let configuration = serde_json::to_value(job);
        let failed = |e| Error::Internal(format!("configuration of {}: {e}", J::NAME));
        let configuration = sorted(configuration.map_err(failed)?);
        let mut ingredients = job.ingredients();
        ingredients.sort();
        let (name, version, reads_records) = (J::NAME, J::VERSION, J::READS_RECORDS);
        Ok(JobDescription { name, version, reads_records, configuration, ingredients })
    }

    /// Its key over `inputs`.
    pub fn key(&self, inputs: &Inputs) -> Result<JobKey> {
        // Names are part of it because they stand in the tables as provenance.
        let mut digests: Vec<String> =
            inputs.files.iter().map(|f| format!("{}:{}", f.digest, f.name)).collect();
        digests.sort_unstable();
        let mut upstream: Vec<String> =
            inputs.upstream.iter().map(|u| format!("{}/{}", u.job, u.key)).collect();
        upstream.sort_unstable();
        let material = Material {
            name: self.name,
            version: self.version,
            configuration: &self.configuration,
            ingredients: &self.ingredients,
            inputs: digests,
            upstream,
        };
        let value = serde_json::to_value(&material).map_err(|e| Error::Internal(e.to_string()))?;
        Ok(JobKey(hex128(digest_bytes(sorted(value).to_string().as_bytes()))))
    }
}

/// The value with the keys of its objects in order. `serde_json` keeps them so by itself until some crate of the program turns
/// its feature `preserve_order` on: keys must not depend on that.
fn sorted(mut value: serde_json::Value) -> serde_json::Value {
    value.sort_all_objects();
    value
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{JobInput, Stage};

    struct NoInput;

    impl JobInput for NoInput {
        fn inputs(&self) -> Inputs {
            Inputs::default()
        }
    }

    #[derive(serde::Serialize)]
    struct Sum {
        depth: u32,
        #[serde(skip)]
        model: &'static [u8],
    }

    impl Job for Sum {
        type Input = NoInput;
        const NAME: &'static str = "sum";
        const VERSION: u32 = 1;

        fn ingredients(&self) -> Vec<Ingredient> {
            vec![Ingredient::of_bytes("model", [self.model])]
        }

        fn run(&self, _: &NoInput, _: &Stage<'_>) -> Result<()> {
            Ok(())
        }
    }

    #[test]
    fn another_setting_or_another_model_is_another_key() {
        let key = |depth, model| job_key(&Sum { depth, model }, &Inputs::default()).unwrap();
        assert_eq!(key(1, b"a"), key(1, b"a"));
        assert_ne!(key(1, b"a"), key(2, b"a"));
        assert_ne!(key(1, b"a"), key(1, b"b"));
    }

    #[test]
    fn keys_of_objects_are_sorted() {
        let text = sorted(serde_json::json!({ "b": 1, "a": { "d": 2, "c": 3 } })).to_string();
        assert_eq!(text, r#"{"a":{"c":3,"d":2},"b":1}"#);
    }
}
