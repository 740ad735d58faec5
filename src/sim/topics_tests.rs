use std::collections::HashSet;

use super::*;

fn web(topics: TopicConfig) -> Web {
    let plain = SimConfig::plain(40_000, 800, 5).web;
    Web::new(Config { topics: Some(topics), chinese: 0.2, navigation: 2, ..plain }).expect("sound")
}

#[test]
fn pages_of_a_host_have_its_topics_and_commoner_ones_more() {
    let web = web(TopicConfig::default());
    let mut pages = [0u32; 50];
    let (mut chains, mut far) = (0, 0);
    for host in 0..web.hosts() {
        let start = (0..web.len()).find(|&page| web.host_of(page) == host).unwrap_or(0);
        let of: Vec<PageTopic> = (start..web.len())
            .take_while(|&page| web.host_of(page) == host)
            .filter_map(|page| web.topic(page))
            .collect();
        let topics: HashSet<u32> =
            of.iter().filter(|page| page.chain.is_none()).map(|page| page.topic).collect();
        let groups: HashSet<u32> = of.iter().map(|page| page.group).collect();
        assert!((1..=3).contains(&topics.len()) && groups.len() == 1, "{host}: {topics:?} {groups:?}");
        let is_far = groups.iter().all(|group| *group > 0);
        far += usize::from(is_far);
        chains += of.iter().filter(|page| page.chain.is_some()).count();
        assert!(!is_far || topics.len() == 1);
        of.iter().for_each(|page| pages[page.topic as usize] += 1);
    }
    assert!(pages[0] > pages[4] && pages[..10].iter().sum::<u32>() > pages[25..].iter().sum(), "{pages:?}");
    assert!(far > 100 && (far..=4 * far).contains(&chains), "{far} {chains}");
}

#[test]
fn links_stay_in_topic_and_far_groups_lie_behind_chains() {
    let web = web(TopicConfig::default());
    let (mut stays, mut all, mut across, mut gates, mut hubs) = (0u32, 0u32, 0, 0, 0);
    for page in (0..web.len()).step_by(7) {
        let from = web.topic(page).expect("topics");
        let links = web.links(page);
        hubs += usize::from(links.len() > 50);
        for (target, region) in &links {
            let target = target.expect("no mirrors");
            let to = web.topic(target).expect("topics");
            if web.host_of(target) != web.host_of(page) && to.group > 0 {
                across += 1;
                let in_group = to.topic == from.topic && to.group == from.group;
                let gate = to.chain.is_some_and(|(topic, _)| topic == from.topic && to.group > from.group);
                gates += usize::from(gate);
                assert!(in_group || gate, "{from:?} to {to:?}");
            }
            if *region != Region::Navigation && links.len() < 40 && from.chain.is_none() {
                all += 1;
                stays += u32::from(to.topic == from.topic);
            }
        }
    }
    let share = f64::from(stays) / f64::from(all);
    // Some of the links that leave it on the site meet it by chance.
    assert!((0.66..0.86).contains(&share), "{share}");
    assert!(across > 100 && gates > 100, "{across} {gates}");
    assert!((150..450).contains(&hubs), "{hubs} hubs of {}", web.len() / 7);
}

#[test]
fn chains_lead_to_their_topic() {
    let web = web(TopicConfig { shortest_chain: 3, longest_chain: 3, ..TopicConfig::default() });
    let mut followed = 0;
    for page in 0..web.len() {
        let Some(PageTopic { chain: Some((topic, 3)), topic: own, .. }) = web.topic(page) else { continue };
        assert_ne!(own, topic);
        let mut at = page;
        for left in [2, 1] {
            let next = web.links(at).into_iter().filter_map(|(target, _)| target);
            at = next
                .into_iter()
                .find(|&to| web.topic(to).unwrap().chain == Some((topic, left)))
                .expect("a chain");
        }
        let arrives = |(target, _): (Option<u64>, _)| {
            target.and_then(|to| web.topic(to)).is_some_and(|to| to.topic == topic && to.chain.is_none())
        };
        assert!(web.links(at).into_iter().any(arrives), "{}", web.url(at));
        followed += 1;
    }
    assert!(followed > 100, "{followed}");
}

#[test]
fn texts_have_the_words_of_their_topic() {
    let web = web(TopicConfig::default());
    for page in (0..web.len()).step_by(401) {
        let truth = web.truth(page);
        assert_eq!(truth.topic, web.topic(page));
        let topic = truth.topic.unwrap().topic;
        let of = |topic| {
            let words = web.topic_words(topic, truth.language);
            let separators = |c: char| !c.is_alphanumeric();
            match truth.language {
                Language::English => truth
                    .main_text
                    .to_lowercase()
                    .split(separators)
                    .filter(|w| words.iter().any(|word| word.to_lowercase() == *w))
                    .count(),
                Language::Chinese => words.iter().map(|word| truth.main_text.matches(word).count()).sum(),
            }
        };
        assert!(of(topic) >= of((topic + 7) % 50), "{}: {}", web.url(page), truth.main_text);
    }
}

#[test]
fn settings_of_topics_are_held_against_their_ranges() {
    let sound = TopicConfig::default;
    for bad in [
        TopicConfig { topics: 1, ..sound() },
        TopicConfig { stay: 1.1, ..sound() },
        TopicConfig { hubs: f64::NAN, ..sound() },
        TopicConfig { shortest_chain: 0, ..sound() },
        TopicConfig { shortest_chain: 5, ..sound() },
        TopicConfig { longest_chain: 7, ..sound() },
    ] {
        assert!(Web::new(Config { topics: Some(bad.clone()), ..Config::default() }).is_err(), "{bad:?}");
    }
    let hosts = Config { pages: 1 << 30, pages_per_host: 1, topics: Some(sound()), ..Config::default() };
    assert!(Web::new(hosts).is_err());
    // Small Webs, mirrors, copies and redirects: every page can be made.
    for pages in [1, 2, 13, 60, 700] {
        let web = Web::new(Config { pages, mirrors: 0.3, topics: Some(sound()), ..Config::default() })
            .expect("sound");
        for page in 0..pages {
            let truth = web.truth(page);
            assert_eq!(truth.links.len(), web.links(page).len());
            assert_eq!(truth.topic.is_some(), !matches!(truth.kind, Kind::Redirect { .. } | Kind::Missing));
            assert_eq!(web.page(page), web.page(page));
        }
    }
}
