//! Rules that steer a crawl: only what their link tags and paging tags lead to is fetched.
//!
//! **What.** A *lead* says that a rule wants a URL's page read by one of its layers. Entries of rules are leads, and so is each address that
//! a link tag or a paging tag finds; a page is entered by its address too, as offline ([`EntryPatterns`]). [`Steering::look`] reads a page by
//! layers and says where they lead.
//!
//! **Definition.** A page entered is the first of its chain; one that a paging tag leads to is one further than the page that names it. Chains
//! are followed as far as a job that applies the rules reads them ([`MAX_PAGES`]), by the shortest way. Each (URL, rule, layer) is read
//! once, and once more where a shorter way to it is found: so layers that open each other and lists that lead in circles end.
//!
//! **Determinism.** The set of pages that rules lead to in the end depends on pages and rules alone, not on the order in which pages came.
//!
//! **Reference.** The method of patent CN101719124A, online; offline it is `webmill rules`.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::Xxh3;

use crate::Counted;
use webmill_capture::error::{Error, Result};
use webmill_capture::settings;
use webmill_capture::{CanonicalUrl, UrlKey};
use webmill_rules::{Answer, ApplyLimits, EntryPatterns, MAX_PAGES, PageResults, Rule, library};

/// Counts links of pages that no rule asks for.
pub const NO_RULE: &str = "no-rule";

settings! {
    /// Rules that steer the crawl: their links alone are followed.
    #[derive(PartialEq, Eq)]
    pub struct SteeringOptions {
        /// Rule files, and folders of them; `builtin:NAME` or `builtin:all` for those that come with the program. Where there are any, a page's
        /// links are followed only if a rule needs the page behind them. Default none.
        pub files: Vec<String> = Vec::new();
        /// Names of the files and what they hold, as it was when the crawl began: these are the rules that it goes on with.
        #[serde(skip)]
        pub texts: Vec<(String, String)> = Vec::new();
        /// Most pages of a chain that a paging tag leads along.
        #[serde(skip)]
        pub max_pages: u32 = MAX_PAGES;
    }
}

impl SteeringOptions {
    /// Whether there are any rules.
    pub fn is_empty(&self) -> bool {
        self.files.is_empty() && self.texts.is_empty()
    }

    /// Takes up what the files hold, unless that was done before.
    ///
    /// # Errors
    /// As of [`library::read`]; [`Error::Config`] where no file is there.
    pub fn read(&mut self) -> Result<()> {
        if self.texts.is_empty() && !self.files.is_empty() {
            self.texts = library::read(&self.files)?;
            if self.texts.is_empty() {
                return Err(Error::Config(format!(
                    "rules {}: no rule files (*.toml) there",
                    self.files.join(", ")
                )));
            }
        }
        Ok(())
    }

    /// All mistakes of the rules, each with the file that it is in, its line and what it is about.
    pub fn mistakes(&self) -> Vec<String> {
        let (_, mistakes) = library::parse(&self.texts);
        mistakes.into_iter().map(|(name, mistake)| format!("{name}: {mistake}")).collect()
    }
}

/// A rule wants the page of a URL read by a layer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Lead {
    /// Number of the rule.
    pub rule: u16,
    /// Number of the layer.
    pub layer: u16,
    /// Pages of the chain up to this one; 1: it is entered.
    pub steps: u32,
}

impl Lead {
    /// Whether both are of one layer.
    pub fn is_of_layer(self, other: Lead) -> bool {
        (self.rule, self.layer) == (other.rule, other.layer)
    }
}

/// An address that a rule found on a page.
#[derive(Debug, Clone, PartialEq)]
pub struct FoundAddress {
    /// The address.
    pub url: CanonicalUrl,
    /// What for.
    pub lead: Lead,
}

/// What looking at a page by rules gave.
#[derive(Debug, Default)]
pub struct RuleResults {
    /// By what it was looked at.
    pub leads: Vec<Lead>,
    /// Whether the page is of any of these layers.
    pub is_of: bool,
    /// Where that leads, each address once a layer, in the order of the page.
    pub led: Vec<FoundAddress>,
    /// Links that are not followed, by reason.
    pub refused: Counted,
}

/// The rules of a crawl.
#[derive(Debug)]
pub struct Steering {
    rules: Vec<Rule>,
    entered: EntryPatterns,
    /// Whether pages are entered for their address at all.
    enters: bool,
    limits: ApplyLimits,
    max_pages: u32,
    digest: u128,
}

impl Steering {
    /// The rules of these settings; `None`: there are none.
    ///
    /// # Errors
    /// [`Error::Config`] with all mistakes of the rules; as of [`SteeringOptions::read`]; [`Error::Limit`] where they are too many or
    /// their expressions too large.
    pub fn new(options: &SteeringOptions) -> Result<Option<Steering>> {
        if options.is_empty() {
            return Ok(None);
        }
        let mut options = options.clone();
        options.read()?;
        let (rules, mistakes) = library::parse(&options.texts);
        if !mistakes.is_empty() {
            let told: Vec<String> =
                mistakes.iter().map(|(name, mistake)| format!("{name}: {mistake}")).collect();
            return Err(Error::Config(told.join("; ")));
        }
        library::check_numbers(&rules)?;
        let entered = EntryPatterns::new(&rules)
            .map_err(|error| Error::Limit(format!("expressions of rules: {error}")))?;
        let enters = rules.iter().flat_map(|rule| &rule.layers).any(|layer| !layer.pages.is_empty());
        let digest = digest(&options);
        Ok(Some(Steering {
            rules,
            entered,
            enters,
            limits: ApplyLimits::default(),
            max_pages: options.max_pages,
            digest,
        }))
    }

    /// Tells these rules and bounds from others.
    pub fn digest(&self) -> u128 {
        self.digest
    }

    /// Whether pages are entered for their address, so that it is worth knowing addresses.
    pub fn enters_by_address(&self) -> bool {
        self.enters
    }

    /// Whether a page of this address is entered.
    pub fn enters(&self, url: &CanonicalUrl) -> bool {
        self.enters && !self.entered.of(url.as_str()).is_empty()
    }

    /// What a page is read by: these leads, and the layers that it is entered by for its address.
    pub fn leads(&self, url: &CanonicalUrl, known: Vec<Lead>) -> Vec<Lead> {
        let mut leads = known;
        if !self.enters {
            return leads;
        }
        for (rule, layer) in self.entered.of(url.as_str()) {
            let entered = Lead { rule: rule as u16, layer: layer as u16, steps: 1 };
            match leads.iter_mut().find(|lead| lead.is_of_layer(entered)) {
                Some(lead) => lead.steps = 1,
                None => leads.push(entered),
            }
        }
        leads.sort_unstable();
        leads
    }

    /// Reads a page by these leads.
    ///
    /// # Panics
    /// With leads of other rules.
    pub fn look(&self, page: &Answer<'_>, leads: &[Lead]) -> RuleResults {
        let layers: Vec<_> =
            leads.iter().map(|lead| (usize::from(lead.rule), usize::from(lead.layer))).collect();
        let found = page.find(&self.rules, &layers, &self.limits);
        let mut looked = RuleResults { leads: leads.to_vec(), ..RuleResults::default() };
        let mut known = HashMap::new();
        for (lead, results) in leads.iter().zip(found) {
            let Some(results) = results else { continue };
            looked.is_of = true;
            self.follow(*lead, &results, &mut looked, &mut known);
        }
        looked
    }

    /// Where results of a layer lead.
    fn follow(
        &self,
        from: Lead,
        found: &PageResults,
        looked: &mut RuleResults,
        known: &mut HashMap<(UrlKey, u16, u16), usize>,
    ) {
        for counts in &found.counts {
            if counts.no_address > 0 {
                looked.refused.add_many("rule-no-address", counts.no_address);
            }
            if counts.cut {
                looked.refused.add("rule-results-beyond-limit");
            }
        }
        let rule = &self.rules[usize::from(from.rule)];
        rule.each_lead(usize::from(from.layer), &found.results, &mut |to| {
            let Some(url) = CanonicalUrl::parse_stored(to.address).filter(CanonicalUrl::is_web) else {
                looked.refused.add("rule-no-address");
                return;
            };
            let steps = if to.continues { from.steps + 1 } else { 1 };
            if steps > self.max_pages {
                looked.refused.add("rule-max-pages");
                return;
            }
            let lead = Lead { rule: from.rule, layer: to.layer as u16, steps };
            match known.entry((url.key(), lead.rule, lead.layer)) {
                std::collections::hash_map::Entry::Occupied(at) => {
                    let before = &mut looked.led[*at.get()].lead.steps;
                    *before = steps.min(*before);
                }
                std::collections::hash_map::Entry::Vacant(place) => {
                    place.insert(looked.led.len());
                    looked.led.push(FoundAddress { url, lead });
                }
            }
        });
    }

    /// Visits the addresses that rules name, with what they are for; `None`: one that is no address.
    ///
    /// # Errors
    /// Those of `visit`.
    pub fn each_entry(&self, visit: &mut dyn FnMut(Option<CanonicalUrl>, Lead) -> Result<()>) -> Result<()> {
        for (number, rule) in self.rules.iter().enumerate() {
            for (layer, of) in rule.layers.iter().enumerate() {
                let lead = Lead { rule: number as u16, layer: layer as u16, steps: 1 };
                for address in of.entries.iter().flat_map(|entry| entry.each()) {
                    visit(CanonicalUrl::parse(&address).filter(CanonicalUrl::is_web), lead)?;
                }
            }
        }
        Ok(())
    }

    /// The first entry of each host: what the rules make belong to the crawl, as seeds do.
    pub fn sites(&self) -> Vec<CanonicalUrl> {
        let mut sites: Vec<CanonicalUrl> = Vec::new();
        let mut hosts = std::collections::HashSet::new();
        let found = self.each_entry(&mut |url, _| {
            sites.extend(url.filter(|url| hosts.insert(url.host().to_owned())));
            Ok(())
        });
        debug_assert!(found.is_ok(), "nothing there fails");
        sites
    }
}

fn digest(options: &SteeringOptions) -> u128 {
    let mut hash = Xxh3::new();
    let mut number = |n: u64| hash.update(&n.to_le_bytes());
    number(options.max_pages.into());
    for (_, text) in &options.texts {
        hash.update(&(text.len() as u64).to_le_bytes());
        hash.update(text.as_bytes());
    }
    hash.digest128()
}

#[cfg(test)]
mod tests {
    use super::*;

    const SHOP: &str = r#"
[rule]
id = "shop"
name = "A shop"

[[layer]]
id = "list"
paging = "next"
pages = ['/list']
entries = ["http://shop.example/list?page=<1,2,1,false>", "ftp://shop.example/", "http://other.example/"]

[[layer]]
id = "item"
from = "link"

[[tag]]
id = "link"
layer = "list"
css = "li a"
link = true

[[tag]]
id = "next"
layer = "list"
css = "a.next"
link = true

[[tag]]
id = "name"
layer = "item"
css = "h1"

[[group]]
name = "items"
columns = [{ name = "name", tag = "name" }]
"#;

    fn options(texts: &[&str]) -> SteeringOptions {
        let text = |(n, text): (usize, &&str)| (format!("{n}.toml"), (*text).to_owned());
        SteeringOptions { texts: texts.iter().enumerate().map(text).collect(), ..SteeringOptions::default() }
    }

    fn url(text: &str) -> CanonicalUrl {
        CanonicalUrl::parse(text).unwrap()
    }

    fn lead(layer: u16, steps: u32) -> Lead {
        Lead { rule: 0, layer, steps }
    }

    fn look(steering: &Steering, leads: &[Lead], body: &str) -> RuleResults {
        let url = url("http://shop.example/list");
        let page = Answer { url: &url, body: body.as_bytes(), charset: None, markup: None };
        steering.look(&page, leads)
    }

    #[test]
    fn links_enter_and_paging_goes_on_up_to_its_limit() {
        let options = SteeringOptions { max_pages: 3, ..options(&[SHOP]) };
        let steering = Steering::new(&options).unwrap().unwrap();
        let page = "<li><a href=/1>x</a><li><a href=/1#y>x</a><li><a href=mailto:a@b>m</a></li><a class=next href=?p=2>";
        let looked = look(&steering, &[lead(0, 2)], page);
        let led: Vec<_> = looked.led.iter().map(|led| (led.url.as_str(), led.lead)).collect();
        assert_eq!(
            led,
            [("http://shop.example/1", lead(1, 1)), ("http://shop.example/list?p=2", lead(0, 3))]
        );
        assert!(looked.is_of && looked.leads == [lead(0, 2)]);
        assert_eq!(looked.refused.get("rule-no-address"), 1);
        let last = look(&steering, &[lead(0, 3)], page);
        assert_eq!((last.led.len(), last.refused.get("rule-max-pages")), (1, 1));
        assert!(look(&steering, &[], page).led.is_empty());
    }

    #[test]
    fn pages_are_entered_by_address_and_entry() {
        let steering = Steering::new(&options(&[SHOP])).unwrap().unwrap();
        let list = url("http://shop.example/list?page=9");
        assert_eq!(steering.leads(&list, vec![lead(1, 1), lead(0, 7)]), [lead(0, 1), lead(1, 1)]);
        assert_eq!(steering.leads(&url("http://shop.example/x"), vec![lead(1, 1)]), [lead(1, 1)]);
        assert!(steering.enters(&list) && steering.enters_by_address());
        let mut entries = Vec::new();
        let mut visit = |url: Option<CanonicalUrl>, _| {
            entries.push(url.map(|url| url.to_string()));
            Ok(())
        };
        steering.each_entry(&mut visit).unwrap();
        let list = |n: u32| Some(format!("http://shop.example/list?page={n}"));
        assert_eq!(entries, [list(1), list(2), None, Some("http://other.example/".to_owned())]);
        let sites: Vec<String> = steering.sites().iter().map(|url| url.host().to_owned()).collect();
        assert_eq!(sites, ["shop.example", "other.example"]);
    }

    #[test]
    fn mistakes_are_told_and_rules_are_told_apart() {
        assert!(Steering::new(&SteeringOptions::default()).unwrap().is_none());
        let wrong = SHOP.replace("layer = \"item\"\ncss", "layer = \"nowhere\"\ncss");
        let options_of = |texts: &[&str]| options(texts);
        let mistakes = options_of(&[SHOP, SHOP, &wrong]).mistakes();
        assert_eq!(mistakes[0], "1.toml: rule: another rule has the id shop");
        assert!(mistakes[1].starts_with("2.toml: line "), "{mistakes:?}");
        let error = Steering::new(&options_of(&[&wrong])).unwrap_err().to_string();
        assert!(error.contains("0.toml: line "), "{error}");
        let digest = |options: &SteeringOptions| Steering::new(options).unwrap().unwrap().digest();
        let one = options_of(&[SHOP]);
        assert_eq!(digest(&one), digest(&one.clone()));
        assert_ne!(digest(&one), digest(&SteeringOptions { max_pages: 9, ..one.clone() }));
        let other = SHOP.replace("A shop", "A stop");
        assert_ne!(digest(&one), digest(&options_of(&[&other])));
    }
}
