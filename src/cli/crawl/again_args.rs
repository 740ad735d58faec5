//! Flags about visiting pages again.

use std::path::PathBuf;

use clap::ValueEnum;
use webmill_crawl::revisit::Schedule;
use webmill_crawl::{Again, CrawlOptions};

use super::args::parse_time;

/// Flags about pages that were visited before.
#[derive(Debug, Default, clap::Args)]
#[command(next_help_heading = "What to fetch")]
pub struct AgainArgs {
    /// Visit the pages again that are due.
    ///
    /// The schedule says when a page is due: `fixed` always after the same time, `adaptive` sooner if it has
    /// changed, `optimal` and `age` so that visits increase freshness most, or reduce age most [default: adaptive,
    /// or the one that the crawl had].
    #[arg(long, value_name = "SCHEDULE", num_args = 0..=1, hide_possible_values = true, hide_short_help = true)]
    revisit: Option<Option<WhenArg>>,
    /// Time between two visits, as 12h or 30d [default: 7d].
    ///
    /// `fixed` waits so before each visit, the other schedules before the second one only. Sitemaps are read again
    /// as often, and at least once a day.
    #[arg(long, value_name = "TIME", value_parser = parse_time, hide_short_help = true)]
    every: Option<u64>,
    /// Never end: wait for pages to be due, and visit them then.
    #[arg(long, hide_short_help = true)]
    continuous: bool,
    /// Begin with the captures that this index has of older shards, as if they had been visited: CDXJ, CDX, or ZipNum (NAME.idx); may be
    /// repeated.
    #[arg(long, value_name = "INDEX", hide_short_help = true)]
    pub import: Vec<PathBuf>,
}

/// [`Schedule`], as it is typed.
#[derive(Debug, Clone, Copy, ValueEnum)]
enum WhenArg {
    Fixed,
    Adaptive,
    Optimal,
    Age,
}

impl AgainArgs {
    /// Overrides settings with the given flags.
    pub fn set(&self, options: &mut CrawlOptions) {
        if let Some(given) = self.revisit {
            // Who asks for a round asks for one that ends.
            options.again = Again::Due;
            options.revisit.schedule = match given {
                None => options.revisit.schedule,
                Some(WhenArg::Fixed) => Schedule::Fixed,
                Some(WhenArg::Adaptive) => Schedule::Adaptive,
                Some(WhenArg::Optimal) => Schedule::Optimal,
                Some(WhenArg::Age) => Schedule::Age,
            };
        }
        if self.continuous {
            options.again = Again::Ever;
        }
        if !self.import.is_empty() {
            options.again = options.again.max(Again::Later);
        }
        let revisit = &mut options.revisit;
        revisit.every_s = self.every.map_or(revisit.every_s, |ms| ms.div_ceil(1_000));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        again: AgainArgs,
    }

    fn options(line: &[&str]) -> CrawlOptions {
        let mut options = CrawlOptions::default();
        let line = ["crawl"].iter().chain(line).copied();
        Line::try_parse_from(line).unwrap().again.set(&mut options);
        options
    }

    #[test]
    fn flags_set_what_they_say_and_nothing_else() {
        let usual = CrawlOptions::default();
        assert_eq!(options(&[]), usual);
        assert_eq!(options(&["--revisit"]), CrawlOptions { again: Again::Due, ..usual.clone() });
        for &schedule in Schedule::ALL {
            let options = options(&["--revisit", schedule.name()]);
            assert_eq!((options.revisit.schedule, options.again), (schedule, Again::Due));
        }
        let every = options(&["--every", "12h"]);
        assert_eq!((every.again, every.revisit.every_s), (Again::Later, 43_200));
        assert_eq!(options(&["--continuous"]).again, Again::Ever);
        assert!(Line::try_parse_from(["crawl", "--revisit", "sometimes"]).is_err());
    }
}
