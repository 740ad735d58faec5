//! The recipe: settings of the jobs, a TOML table a job.

use std::path::{Path, PathBuf};

use serde::Serialize;
use serde::de::DeserializeOwned;
use webmill_capture::error::AtPath;
use webmill_capture::settings::SettingGroup;
pub use webmill_capture::settings::within;
use webmill_capture::{Error, Result};

/// Settings of a job: a table of the recipe.
pub trait Settings: SettingGroup + Serialize + DeserializeOwned + Default {
    /// Name of the table: that of the job.
    const TABLE: &'static str;

    /// Refuses values that cannot work, as far as that shows without input and their [ranges](SettingGroup::check_ranges) do not say it.
    ///
    /// # Errors
    /// [`Error::Config`] that names the setting and its range.
    fn check(&self) -> Result<()> {
        Ok(())
    }
}

/// Settings as they were written, and as flags override them.
#[derive(Debug, Clone, Default)]
pub struct Recipe {
    path: Option<PathBuf>,
    tables: toml::Table,
}

impl Recipe {
    /// Reads a recipe.
    ///
    /// # Errors
    /// [`Error::Io`], or [`Error::Config`] where it is not TOML.
    pub fn read(path: &Path) -> Result<Self> {
        let text = std::fs::read_to_string(path).at(path)?;
        let tables = toml::from_str(&text)
            .map_err(|e| Error::Config(format!("recipe {} is not TOML: {e}", path.display())))?;
        Ok(Recipe { path: Some(path.to_path_buf()), tables })
    }

    /// A recipe that is not in a file of this machine; `path` is what messages call it.
    ///
    /// # Errors
    /// [`Error::Config`] where it is not TOML.
    pub fn of_text(text: &str, path: Option<&Path>) -> Result<Self> {
        let recipe = Recipe { path: path.map(Path::to_path_buf), ..Recipe::default() };
        let tables = toml::from_str(text).map_err(|e| recipe.error(&format!("is not TOML: {e}")))?;
        Ok(Recipe { tables, ..recipe })
    }

    /// The same without a table: for whom overrides some of its settings before it is checked.
    #[must_use]
    pub fn without(&self, table: &str) -> Self {
        let mut recipe = self.clone();
        recipe.tables.remove(table);
        recipe
    }

    /// Names a table, which asks for the job of its name, with whatever settings.
    pub fn name_table(&mut self, table: &str) {
        self.tables.entry(table).or_insert_with(|| toml::Table::new().into());
    }

    /// Overrides one setting.
    pub fn set(&mut self, table: &str, name: &str, value: impl Into<toml::Value>) {
        let entry = self.tables.entry(table).or_insert_with(|| toml::Table::new().into());
        if let Some(table) = entry.as_table_mut() {
            table.insert(name.to_owned(), value.into());
        }
    }

    /// Overrides one setting as it is typed after `--set`: `rank.damping=0.9`, `crawl.fetch.cookies=true`. The left side is a key of TOML,
    /// the right side a value of TOML or, where it is none, a text.
    ///
    /// # Errors
    /// [`Error::Config`] where no table, no setting or no value is named.
    pub fn assign(&mut self, text: &str) -> Result<()> {
        let wrong = || Error::Config(format!("--set {text}: write TABLE.KEY=VALUE, as rank.damping=0.9"));
        let (key, value) = text.split_once('=').ok_or_else(wrong)?;
        let quoted = toml::Value::from(value.trim()).to_string();
        let typed = format!("{key} = {value}").parse().ok().filter(|table: &toml::Table| table.len() == 1);
        let table: toml::Table = match typed {
            Some(table) => table,
            None => format!("{key} = {quoted}").parse().map_err(|_| wrong())?,
        };
        if table.len() != 1 || table.values().any(|value| !value.is_table()) {
            return Err(wrong());
        }
        merge(&mut self.tables, table);
        Ok(())
    }

    /// Whether it says something of a setting.
    pub fn has(&self, table: &str, name: &str) -> bool {
        self.tables.get(table).and_then(|table| table.get(name)).is_some()
    }

    /// Names of its tables.
    pub fn tables(&self) -> impl Iterator<Item = &str> {
        self.tables.keys().map(String::as_str)
    }

    /// The settings of a job, checked; its defaults where the recipe is silent.
    ///
    /// # Errors
    /// [`Error::Config`] that names recipe, table and setting.
    pub fn settings<S: Settings>(&self) -> Result<S> {
        let settings: S = self.unchecked()?;
        let checked = settings.check_ranges("").and_then(|()| settings.check());
        checked.map_err(|e| self.error(&format!("[{}]: {e}", S::TABLE)))?;
        Ok(settings)
    }

    /// The settings of a job as they are written: for those who change some of them before they check.
    ///
    /// # Errors
    /// [`Error::Config`] for a setting that is unknown or of another type.
    pub fn unchecked<S: Settings>(&self) -> Result<S> {
        let Some(table) = self.tables.get(S::TABLE) else { return Ok(S::default()) };
        let settings = table.clone().try_into();
        settings
            .map_err(|e: toml::de::Error| self.error(&format!("[{}]: {}", S::TABLE, e.to_string().trim())))
    }

    /// A complaint about the recipe as a whole.
    pub(crate) fn error(&self, why: &str) -> Error {
        Error::Config(format!("{}{why}", self.name()))
    }

    fn name(&self) -> String {
        self.path.as_ref().map_or_else(String::new, |path| format!("recipe {}, ", path.display()))
    }
}

/// Puts the values of one table into another, tables into tables.
fn merge(into: &mut toml::Table, from: toml::Table) {
    for (key, value) in from {
        match (into.get_mut(&key), value) {
            (Some(toml::Value::Table(below)), toml::Value::Table(value)) => merge(below, value),
            (_, value) => drop(into.insert(key, value)),
        }
    }
}

/// Checks the settings `S` of a recipe: what a job's entry says of its table.
///
/// # Errors
/// Like [`Recipe::settings`].
pub fn check_settings<S: Settings>(recipe: &Recipe) -> Result<()> {
    recipe.settings::<S>().map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;

    webmill_capture::settings! {
        /// How tea is made.
        #[derive(PartialEq)]
        pub struct Tea {
            /// Minutes in hot water.
            minutes: u32 = 0, within 0..=9;
        }
    }

    impl Settings for Tea {
        const TABLE: &'static str = "tea";
    }

    #[test]
    fn flags_override_and_mistakes_are_named() {
        let mut recipe =
            Recipe { path: Some("r.toml".into()), tables: toml::from_str("[tea]\nminutes = 3").unwrap() };
        assert_eq!(recipe.settings::<Tea>().unwrap(), Tea { minutes: 3 });
        recipe.set("tea", "minutes", 12);
        let error = recipe.settings::<Tea>().unwrap_err().to_string();
        assert_eq!(error, "recipe r.toml, [tea]: minutes = 12 is not within 0..=9");
        recipe.set("tea", "sugar", true);
        assert!(recipe.settings::<Tea>().unwrap_err().to_string().contains("sugar"));
        assert_eq!(Recipe::default().settings::<Tea>().unwrap(), Tea::default());
    }

    #[test]
    fn settings_are_typed_as_keys_and_values_of_toml() {
        let mut recipe = Recipe::default();
        for text in [
            "tea.minutes=3",
            "tea.kind.leaf=green tea",
            "tea.kind.sorts=[\"a\", \"b\"]",
            "tea.kind.\"a.b\"=true",
            "tea.minutes=4",
        ] {
            recipe.assign(text).unwrap();
        }
        let want =
            "[tea]\nminutes = 4\n[tea.kind]\nleaf = \"green tea\"\nsorts = [\"a\", \"b\"]\n\"a.b\" = true\n";
        assert_eq!(recipe.tables, toml::from_str(want).unwrap());
        for wrong in ["tea", "tea=3", "=3", "tea.=3", "tea.minutes"] {
            let error = recipe.assign(wrong).unwrap_err().to_string();
            assert!(error.starts_with(&format!("--set {wrong}: write TABLE.KEY=VALUE")), "{error}");
        }
    }
}
