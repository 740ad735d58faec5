//! Arguments that all jobs share: low-level parsing here, meaning in the jobs.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use serde::de::DeserializeOwned;
use webmill_run::{Cancel, Progress, Runtime};

use crate::rejects::RejectTable;

/// Options of every job.
#[derive(Debug, Clone, clap::Args)]
pub struct Common {
    /// Folder for results; each job commits to OUT/JOB/KEY.
    #[arg(long, value_name = "DIR")]
    pub out: PathBuf,
    #[command(flatten)]
    pub settings: Settings,
}

/// Options of every job but for its folder.
#[derive(Debug, Clone, clap::Args)]
pub struct Settings {
    /// Settings of the jobs, one table a job; flags override it.
    #[arg(long, value_name = "FILE.toml")]
    pub recipe: Option<PathBuf>,
    /// Threads to use [default: all processors]. Does not change a byte of the results.
    #[arg(long, value_name = "N")]
    pub threads: Option<usize>,
    /// Memory to stay within, as 512MiB or 4GiB. Does not change a byte of the results.
    #[arg(long, value_name = "SIZE", default_value = "4GiB", value_parser = parse_memory)]
    pub memory: u64,
    /// Share of damaged records beyond which nothing is committed.
    #[arg(long, value_name = "SHARE", default_value_t = 0.01, value_parser = parse_share)]
    pub max_bad: f64,
    /// Say what would be done and where, and do nothing.
    #[arg(long)]
    pub dry_run: bool,
}

impl Common {
    /// Threads to use.
    pub fn threads(&self) -> usize {
        self.settings.threads()
    }

    /// Settings of `job` from the recipe, its defaults where the recipe is silent.
    pub fn recipe<T: DeserializeOwned + Default>(&self, job: &str) -> Result<T> {
        self.settings.recipe(job)
    }

    /// The runtime that these options describe.
    pub fn runtime<'a>(&self, progress: &'a dyn Progress, cancel: &'a Cancel) -> Runtime<'a> {
        Runtime {
            out: self.out.clone(),
            threads: self.threads(),
            memory: self.settings.memory,
            max_bad: self.settings.max_bad,
            progress,
            cancel,
            rejects: &RejectTable,
        }
    }
}

impl Settings {
    /// Threads to use.
    pub fn threads(&self) -> usize {
        self.threads
            .filter(|n| *n > 0)
            .unwrap_or_else(|| std::thread::available_parallelism().map_or(1, |n| n.get()))
    }

    /// Settings of `job` from the recipe, its defaults where the recipe is silent.
    pub fn recipe<T: DeserializeOwned + Default>(&self, job: &str) -> Result<T> {
        self.recipe.as_ref().map_or_else(|| Ok(T::default()), |path| recipe_table(path, job))
    }
}

/// Table `job` of the recipe at `path`; its defaults where the recipe is silent.
pub fn recipe_table<T: DeserializeOwned + Default>(path: &Path, job: &str) -> Result<T> {
    let text = std::fs::read_to_string(path).with_context(|| format!("recipe {}", path.display()))?;
    let mut tables: toml::Table =
        toml::from_str(&text).with_context(|| format!("recipe {} is not TOML", path.display()))?;
    if let Some(name) = tables.keys().find(|name| !RECIPE_TABLES.contains(&name.as_str())) {
        bail!("recipe {}: no job is called [{name}]; jobs: {}", path.display(), RECIPE_TABLES.join(", "));
    }
    match tables.remove(job) {
        None => Ok(T::default()),
        Some(table) => table.try_into().with_context(|| format!("recipe {}, table [{job}]", path.display())),
    }
}

const RECIPE_TABLES: &[&str] = &["crawl", "extract", "graph", "rank", "shape", "dedup", "keywords", "report"];

/// Least memory that jobs can work with: buffers of rows and of sorts.
const MIN_MEMORY: u64 = 64 << 20;

fn parse_memory(text: &str) -> Result<u64, String> {
    let bytes = parse_size(text)?;
    if bytes < MIN_MEMORY { Err(format!("{text}: at least 64MiB are needed")) } else { Ok(bytes) }
}

fn parse_share(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(share) if (0.0..=1.0).contains(&share) => Ok(share),
        _ => Err(format!("{text}: a share from 0 to 1 is needed")),
    }
}

/// Parses `512MiB`, `4GiB`, `1.5G`, `65536`.
pub fn parse_size(text: &str) -> Result<u64, String> {
    let text = text.trim();
    let digits = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let (number, unit) = text.split_at(digits);
    let number: f64 = number.parse().map_err(|_| format!("{text}: not a size; write 512MiB or 4GiB"))?;
    let factor = match unit.trim().to_ascii_lowercase().as_str() {
        "" | "b" => 1.0,
        "k" | "kib" => 1024.0,
        "m" | "mib" => 1024.0 * 1024.0,
        "g" | "gib" => 1024.0 * 1024.0 * 1024.0,
        "t" | "tib" => 1024.0 * 1024.0 * 1024.0 * 1024.0,
        "kb" => 1e3,
        "mb" => 1e6,
        "gb" => 1e9,
        "tb" => 1e12,
        other => return Err(format!("{other}: unknown unit; use KiB, MiB, GiB or TiB")),
    };
    let bytes = number * factor;
    if !bytes.is_finite() || bytes >= u64::MAX as f64 {
        return Err(format!("{text}: too large"));
    }
    Ok(bytes as u64)
}

#[cfg(test)]
mod tests {
    use super::parse_size;

    #[test]
    fn sizes() {
        let table: &[(&str, Option<u64>)] = &[
            ("65536", Some(65_536)),
            ("4GiB", Some(4 << 30)),
            ("1.5k", Some(1536)),
            ("2MB", Some(2_000_000)),
            (" 1 GiB ", Some(1 << 30)),
            ("", None),
            ("GiB", None),
            ("1XB", None),
            ("99999999999999TiB", None),
        ];
        for (text, want) in table {
            assert_eq!(parse_size(text).ok(), *want, "{text}");
        }
    }
}
