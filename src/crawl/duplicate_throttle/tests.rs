use super::*;
use proptest::prelude::*;

/// Seeded numbers (xorshift64*).
struct Dice(u64);

impl Dice {
    fn below(&mut self, n: u64) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 33) % n
    }

    fn text(&mut self, words: u64) -> String {
        (0..words).map(|_| format!("w{} ", self.below(5000))).collect()
    }
}

/// Pages taken until the host is cut, or all.
fn until_cut(pages: impl IntoIterator<Item = String>) -> (usize, DuplicateThrottleState) {
    let mut state = DuplicateThrottleState::default();
    let options = DuplicateThrottleOptions::default();
    let mut taken = 0;
    for page in pages {
        taken += 1;
        if state.observe(fingerprint(&page), &options) == ThrottleAction::Cut {
            break;
        }
    }
    (taken, state)
}

fn calendar(template: &str, month: u32) -> String {
    const MONTHS: [&str; 12] = [
        "January",
        "February",
        "March",
        "April",
        "May",
        "June",
        "July",
        "August",
        "September",
        "October",
        "November",
        "December",
    ];
    let days: String = (1..=28 + month % 4).map(|day| format!("{day} ")).collect();
    let (name, year) = (MONTHS[month as usize % 12], 2026 + month / 12);
    format!("{template} {name} {year} Mon Tue Wed Thu Fri Sat Sun {days} there are no events in {name}")
}

#[test]
fn calendars_are_slowed_and_cut() {
    let template = Dice(1).text(300);
    let mut state = DuplicateThrottleState::default();
    let options = DuplicateThrottleOptions::default();
    let mut factors = Vec::new();
    let mut taken = 0;
    for month in 0..5000 {
        taken += 1;
        match state.observe(fingerprint(&calendar(&template, month)), &options) {
            ThrottleAction::None => {}
            ThrottleAction::Slow(factor) => factors.push(factor),
            ThrottleAction::Cut => break,
        }
    }
    assert!((320..450).contains(&taken), "{taken}");
    assert!(state.reason().is_some());
    assert!(factors.len() > 150 && factors.is_sorted() && factors[0] >= 2.0 && factors.last() <= Some(&16.0));
    // Cut is cut, whatever comes.
    assert_eq!(state.observe(fingerprint(&Dice(2).text(500)), &options), ThrottleAction::Cut);
}

#[test]
fn short_traps_take_longer() {
    let page = |n: u32| {
        format!(
            "Overview. There is nothing on this list today. Please choose another entry from the list below, or come \
                 back later when our editors have had the time to put something new here for you to read. /item/{n}.html \
                 further further home"
        )
    };
    let (taken, state) = until_cut((1..20_000).map(|n| page(n * 7919)));
    assert!((500..1500).contains(&taken), "{taken}");
    assert_eq!(state.reason(), Some("near-copies"));
    let (taken, _) = until_cut((0..20_000).map(|n| format!("Page {} was not found", n * 7919)));
    assert!(taken >= 4000, "{taken}");
}

#[test]
fn a_site_that_begins_again_is_cut_after_the_second_time() {
    for size in [30, 300, 3000] {
        let site: Vec<String> = (0..size).map(|page| Dice(page + 1).text(250)).collect();
        let (taken, state) = until_cut(site.iter().cycle().take(40_000).cloned());
        let size = size as usize;
        assert!((size + 200..size * 4 + 1000).contains(&taken), "{size}: {taken}");
        assert_eq!(state.reason(), Some("repeats"), "{size}");
    }
}

#[test]
fn ordinary_sites_are_let_be() {
    let mut dice = Dice(7);
    let template = dice.text(300);
    // A long navigation, a short text.
    let (taken, state) = until_cut((0..3000).map(|_| format!("{template} {}", dice.text(60))));
    assert_eq!((taken, state.action(&DuplicateThrottleOptions::default())), (3000, ThrottleAction::None));
    // One page in five is new, the others are not found.
    let pages = (0..20_000)
        .map(|n| if n % 5 == 0 { dice.text(200) } else { format!("{template} nothing found for {n}") });
    assert_eq!(until_cut(pages).1.reason(), None);
    // A run of stubs in a site with a thousand pages before it, and as many after it.
    let pages = (0..1000).chain(5000..5800).chain(1000..2000).map(|n| {
        if n >= 5000 {
            format!("{template} the tracking issue of feature {n} is {}", n * 7)
        } else {
            Dice(n + 1).text(200)
        }
    });
    assert_eq!(until_cut(pages).1.reason(), None);
    // Stubs about something each, even as the first pages of a host.
    let name = |n: u64| (0..3).map(|i| char::from(b'a' + (n / 26u64.pow(i) % 26) as u8)).collect::<String>();
    let (_, state) =
        until_cut((0..600).map(|n| format!("{template} the feature {} has no tracking issue", name(n))));
    assert_eq!(state.reason(), None);
    assert!(matches!(state.action(&DuplicateThrottleOptions::default()), ThrottleAction::Slow(_)));
    // A section that mirrors another, in the middle.
    let first: Vec<String> = (0..2000).map(|page| Dice(page + 1).text(150)).collect();
    let later = (5000..9000).map(|page| Dice(page).text(150));
    let pages = first.iter().cloned().chain(first[..800].iter().cloned()).chain(later);
    let (_, state) = until_cut(pages);
    assert_eq!(
        (state.reason(), state.action(&DuplicateThrottleOptions::default())),
        (None, ThrottleAction::None)
    );
}

#[test]
fn a_dull_part_is_forgiven() {
    let template = Dice(1).text(300);
    let options = DuplicateThrottleOptions::default();
    let mut state = DuplicateThrottleState::default();
    let feed = |state: &mut DuplicateThrottleState, pages: &mut dyn Iterator<Item = String>| {
        pages.map(|page| state.observe(fingerprint(&page), &options)).last().expect("pages")
    };
    let slow = feed(&mut state, &mut (0..150).map(|month| calendar(&template, month)));
    assert!(matches!(slow, ThrottleAction::Slow(_)));
    // A few new pages do not end it: hysteresis.
    assert!(matches!(feed(&mut state, &mut (0..5).map(|n| Dice(n + 1).text(200))), ThrottleAction::Slow(_)));
    assert_eq!(feed(&mut state, &mut (10..60).map(|n| Dice(n).text(200))), ThrottleAction::None);
}

#[test]
fn the_state_is_small_and_stored() {
    let (_, state) = until_cut((0..2000).map(|page| Dice(page + 1).text(150)));
    let bytes = postcard::to_allocvec(&state).unwrap();
    assert!(bytes.len() <= 200, "{}", bytes.len());
    assert_eq!(postcard::from_bytes::<DuplicateThrottleState>(&bytes).unwrap(), state);
    assert!(postcard::to_allocvec(&DuplicateThrottleState::default()).unwrap().len() <= 24);
}

#[test]
fn pages_without_words_and_no_throttle() {
    let options = DuplicateThrottleOptions::default();
    let mut state = DuplicateThrottleState::default();
    assert!((0..10_000).all(|_| state.observe(None, &options) == ThrottleAction::None));
    assert_eq!(state, DuplicateThrottleState::default());
    let off = DuplicateThrottleOptions { enabled: false, ..Default::default() };
    assert!((0..10_000).all(|_| state.observe(fingerprint("the same"), &off) == ThrottleAction::None));
}

#[test]
fn settings() {
    assert!(DuplicateThrottleOptions::default().check().is_ok());
    for bad in [
        DuplicateThrottleOptions { distance: 17, ..Default::default() },
        DuplicateThrottleOptions { short_distance: 2, ..Default::default() },
        DuplicateThrottleOptions { full_weight_shingles: 0, ..Default::default() },
        DuplicateThrottleOptions { release_share: 0.8, ..Default::default() },
        DuplicateThrottleOptions { cut_share: 1.1, ..Default::default() },
        DuplicateThrottleOptions { cut_after: 32, ..Default::default() },
        DuplicateThrottleOptions { slowest: f32::NAN, ..Default::default() },
    ] {
        assert!(matches!(bad.check(), Err(Error::Config(_))), "{bad:?}");
    }
    let distances = [1, 40, 100, 400, 10_000].map(|n| DuplicateThrottleOptions::default().distance_of(n));
    assert_eq!(distances, [10, 10, 7, 4, 3]);
}

#[test]
fn fingerprints() {
    let print = |text: &str| fingerprint(text).expect("words");
    // Small numbers, years and clocks are one; others are not.
    assert_eq!(print("on 3 May 2024 at 10:31 we met"), print("on 12 May 1999 at 9:05 we met"));
    assert_ne!(print("we sold 345 of them").key, print("we sold 346 of them").key);
    assert_ne!(print("a b"), print("b a"));
    assert_eq!(print("a b").shingles, 1);
    // Scripts without spaces.
    assert_eq!(print("今天天气很好").shingles, 4);
    assert_eq!(print("今天，天气很好！"), print("今天天气很好"));
    assert_eq!(print("été à Noël"), print("  été — à, Noël."));
    // A table of numbers does not outvote the text.
    let table = "1 2 3 4 5 6 7 8 9 ".repeat(200);
    let [a, b] = [Dice(1).text(60), Dice(2).text(60)].map(|text| print(&format!("{table}{text}")).simhash);
    assert!((a ^ b).count_ones() > 12);
    // Few changed words, few changed bits.
    let text = Dice(3).text(600);
    let changed = text.replacen(text.split(' ').nth(300).expect("a word"), "other", 1);
    assert!((print(&text).simhash ^ print(&changed).simhash).count_ones() <= 8);
    assert_eq!(fingerprint("… — !"), None);
    // Long texts are read up to a character's border.
    let long = "中文".repeat(40_000);
    assert!(print(&long).shingles >= 2);
}

#[test]
fn fingerprints_may_not_change() {
    let print =
        fingerprint("The quick brown fox jumps over the lazy dog in 2024; 快速的棕色狐狸。").expect("words");
    assert_eq!((print.simhash, print.key, print.shingles), (8_504_328_457_125_811_332, 3_302_890_480, 16));
}

proptest! {
    #[test]
    fn any_text_and_any_order(texts in prop::collection::vec("\\PC{0,40}", 0..40)) {
        let mut state = DuplicateThrottleState::default();
        for text in &texts {
            state.observe(fingerprint(text), &DuplicateThrottleOptions::default());
            prop_assert!((0.0..=1.0).contains(&state.share) && state.recent.len() <= RECENT && state.sample.len() <= SAMPLE);
        }
        prop_assert_eq!(state.reason(), None);
    }
}
