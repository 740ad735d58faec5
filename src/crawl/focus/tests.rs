use std::collections::BTreeMap;
use std::sync::Arc;

use super::*;
use webmill_capture::CanonicalUrl;

fn url(text: &str) -> CanonicalUrl {
    CanonicalUrl::parse(text).unwrap()
}

fn topic(words: &[(&str, f32)]) -> Arc<Topic> {
    let words = words.iter().map(|(word, weight)| ((*word).to_owned(), *weight)).collect();
    let options =
        TopicOptions { words, guide: BTreeMap::from([("menu".into(), 5.0)]), ..TopicOptions::default() };
    Arc::new(Topic::of_words(&options, None).unwrap())
}

struct Crawl {
    focus: Focus,
    store: MemoryStore,
}

impl Crawl {
    fn new(tunnel: u32) -> Crawl {
        let store = MemoryStore::default();
        let mut crawl =
            Crawl { focus: Focus::open(topic(&[("tea", 1.0)]), tunnel, 0.01, &store).unwrap(), store };
        crawl.focus.seed(&url("http://a.example/"), &mut crawl.store).unwrap();
        crawl
    }

    fn page(&mut self, at: &str, text: &str, links: &[(&str, &str)]) -> Vec<Action> {
        let scorer = self.focus.scorer().clone();
        let words = scorer.page(at, "", text);
        let urls: Vec<CanonicalUrl> = links.iter().map(|(to, _)| url(to)).collect();
        let found: Vec<FoundLink<'_>> = urls
            .iter()
            .zip(links)
            .map(|(to, (_, anchor))| FoundLink {
                url: to,
                words: scorer.link(&LinkSource::default(), &LinkText { anchor, ..LinkText::default() }, to),
                priority: 0.0,
            })
            .collect();
        let at = url(at);
        let page = SeenPage { url: &at, origin: None, words: &words };
        self.focus.page(&page, &found, &mut |n| vec![n as u8], &mut self.store).unwrap()
    }
}

fn queued(actions: &[Action]) -> Vec<(usize, f32)> {
    actions
        .iter()
        .filter_map(|a| match a {
            Action::Queue { link, score } => Some((*link, *score)),
            _ => None,
        })
        .collect()
}

#[test]
fn likeness_of_pages_and_links() {
    let scorer = Scorer::new(topic(&[("tea", 2.0), ("green tea", 2.0)]), &Arc::default());
    assert!(scorer.page("", "Tea", "tea and green tea").relevance > 0.8);
    assert_eq!(scorer.page("", "", "coffee and cake").relevance, 0.0);
    assert_eq!(scorer.words("tea"), 1.0);
    // What stands beside it takes nothing from it; two words of half weight are ¾.
    assert_eq!(scorer.words("tea cups here tonight"), 1.0);
    let other = Scorer::new(topic(&[("tea", 2.0), ("cup", 1.0), ("leaf", 1.0)]), &Arc::default());
    assert_eq!(
        (other.words("cup of water"), other.words("cup and leaf"), other.words("water")),
        (0.5, 0.75, 0.0)
    );
    // A word said a million times is worth 1 + ln 20000 of one said once.
    let spam = "tea ".repeat(1_000_000) + &(0..300).map(|n| format!("word{n} ")).collect::<String>();
    assert!(scorer.page("", "", &spam).relevance <= 1.0);
    let of = |anchor, before, to| {
        let text = LinkText { anchor, before, ..LinkText::default() };
        scorer.link(&LinkSource::default(), &text, &url(to))
    };
    let link = of("tea", "before tea", "http://a.example/menu/tea");
    assert_eq!((link.anchor, link.context, link.guide), (1.0, 0.0, 0.5));
    assert!(of("here", "green tea", "http://a.example/").context > 0.5);
    assert_eq!(link.told, LinkWorth::default());
}

#[test]
fn scores_are_the_weighted_sum_of_parts() {
    let mut crawl = Crawl::new(3);
    let actions = crawl.page(
        "http://a.example/",
        "tea tea",
        &[("http://b.example/x", "tea"), ("http://b.example/y", "cake"), ("http://b.example/x", "menu")],
    );
    let scores: BTreeMap<usize, f32> = queued(&actions).into_iter().collect();
    assert_eq!(scores.len(), 2, "{actions:?}");
    // .25 anchor + .2 inherited (R = 1) + .1 · ¼ hub + .1 · 1/10 site + .05 · ½ guide + .1 · ½ prior
    assert!((scores[&0] - (0.25 + 0.2 + 0.025 + 0.01 + 0.025 + 0.05)).abs() < 1e-6, "{scores:?}");
    assert!((scores[&1] - (0.2 + 0.025 + 0.01 + 0.05)).abs() < 1e-6, "{scores:?}");
    let rows = Focus::rows(0, 10, &crawl.store).unwrap();
    assert_eq!((rows.len(), rows[0].score, rows[0].relevant, rows[0].relevance), (1, 1.0, true, 1.0));
}

#[test]
fn interest_fades_and_long_tunnels_wait_in_the_reserve() {
    let mut crawl = Crawl::new(1);
    crawl.page("http://a.example/", "tea", &[("http://b.example/1", "x")]);
    assert_eq!(queued(&crawl.page("http://b.example/1", "cake", &[("http://b.example/2", "x")])).len(), 1);
    assert_eq!(queued(&crawl.page("http://b.example/2", "cake", &[("http://b.example/3", "x")])).len(), 0);
    let rows = Focus::rows(0, 10, &crawl.store).unwrap();
    let inherited: Vec<f32> = rows.iter().map(|row| row.parts[3]).collect();
    assert_eq!(inherited, [1.0, 1.0, 0.5]);
    assert_eq!(rows.iter().map(|row| row.tunnel).collect::<Vec<_>>(), [0, 0, 1]);
    assert_eq!(rows[2].referrer.as_deref(), Some("http://b.example/1"));
    assert_eq!(crawl.focus.counts().reserved, 1);
    let released = crawl.focus.release(&mut crawl.store).unwrap();
    assert!(
        matches!(&released[..], [Action::Release { url, payload, .. }] if url == "http://b.example/3" && payload == &[0])
    );
    assert_eq!(crawl.focus.release(&mut crawl.store).unwrap(), []);
    // A relevant page that leads to what waits in the reserve brings it in.
    crawl.page("http://b.example/3", "cake", &[("http://b.example/4", "x")]);
    assert_eq!(crawl.focus.counts().reserved, 1);
    crawl.page("http://c.example/", "tea", &[("http://b.example/4", "x")]);
    assert_eq!(crawl.focus.counts().reserved, 0);
}

#[test]
fn hubs_are_scored_again_within_bounds() {
    let mut crawl = Crawl::new(3);
    let targets: Vec<String> = (0..300).map(|n| format!("http://b.example/{n:03}")).collect();
    let links: Vec<(&str, &str)> = targets.iter().map(|target| (target.as_str(), "x")).collect();
    crawl.page("http://a.example/", "cake", &links);
    let again = crawl.page(&targets[0], "tea", &[]);
    let rescored = again.iter().filter(|a| matches!(a, Action::Score { .. })).count();
    // ¼ became 2/5: the first hundred but the one that was fetched.
    assert_eq!(rescored, 99);
    let mut times = 1;
    for target in &targets[1..200] {
        times +=
            usize::from(!crawl.page(target, if times % 2 == 0 { "tea" } else { "cake" }, &[]).is_empty());
    }
    assert!(times <= 10 && crawl.focus.counts().rescored <= 1000, "{times}");
}

#[test]
fn it_goes_on_from_its_store() {
    let pages: Vec<(String, &str, Vec<String>)> = (0..3000)
        .map(|n| {
            let to = (1..4).map(|k| format!("http://h{}.example/{}", (n * k) % 7, n * 3 + k)).collect();
            let at =
                if n == 0 { "http://a.example/".into() } else { format!("http://h{}.example/{n}", n % 7) };
            (at, if n % 3 == 0 { "tea time" } else { "cake and some other words" }, to)
        })
        .collect();
    let run = |stops: &[usize]| {
        let mut crawl = Crawl::new(2);
        let mut all = Vec::new();
        for (n, (at, text, to)) in pages.iter().enumerate() {
            if stops.contains(&n) {
                crawl.focus.save(&mut crawl.store).unwrap();
                crawl.focus = Focus::open(topic(&[("tea", 1.0)]), 2, 0.01, &crawl.store).unwrap();
            }
            let links: Vec<(&str, &str)> =
                to.iter().map(|to| (to.as_str(), if n % 2 == 0 { "tea" } else { "more" })).collect();
            all.push(crawl.page(at, text, &links));
        }
        (all, Focus::rows(0, 5000, &crawl.store).unwrap(), crawl.focus.counts())
    };
    let whole = run(&[]);
    assert_eq!(whole, run(&[1, 999, 1000, 2500]));
    assert_eq!(whole.2.fetched, 3000);
    let other = Focus::open(topic(&[("cake", 1.0)]), 2, 0.01, &Crawl::new(2).store);
    assert!(other.is_ok(), "nothing was saved yet");
}

#[test]
fn another_topic_is_refused() {
    let mut crawl = Crawl::new(2);
    crawl.focus.save(&mut crawl.store).unwrap();
    for (words, tunnel) in [("cake", 2), ("tea", 3)] {
        let error = Focus::open(topic(&[(words, 1.0)]), tunnel, 0.0, &crawl.store).unwrap_err();
        assert!(error.to_string().contains("another topic"), "{error}");
    }
}

#[test]
fn a_million_links_are_bounded() {
    let mut crawl = Crawl::new(3);
    let targets: Vec<String> = (0..10_000).map(|n| format!("http://b.example/{n}")).collect();
    let links: Vec<(&str, &str)> = targets.iter().map(|target| (target.as_str(), "tea")).collect();
    let actions = crawl.page("http://a.example/", "tea", &links);
    let scored = queued(&actions).iter().filter(|(_, score)| *score > 0.0).count();
    assert_eq!((queued(&actions).len(), scored, crawl.focus.counts().unscored), (10_000, 2000, 8000));
}

#[test]
fn examples_and_their_threshold() {
    let bags =
        |texts: &[String]| texts.iter().map(|text| Bag::of([(text.as_str(), 1.0)])).collect::<Vec<_>>();
    let teas: Vec<String> = (0..20).map(|n| format!("tea leaves brewed at {n}a degrees in pot{n}")).collect();
    let others: Vec<String> = (0..50).map(|n| format!("cars engines brewed wheels {n}b road{n}")).collect();
    let options = TopicOptions {
        kind: TopicKind::Examples,
        examples: toml::from_str("files = ['x']").unwrap(),
        ..TopicOptions::default()
    };
    let topic = Topic::of_examples(&options, &bags(&teas), &bags(&others), &LinkTexts::default()).unwrap();
    let scorer = Scorer::new(Arc::new(topic), &Arc::default());
    let recalled =
        teas.iter().filter(|t| scorer.page("", "", t).relevance >= scorer.topic().threshold()).count();
    assert!(recalled >= 18, "{recalled}");
    assert!(others.iter().all(|t| scorer.page("", "", t).relevance < scorer.topic().threshold()));
    assert!(scorer.words("tea leaves") > 0.9 && scorer.words("engines") == 0.0);
    assert!(Topic::of_examples(&options, &[], &bags(&others), &LinkTexts::default()).is_err());
}

#[test]
fn topic_files_are_checked() {
    let bad = |text: &str| {
        let read: Result<TopicOptions, _> = toml::from_str(text);
        read.map_err(|e| e.to_string()).and_then(|o| o.check().map_err(|e| e.to_string())).unwrap_err()
    };
    for (text, says) in [
        ("", "[words] has none"),
        ("words = { tea = 0.0 }", "has weight 0"),
        ("words = { tea = nan }", "has weight NaN"),
        ("word = { tea = 1.0 }", "unknown field"),
        ("words = { tea = 1.0 }\nthreshold = 1.5", "threshold"),
        ("words = { tea = 1.0 }\nguide = { tea = 11.0 }", "up to 10"),
        ("words = { tea = 1.0 }\nweights = { anchor = 0.5 }", "sum"),
        ("words = { tea = 1.0 }\nweights = { anchor = -0.5 }", "0 to 1"),
        ("words = { tea = 1.0 }\nmodel = 'x'", "kind is another"),
        ("kind = 'examples'", "name files"),
        ("kind = 'examples'\n[examples]\nurls = ['http://a/']", "results"),
        ("kind = 'model'", "folder of a model"),
        ("kind = 'song'", "unknown variant"),
    ] {
        assert!(bad(text).contains(says), "{text}: {}", bad(text));
    }
    for kind in [TopicKind::Words, TopicKind::Examples] {
        let usual = TopicOptions { kind, ..TopicOptions::default() }.weights();
        assert!((usual.all().iter().sum::<f32>() - 1.0).abs() < 1e-6);
    }
    let some: TopicOptions =
        toml::from_str("kind = 'examples'\nweights = { anchor = 0.3, prior = 0.05 }").unwrap();
    assert_eq!(some.weights(), Weights { anchor: 0.3, prior: 0.05, ..Weights::default() });
    let good: TopicOptions = toml::from_str("words = { tea = 1.0 }").unwrap();
    good.check().unwrap();
    let stops: TopicOptions = toml::from_str("words = { '...' = 1.0 }").unwrap();
    assert!(Topic::of_words(&stops, None).unwrap_err().to_string().contains("no word"));
}

/// A topic that learnt that links of text `course` lead to it and those of `list` to such links.
fn learnt() -> Arc<Topic> {
    let at = url("http://x.example/");
    let source = LinkSource::new(&at, "");
    let mut learner = LinkLearner::default();
    for _ in 0..30 {
        for (anchor, worth) in [("course", 0.8), ("list", 0.6), ("other", 0.0), ("more", 0.0)] {
            let text = LinkText { anchor, ..LinkText::default() };
            learner.add(&source.features(&text, &at), worth, anchor == "course");
        }
    }
    let topic = Arc::unwrap_or_clone(topic(&[("tea", 1.0)]));
    Arc::new(topic.with_links(learner.learn()))
}

#[test]
fn what_was_learnt_of_links_orders_them() {
    let mut store = MemoryStore::default();
    let focus = Focus::open(learnt(), 3, 0.0, &store).unwrap();
    let mut crawl = Crawl { focus, store: std::mem::take(&mut store) };
    crawl.focus.seed(&url("http://a.example/"), &mut crawl.store).unwrap();
    let read = |crawl: &mut Crawl, at: &str, text: &str, links: &[(&str, &str)]| {
        let scorer = crawl.focus.scorer().clone();
        let at = url(at);
        let source = scorer.source(&at, "");
        let urls: Vec<CanonicalUrl> = links.iter().map(|(to, _)| url(to)).collect();
        let link = |(to, (_, anchor)): (&CanonicalUrl, &(&str, &str))| {
            scorer.link(&source, &LinkText { anchor, ..LinkText::default() }, to)
        };
        let words: Vec<LinkWords> = urls.iter().zip(links).map(link).collect();
        let found: Vec<FoundLink<'_>> = urls
            .iter()
            .zip(&words)
            .map(|(url, words)| FoundLink { url, words: *words, priority: 0.0 })
            .collect();
        let page = scorer.page(at.as_str(), "", text);
        let page = SeenPage { url: &at, origin: None, words: &page };
        crawl.focus.page(&page, &found, &mut |_| Vec::new(), &mut crawl.store).unwrap()
    };
    let links: Vec<(String, &str)> = ["course", "list", "other"]
        .iter()
        .flat_map(|anchor| (0..4).map(move |n| (format!("http://b.example/{n}{anchor}"), *anchor)))
        .collect();
    let links: Vec<(&str, &str)> = links.iter().map(|(to, anchor)| (to.as_str(), *anchor)).collect();
    let first: BTreeMap<usize, f32> =
        queued(&read(&mut crawl, "http://a.example/", "cake", &links)).into_iter().collect();
    let [course, list, other] = [first[&0], first[&4], first[&8]];
    assert!(course > list && list > 2.0 * other && course < 0.95, "{course} {list} {other}");
    // A second witness raises what both name.
    let again = read(&mut crawl, "http://a.example/2", "cake", &links[4..5]);
    let [Action::Score { url, score }] = &again[..] else { panic!("{again:?}") };
    assert!(url == links[4].0 && *score > list, "{again:?}");
    // Targets that keep less than promised lower what their page still has; those that keep more raise it.
    let lowered = read(&mut crawl, links[0].0, "cake", &[]);
    let moved = |actions: &[Action], to: &str| {
        actions.iter().find_map(|a| match a {
            Action::Score { url, score } if url == to => Some(*score),
            _ => None,
        })
    };
    let low = moved(&lowered, links[1].0).unwrap();
    assert!(low < course, "{low} {course}");
    let raised = read(&mut crawl, links[9].0, "tea", &[]);
    assert!(moved(&raised, links[1].0).unwrap() > low, "{raised:?}");
    // However many irrelevant pages lie on the way, what a link is worth decides.
    for n in 0..8 {
        let (at, to) = (format!("http://c.example/{n}"), format!("http://c.example/{}", n + 1));
        let actions = read(&mut crawl, &at, "cake", &[(to.as_str(), "list")]);
        assert!(!queued(&actions).is_empty(), "{n}: {actions:?}");
    }
    assert_eq!(crawl.focus.counts().reserved, 0);
    // What was learnt is part of the topic.
    crawl.focus.save(&mut crawl.store).unwrap();
    assert!(Focus::open(topic(&[("tea", 1.0)]), 3, 0.0, &crawl.store).is_err());
    assert!(Focus::open(learnt(), 3, 0.0, &crawl.store).is_ok());
}
