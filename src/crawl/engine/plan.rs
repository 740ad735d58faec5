//! A budget of visits spread over all pages, and inside hosts that politeness keeps from their share of it.
//!
//! **Definition.** A host bears one visit in each of its pauses. Where the plan of all pages asks for more, the host's pages are planned by
//! themselves within that, for the same objective. What such a host cannot take is given to nobody else: its pages are looked at when their
//! rates are known better.
//!
//! **Cost.** Two passes over the histories, which are in the order of hosts. A host with a plan of its own takes some hundred bytes, of which
//! 65,536 are kept; those beyond go by the common plan, and are counted with the others.

use std::collections::{HashMap, VecDeque};

use crate::engine::Crawl;
use crate::revisit::{Plan, RateHistogram};
use webmill_capture::CanonicalUrl;
use webmill_capture::error::Result;

/// Hosts whose histories may come mixed: the order is by a hash, of which hosts share the first bytes now and then.
const OPEN: usize = 4;
/// Hosts with a plan of their own that are kept.
const MOST_HOSTS: usize = 65_536;
const DAY_MS: f64 = 86_400_000.0;

/// Plans of hosts that cannot be visited as often as their pages are due.
#[derive(Debug, Default)]
pub(super) struct HostPlans {
    plans: HashMap<String, Plan>,
    count: u64,
}

impl Crawl {
    /// Hosts that cannot be visited as often as the schedule would have it, because of the pauses that they get.
    pub fn hosts_over_budget(&self) -> u64 {
        self.visits.host_plans.count
    }

    /// Spreads the budget of visits over all pages, where the schedule has one.
    pub(super) fn plan(&mut self) -> Result<()> {
        if self.options.revisit.schedule.objective().is_none() {
            return Ok(());
        }
        let mut pages = RateHistogram::default();
        self.frontier.each_history(&mut |_, history| {
            if history.next_ms.is_some() && history.rate > 0.0 {
                pages.add(history.rate, history.weight());
            }
            Ok(())
        })?;
        let plan = self.options.revisit.plan(&pages);
        self.visits.host_plans = match &plan {
            Some(plan) => self.plan_hosts(plan)?,
            None => HostPlans::default(),
        };
        self.visits.common_plan = plan;
        self.visits.scheduler.set_plan(plan);
        Ok(())
    }

    /// The plans of hosts for which the one of all pages is too much.
    fn plan_hosts(&self, plan: &Plan) -> Result<HostPlans> {
        let mut found = HostPlans::default();
        let mut open: VecDeque<(String, RateHistogram)> = VecDeque::new();
        let mut close = |(host, pages): (String, RateHistogram)| -> Result<()> {
            let pause = self.polite(&host).pause(&self.frontier.state_of(&host)?.unwrap_or_default());
            // Who sets no pause at all is limited by nothing that is known here.
            if pause == 0 {
                return Ok(());
            }
            let (own, over) = plan.within(&pages, DAY_MS / pause as f64);
            found.count += u64::from(over);
            if over && found.plans.len() < MOST_HOSTS {
                found.plans.insert(host, own);
            }
            Ok(())
        };
        self.frontier.each_history(&mut |_, history| {
            if history.next_ms.is_none() || history.rate <= 0.0 {
                return Ok(());
            }
            let Some(url) = CanonicalUrl::parse_stored(&history.url) else { return Ok(()) };
            let at = match open.iter().position(|(host, _)| host == url.host()) {
                Some(at) => at,
                None => {
                    if open.len() == OPEN
                        && let Some(done) = open.pop_front()
                    {
                        close(done)?;
                    }
                    open.push_back((url.host().to_owned(), RateHistogram::default()));
                    open.len() - 1
                }
            };
            open[at].1.add(history.rate, history.weight());
            Ok(())
        })?;
        open.into_iter().try_for_each(close)?;
        Ok(found)
    }

    /// From here on the scheduler goes by the plan for pages of `host`.
    pub(super) fn plan_for(&mut self, host: &str) {
        if self.visits.host_plans.count == 0 {
            return;
        }
        let own = self.visits.host_plans.plans.get(host).copied();
        self.visits.scheduler.set_plan(own.or(self.visits.common_plan));
    }
}
