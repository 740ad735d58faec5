//! Which of several crawling agents a host belongs to: consistent hashing.
//!
//! **Definition.** Agents and hosts are hashed onto a circle of 2^64 points. A host belongs to the first agent met
//! clockwise from its own point (itself included). Each agent has many points (*virtual nodes*), so that shares are even: with `v` of
//! them the shares of equal agents vary by about 1/√v of their mean. An agent that joins takes over only what now meets
//! it first, about its share; when it leaves, just that goes to the others. All agents compute the same ring from the
//! same list, in any order: no one has to be asked.
//!
//! **Cost.** O(log(agents · virtual nodes)) a host. **Determinism.** Names alone; stable between versions, because a crawl's
//! hosts must not move.
//!
//! **Reference.** Karger et al., doi:10.1145/258533.258660; Boldi et al. (UbiCrawler), doi:10.1002/spe.587.

use std::collections::BTreeSet;
use std::path::PathBuf;

use xxhash_rust::xxh3::{xxh3_64, xxh3_64_with_seed};

use webmill_capture::error::{Error, Result};
use webmill_capture::settings;

/// Virtual nodes of an agent.
pub const VIRTUAL_NODES: u32 = 128;

/// Longest name of an agent.
const MAX_NAME: usize = 64;

settings! {
    /// Who crawls, and which of them this process is.
    #[derive(PartialEq)]
    pub struct AgentsOptions {
        /// Names of all agents, the same list for each of them: letters, digits, `-`, `_` and `.`; default none:
        /// this process crawls every host.
        pub agents: Vec<String> = Vec::new();
        /// The name of this agent. If it is not in the list, it hands over all its URLs, and ends. Default none.
        pub name: Option<String> = None;
        /// Shared folder through which they hand URLs over ([`crate::exchange`]). Default none.
        pub exchange: Option<PathBuf> = None;
    }
}

impl AgentsOptions {
    /// Whether they name a ring, a place on it and a folder, or nothing at all.
    ///
    /// # Errors
    /// [`Error::Config`] with the field and its range.
    pub fn check(&self) -> Result<()> {
        self.ring().map(drop)
    }

    /// The ring; `None` where this process crawls alone.
    ///
    /// # Errors
    /// [`Error::Config`]: only some of the three fields are there, or a name is doubled or cannot be a folder.
    pub fn ring(&self) -> Result<Option<Ring>> {
        match (&self.name, &self.exchange) {
            (None, None) if self.agents.is_empty() => Ok(None),
            (Some(name), Some(_)) => {
                self.agents.iter().chain([name]).try_for_each(|name| check_name(name))?;
                Ring::of(&self.agents).map(Some)
            }
            _ => Err(Error::Config("agents, the name of this one and an exchange go together".into())),
        }
    }
}

/// Whether a name can be a folder.
fn check_name(name: &str) -> Result<()> {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    if (1..=MAX_NAME).contains(&name.len()) && name.chars().all(plain) && !name.starts_with('.') {
        return Ok(());
    }
    Err(Error::Config(format!(
        "{name:?} cannot be the name of an agent: at most {MAX_NAME} letters, digits, - _ and ."
    )))
}

/// A circle of agents.
///
/// # Examples
/// ```
/// use webmill_crawl::agents::Ring;
/// let ring = Ring::of(&["north".to_owned(), "south".to_owned()]).unwrap();
/// assert_eq!(ring.agent_of("www.pku.edu.cn"), ring.agent_of("www.pku.edu.cn"));
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Ring {
    names: Vec<String>,
    /// (point, index of the agent), ascending.
    points: Vec<(u64, u32)>,
}

impl Ring {
    /// A ring of equal agents.
    ///
    /// # Errors
    /// [`Error::Config`]: no agent, an empty or doubled name.
    pub fn of(names: &[String]) -> Result<Ring> {
        if names.iter().any(String::is_empty) {
            return Err(Error::Config("agents must have names".into()));
        }
        let different: BTreeSet<&String> = names.iter().collect();
        if different.len() < names.len() {
            return Err(Error::Config("agents must have different names".into()));
        }
        let points = names
            .iter()
            .flat_map(|name| (0..VIRTUAL_NODES).map(move |node| (point_of_node(name, node), name.as_str())))
            .collect();
        Self::of_points(points)
    }

    /// A ring of given points. Of agents at the same point the first by name holds it.
    fn of_points(points: Vec<(u64, &str)>) -> Result<Ring> {
        let names: BTreeSet<&str> = points.iter().map(|&(_, name)| name).collect();
        let names: Vec<String> = names.into_iter().map(str::to_owned).collect();
        if names.is_empty() {
            return Err(Error::Config("agents must not be empty".into()));
        }
        let index = |name: &str| names.partition_point(|n| n.as_str() < name) as u32;
        let mut points: Vec<(u64, u32)> =
            points.into_iter().map(|(point, name)| (point, index(name))).collect();
        points.sort_unstable();
        points.dedup_by_key(|&mut (point, _)| point);
        Ok(Ring { names, points })
    }

    /// Names of the agents, ascending.
    pub fn agents(&self) -> &[String] {
        &self.names
    }

    /// The agent that crawls a host (lower-case, as in canonical URLs).
    pub fn agent_of(&self, host: &str) -> &str {
        self.agent_at(point_of_host(host))
    }

    fn agent_at(&self, point: u64) -> &str {
        let next = self.points.partition_point(|&(p, _)| p < point);
        let (_, agent) = self.points[if next == self.points.len() { 0 } else { next }];
        &self.names[agent as usize]
    }
}

fn point_of_host(host: &str) -> u64 {
    xxh3_64(host.strip_suffix('.').unwrap_or(host).as_bytes())
}

fn point_of_node(name: &str, node: u32) -> u64 {
    xxh3_64_with_seed(name.as_bytes(), u64::from(node) + 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::HashMap;

    #[test]
    fn the_vector_of_the_specification() {
        // Clockwise 1, A, 4, B, 2, (D), 3, C.
        let [one, a, four, b, two, d, three, c] = [10, 20, 30, 40, 50, 60, 70, 80];
        let keys = [("1", one), ("4", four), ("2", two), ("3", three)];
        let assign = |servers: &[(u64, &str)]| -> String {
            let ring = Ring::of_points(servers.to_vec()).unwrap();
            keys.iter().map(|&(key, at)| format!("{key}{} ", ring.agent_at(at))).collect()
        };
        assert_eq!(assign(&[(a, "A"), (b, "B"), (c, "C")]), "1A 4B 2C 3C ");
        assert_eq!(assign(&[(a, "A"), (c, "C")]), "1A 4C 2C 3C ");
        assert_eq!(assign(&[(a, "A"), (b, "B"), (c, "C"), (d, "D")]), "1A 4B 2D 3C ");
        // Past the last point the circle begins again; a point is its own.
        assert_eq!(Ring::of_points(vec![(a, "A"), (c, "C")]).unwrap().agent_at(81), "A");
        assert_eq!(Ring::of_points(vec![(a, "A"), (c, "C")]).unwrap().agent_at(80), "C");
    }

    fn names(n: usize) -> Vec<String> {
        (0..n).map(|i| format!("agent-{i}")).collect()
    }

    fn ring(names: &[String]) -> Ring {
        Ring::of(names).unwrap()
    }

    #[test]
    fn the_eleventh_agent_takes_its_share_and_nothing_else_moves() {
        let (ten, eleven) = (ring(&names(10)), ring(&names(11)));
        let mut moved = 0;
        let mut load: HashMap<&str, u32> = HashMap::new();
        for i in 0..100_000 {
            let host = format!("www{i}.example.com");
            let (before, after) = (ten.agent_of(&host), eleven.agent_of(&host));
            *load.entry(after).or_default() += 1;
            if before != after {
                assert_eq!(after, "agent-10", "only the one that joined takes hosts over");
                moved += 1;
            }
        }
        let share = 100_000 / 11;
        assert!((share * 7 / 10..share * 13 / 10).contains(&moved), "moved {moved}");
        for (agent, hosts) in load {
            assert!((share as u32 * 7 / 10..share as u32 * 13 / 10).contains(&hosts), "{agent} {hosts}");
        }
    }

    #[test]
    fn points_may_not_change() {
        assert_eq!(point_of_host(""), 0x2D06_8005_38D3_94C2);
        assert_eq!(point_of_node("", 0), 0x4DC5_B0CC_826F_6703);
    }

    #[test]
    fn settings() {
        let options = |agents: &[&str], name: Option<&str>, exchange: Option<&str>| AgentsOptions {
            agents: agents.iter().map(|a| (*a).to_owned()).collect(),
            name: name.map(str::to_owned),
            exchange: exchange.map(PathBuf::from),
        };
        assert!(options(&[], None, None).ring().unwrap().is_none());
        let ab = options(&["a", "b"], Some("a"), Some("x")).ring().unwrap().unwrap();
        assert_eq!(ab.agents(), ["a", "b"]);
        // One that is not in the list has no hosts.
        assert_eq!(options(&["a", "b"], Some("c"), Some("x")).ring().unwrap().unwrap(), ab);
        for (agents, name, exchange) in [
            (&["a"][..], None, None),
            (&["a"], Some("a"), None),
            (&["a"], None, Some("x")),
            (&[], Some("a"), Some("x")),
            (&["a", ""], Some("a"), Some("x")),
            (&["a", "a"], Some("a"), Some("x")),
            (&["a", "b/c"], Some("a"), Some("x")),
            (&["a", ".."], Some("a"), Some("x")),
        ] {
            let refused = options(agents, name, exchange).check();
            assert!(matches!(refused, Err(Error::Config(_))), "{agents:?} {name:?} {exchange:?}");
        }
        assert!(Ring::of(&[]).is_err());
    }

    proptest! {
        #[test]
        fn the_order_of_the_list_is_nothing_and_leaving_moves_only_its_own(
            n in 2usize..8, gone in any::<prop::sample::Index>(), hosts in prop::collection::vec("[a-z]{1,8}\\.[a-z]{2}", 1..40)
        ) {
            let mut names = names(n);
            let all = ring(&names);
            names.reverse();
            prop_assert_eq!(&ring(&names), &all);
            let left = names.remove(gone.index(n));
            let rest = ring(&names);
            for host in &hosts {
                if all.agent_of(host) != left {
                    prop_assert_eq!(rest.agent_of(host), all.agent_of(host));
                } else {
                    prop_assert_ne!(rest.agent_of(host), left.as_str());
                }
            }
        }
    }
}
