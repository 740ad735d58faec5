//! Visiting pages: those that are entered, then, wave by wave, those that links lead to.

use webmill_capture::{CanonicalUrl, Result};
use webmill_rules::{ApplyLimits, Rule, TagNumber, TagResult};
use webmill_run::{Measure, Reject, Unit};

use super::store::{Place, Store, Stored, Task, Way};
use super::tally::{MISSING_PAGE, Tally};
use super::tops::Gathered;
use super::visit::{Visit, Visitor, WantedPage};

/// Tasks that are looked up at once.
const AT_ONCE: usize = 4096;

/// Visits all pages that entries name, and those that links lead to from them and from the pages that the scan read.
///
/// # Errors
/// Where the disk refuses.
pub fn run(
    visitor: &Visitor<'_>,
    (store, tops): (&Store, &mut Gathered),
    unit: &mut Unit<'_>,
    tally: &mut Tally,
) -> Result<()> {
    let chunk = (unit.stage().memory as usize / 2 / ApplyLimits::default().bytes).clamp(16, 1024);
    let mut waves = Waves { visitor, rules: visitor.rules, store, tops, chunk, wave: 0 };
    unit.stage().progress.begin("rules", 0, Measure::Items);
    waves.follow_found(unit, tally)?;
    entries(visitor.rules, store, unit, tally)?;
    while waves.visit(unit, tally)? {
        waves.wave += 1;
    }
    unit.stage().progress.end();
    Ok(())
}

/// Adds the addresses that rules name to the first wave.
fn entries(rules: &[Rule], store: &Store, unit: &mut Unit<'_>, tally: &mut Tally) -> Result<()> {
    for (number, rule) in rules.iter().enumerate() {
        for (layer, of) in rule.layers.iter().enumerate() {
            for address in of.entries.iter().flat_map(|entry| entry.each()) {
                unit.stage().cancel.check()?;
                let Some(url) = CanonicalUrl::parse(&address) else { continue };
                match store.resolve(url.key().0)? {
                    Some((url, _)) => {
                        store.queue(
                            0,
                            Task { url, rule: number as u16, layer: layer as u16 },
                            Way::Entered,
                        )?;
                    }
                    None => tally.of_rule(rule, "missing-entry", &of.id, Some(url.as_str())),
                }
            }
        }
    }
    Ok(())
}

struct Waves<'a> {
    visitor: &'a Visitor<'a>,
    rules: &'a [Rule],
    store: &'a Store,
    tops: &'a mut Gathered,
    /// Pages whose results are held at once.
    chunk: usize,
    wave: u32,
}

impl Waves<'_> {
    /// Queues what the pages that a scan read lead to.
    fn follow_found(&self, unit: &Unit<'_>, tally: &mut Tally) -> Result<()> {
        let mut behind = None;
        loop {
            unit.stage().cancel.check()?;
            let tasks = self.store.tasks(0, behind, AT_ONCE)?;
            let Some((last, _)) = tasks.last() else { return Ok(()) };
            behind = Some(*last);
            for (task, _) in tasks {
                let results = self.store.get(task)?.and_then(|stored| stored.results);
                results.map_or(Ok(()), |results| self.follow(task, &results, tally))?;
            }
        }
    }

    /// One wave; whether there was any.
    fn visit(&mut self, unit: &mut Unit<'_>, tally: &mut Tally) -> Result<bool> {
        let mut behind = None;
        loop {
            let tasks = self.store.tasks(self.wave, behind, AT_ONCE)?;
            let Some((last, _)) = tasks.last() else { return Ok(behind.is_some()) };
            behind = Some(*last);
            let mut wanted = self.wanted(tasks)?;
            wanted.sort_by_key(|(page, _)| page.place);
            while !wanted.is_empty() {
                unit.stage().cancel.check()?;
                let rest = wanted.split_off(wanted.len().min(self.chunk));
                let (pages, ways): (Vec<WantedPage>, Vec<Vec<Way>>) =
                    std::mem::replace(&mut wanted, rest).into_iter().unzip();
                let visits = self.visitor.read(&pages);
                unit.stage().progress.advance(pages.len() as u64);
                for ((page, ways), visit) in pages.iter().zip(ways).zip(visits) {
                    match visit {
                        Ok(visit) => {
                            unit.kept("pages", 1);
                            self.keep(page, &ways, visit, tally)?;
                        }
                        Err(why) => self.unreadable(page, why, unit, tally),
                    }
                }
            }
        }
    }

    /// Counts a page that cannot be read, as damage and for each rule that wants it.
    fn unreadable(&self, page: &WantedPage, why: String, unit: &mut Unit<'_>, tally: &mut Tally) {
        let mut of: Vec<u16> = page.tasks.iter().map(|task| task.rule).collect();
        of.dedup();
        for rule in of {
            tally.of_rule(&self.rules[usize::from(rule)], "unreadable-page", &why, None);
        }
        unit.damaged(Reject {
            reason: "unreadable-page".into(),
            shard: self.visitor.shards.name(page.place.shard).to_owned(),
            offset: page.place.offset,
            bytes_lost: page.place.length,
            detail: why,
        });
    }

    /// The pages of tasks that are not done, each once.
    fn wanted(&mut self, tasks: Vec<(Task, Way)>) -> Result<Vec<(WantedPage, Vec<Way>)>> {
        let mut wanted: Vec<(WantedPage, Vec<Way>)> = Vec::new();
        for (task, way) in tasks {
            if let Some(stored) = self.store.get(task)? {
                if way == Way::Entered && stored.results.is_some() {
                    let url = CanonicalUrl::parse_stored(&stored.url);
                    url.map_or(Ok(()), |url| self.tops.add(task, &url.surt(), None))?;
                }
                continue;
            }
            let Some((_, place)) = self.store.resolve(task.url)? else { continue };
            match wanted.last_mut().filter(|(page, _)| page.url == task.url) {
                Some((page, ways)) => {
                    page.tasks.push(task);
                    ways.push(way);
                }
                None => wanted.push((WantedPage { url: task.url, place, tasks: vec![task] }, vec![way])),
            }
        }
        Ok(wanted)
    }

    /// Keeps what was found on a page, and queues what it leads to.
    fn keep(&mut self, page: &WantedPage, ways: &[Way], visit: Visit, tally: &mut Tally) -> Result<()> {
        for ((task, way), results) in page.tasks.iter().zip(ways).zip(visit.results) {
            if let Some(results) = &results {
                tally.page(*task, &results.counts);
                self.follow(*task, &results.results, tally)?;
                if *way == Way::Entered {
                    self.tops.add(*task, &visit.surt, None)?;
                }
            }
            let habits = results.as_ref().map(|results| results.habits).unwrap_or_default();
            let results = results.map(|results| results.results);
            self.store.put(*task, Stored { url: visit.url.clone(), place: page.place, habits, results })?;
        }
        Ok(())
    }

    fn follow(&self, task: Task, results: &[(TagNumber, Vec<TagResult>)], tally: &mut Tally) -> Result<()> {
        let rule = &self.rules[usize::from(task.rule)];
        let mut followed = Ok(());
        rule.each_lead(usize::from(task.layer), results, &mut |to| {
            if followed.is_ok() {
                let way = if to.continues { Way::Continued } else { Way::Entered };
                followed = self.lead(task, to.layer as u16, way, to.address, tally);
            }
        });
        followed
    }

    fn lead(&self, from: Task, layer: u16, way: Way, address: &str, tally: &mut Tally) -> Result<()> {
        let Some((url, _)) = resolved(self.store, address)? else {
            let rule = &self.rules[usize::from(from.rule)];
            tally.of_rule(rule, MISSING_PAGE, &rule.layers[usize::from(layer)].id, Some(address));
            return Ok(());
        };
        tally.link();
        let task = Task { url, rule: from.rule, layer };
        if way == Way::Continued && url != from.url {
            self.store.set_continued(task)?;
        }
        if self.store.is_done(task)? && way == Way::Continued {
            return Ok(());
        }
        self.store.queue(self.wave + 1, task, way)
    }
}

/// The page that an address leads to.
pub fn resolved(store: &Store, address: &str) -> Result<Option<(u128, Place)>> {
    match CanonicalUrl::parse_stored(address) {
        Some(url) => store.resolve(url.key().0),
        None => Ok(None),
    }
}
