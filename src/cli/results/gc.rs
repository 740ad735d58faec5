//! `webmill results gc`: what the latest results do not need goes away.

use std::path::Path;
use std::process::ExitCode;

use anyhow::Result;
use webmill_run::{Cancel, layout};

use super::inventory::{Inventory, State};
use webmill_jobs::catalogue;
use webmill_jobs::console::{Console, megabytes};

pub fn run(results: &Path, dry_run: bool, cancel: &Cancel) -> Result<ExitCode> {
    let inventory = Inventory::of(results)?;
    let mut tally = Tally { results, dry_run, cancel, removed: 0, bytes: 0 };
    let unneeded: Vec<_> = inventory.keys.iter().filter(|key| key.state == State::Unneeded).collect();
    if inventory.is_running() && !unneeded.is_empty() {
        webmill_jobs::say!(
            "a job is running here and may read them: {} unneeded keys stay for now",
            unneeded.len()
        );
    } else if let Some(damaged) = inventory.keys.iter().find(|key| is_damaged(&key.state))
        && !unneeded.is_empty()
    {
        webmill_jobs::say!(
            "{} {} cannot be opened, and what it was made from is not known: {} unneeded keys stay; see `webmill results \
             verify`",
            damaged.job,
            damaged.key,
            unneeded.len()
        );
    } else {
        for key in unneeded {
            tally.remove(&key.job, &key.key, &key.folder, key.bytes)?;
        }
    }
    for unfinished in inventory.unfinished.iter().filter(|unfinished| !unfinished.is_locked) {
        tally.remove(&unfinished.job, &unfinished.key, &unfinished.path, unfinished.bytes)?;
    }
    let (did, removed, bytes) = (if dry_run { "would free" } else { "freed" }, tally.removed, tally.bytes);
    webmill_jobs::say!("{removed} removed, {did} {} ({bytes} bytes)", megabytes(bytes));
    if !dry_run && removed > 0 {
        catalogue::refresh(results, webmill_jobs::builtin::registry(), &Console::new(false));
    }
    Ok(ExitCode::SUCCESS)
}

fn is_damaged(state: &State) -> bool {
    matches!(state, State::Damaged(_))
}

struct Tally<'a> {
    results: &'a Path,
    dry_run: bool,
    cancel: &'a Cancel,
    removed: u64,
    bytes: u64,
}

impl Tally<'_> {
    /// Removes a key's folder or file unless a process holds it; says what and how many bytes.
    fn remove(&mut self, job: &str, key: &str, path: &Path, bytes: u64) -> Result<()> {
        self.cancel.check()?;
        let shown = path.strip_prefix(self.results).unwrap_or(path).display();
        if !self.dry_run && !layout::remove(self.results, job, key, path)? {
            webmill_jobs::say!("{shown}: in use, stays");
            return Ok(());
        }
        webmill_jobs::print(&format!("{shown}\t{bytes}\n"))?;
        self.removed += 1;
        self.bytes += bytes;
        Ok(())
    }
}
