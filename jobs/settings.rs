//! Arguments that all jobs share.

use std::path::PathBuf;

use webmill_capture::Result;
use webmill_run::{Cancel, Progress, Runtime};

use crate::builtin::registry;
use crate::job::Context;
use crate::recipe::Recipe;
use crate::rejects::RejectTable;

/// Options of every job.
#[derive(Debug, Clone, clap::Args)]
pub struct Common {
    /// Folder for results; each job commits to OUT/JOB/.keys/KEY, and OUT/JOB/latest leads there.
    #[arg(long, value_name = "DIR")]
    pub out: PathBuf,
    /// The others.
    #[command(flatten)]
    pub shared: Shared,
}

/// Options of every job but for its folder.
#[derive(Debug, Clone, clap::Args)]
pub struct Shared {
    /// Settings of the jobs, one table a job; flags override it.
    #[arg(long, value_name = "FILE.toml")]
    pub recipe: Option<PathBuf>,
    /// Threads that a job uses, from 1 to 64 or eight a processor [default: all processors]. Does not change a byte of the results.
    #[arg(long, value_name = "N", value_parser = parse_threads)]
    pub threads: Option<usize>,
    /// Memory to stay within, as 512MiB or 4GiB. Does not change a byte of the results.
    #[arg(long, value_name = "SIZE", default_value = "4GiB", value_parser = parse_memory)]
    pub memory: u64,
    /// Share of damaged records, or of lost bytes, beyond which nothing is committed.
    #[arg(long, value_name = "SHARE", default_value_t = 0.01, value_parser = parse_share)]
    pub max_bad: f64,
    /// Say of each job where its time went: seconds, bytes, and seconds of threads by part of the work
    #[arg(long)]
    pub timings: bool,
    /// Say what would be done and where, and do nothing.
    #[arg(long)]
    pub dry_run: bool,
}

impl Common {
    /// The context that these options describe, for the jobs of this process.
    ///
    /// # Errors
    /// Where the recipe cannot be read or has a mistake anywhere.
    pub fn context<'a>(&self, progress: &'a dyn Progress, cancel: &'a Cancel) -> Result<Context<'a>> {
        self.context_with(self.shared.recipe()?, progress, cancel)
    }

    /// The same with a recipe that flags have overridden.
    ///
    /// # Errors
    /// Where the recipe has a mistake anywhere.
    pub fn context_with<'a>(
        &self,
        recipe: Recipe,
        progress: &'a dyn Progress,
        cancel: &'a Cancel,
    ) -> Result<Context<'a>> {
        let runtime = Runtime {
            out: self.out.clone(),
            threads: self.shared.threads(),
            memory: self.shared.memory,
            max_bad: self.shared.max_bad,
            progress,
            cancel,
            rejects: &RejectTable,
        };
        Ok(Context::new(registry(), recipe, runtime)?
            .dry_run(self.shared.dry_run)
            .timings(self.shared.timings))
    }
}

impl Shared {
    /// Threads to use.
    pub fn threads(&self) -> usize {
        self.threads.unwrap_or_else(processors)
    }

    /// The recipe, checked whole.
    ///
    /// # Errors
    /// Where it cannot be read or has a mistake anywhere.
    pub fn recipe(&self) -> Result<Recipe> {
        let recipe = self.read_recipe()?;
        registry().check_recipe(&recipe)?;
        Ok(recipe)
    }

    /// The recipe as it is written, for commands whose flags override some of it before it is checked.
    ///
    /// # Errors
    /// Where it cannot be read.
    pub fn read_recipe(&self) -> Result<Recipe> {
        self.recipe.as_ref().map_or_else(|| Ok(Recipe::default()), |path| Recipe::read(path))
    }

    /// A thread pool of these threads.
    ///
    /// # Errors
    /// Where they cannot be started.
    pub fn pool(&self) -> Result<rayon::ThreadPool> {
        let threads = self.threads();
        rayon::ThreadPoolBuilder::new().num_threads(threads).build().map_err(|e| {
            webmill_capture::Error::Config(format!("--threads {threads}: they cannot be started: {e}"))
        })
    }
}

/// Processors that this process may use.
pub fn processors() -> usize {
    std::thread::available_parallelism().map_or(1, |n| n.get())
}

/// Parses a number of threads. More than eight a processor only wait for each other.
///
/// # Errors
/// For what is no number, none, or so many that the machine would be of no use.
pub fn parse_threads(text: &str) -> Result<usize, String> {
    let most = (8 * processors()).max(64);
    match text.parse::<usize>() {
        Ok(threads) if (1..=most).contains(&threads) => Ok(threads),
        _ => Err(format!("{text}: a number of threads from 1 to {most} is needed")),
    }
}

/// Least memory that jobs can work with: buffers of rows and of sorts.
const MIN_MEMORY: u64 = 64 << 20;

/// Parses a size of memory that jobs can work with.
///
/// # Errors
/// For what is no size, or too small.
pub fn parse_memory(text: &str) -> Result<u64, String> {
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
///
/// # Errors
/// For what is no size.
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
    use super::{parse_size, parse_threads};

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
    #[test]
    fn threads_are_bounded() {
        assert_eq!(parse_threads("3"), Ok(3));
        for bad in ["0", "100000", "-1", "many", ""] {
            assert!(parse_threads(bad).unwrap_err().contains("from 1 to"), "{bad}");
        }
    }
}
