use webmill_capture::calendar::MONTHS;

use super::*;

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

    /// Lines as a navigation has them.
    fn lines(&mut self, lines: u64, words: u64) -> String {
        (0..lines).map(|_| self.text(words) + "\n").collect()
    }
}

fn url(path: &str) -> CanonicalUrl {
    CanonicalUrl::parse(&format!("http://a.example{path}")).expect("a URL")
}

/// A host as a crawler meets it, far from the seeds.
#[derive(Default)]
struct Walk {
    state: DuplicateThrottleState,
    fetched: usize,
    refused: usize,
    /// Pages that were fetched until the first was refused.
    until_cut: Option<usize>,
    patterns: std::collections::BTreeSet<String>,
}

impl Walk {
    fn page(&mut self, path: &str, text: &str) {
        let url = url(path);
        if let Some(pattern) = self.state.refuses(&url, 2) {
            self.refused += 1;
            self.until_cut.get_or_insert(self.fetched);
            self.patterns.insert(pattern);
            return;
        }
        self.fetched += 1;
        self.state.observe(&url, fingerprint(&url, text).as_ref());
    }

    fn of(pages: impl IntoIterator<Item = (String, String)>) -> Walk {
        let mut walk = Walk::default();
        pages.into_iter().for_each(|(path, text)| walk.page(&path, &text));
        walk
    }
}

/// A traps's pages until the cut, and how many of 10,000 were fetched in all.
#[track_caller]
fn cut_within(most: usize, what: &str, pages: impl IntoIterator<Item = (String, String)>) {
    let walk = Walk::of(pages);
    let until = walk.until_cut.unwrap_or(usize::MAX);
    println!(
        "{what}: cut after {until} pages, {} fetched, {} refused, {:?}",
        walk.fetched, walk.refused, walk.patterns
    );
    assert!(until <= most, "{what}: {until}");
    assert!(walk.fetched <= until + walk.refused / 50 + 12, "{what}: {} probes", walk.fetched - until);
}

#[track_caller]
fn whole(what: &str, pages: impl IntoIterator<Item = (String, String)>) {
    let walk = Walk::of(pages);
    let (pages, copies) = walk.state.counts();
    println!("{what}: {pages} pages, {copies} taken for copies, {} refused", walk.refused);
    assert_eq!(walk.refused, 0, "{what}: {:?}", walk.patterns);
}

const DAYS: [&str; 7] = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"];

fn month_page(template: &str, month: u32) -> (String, String) {
    let days: String = (1..=28 + month % 4).map(|day| format!("{day} ")).collect();
    let (name, year) = (MONTHS[month as usize % 12], 2026 + month / 12);
    let before = MONTHS[(month as usize + 11) % 12];
    let text = format!(
        "{template}\n{name} {year}\n« {before} {year}\nMon Tue Wed Thu Fri Sat Sun\n{days}\nthere are no events in {name}"
    );
    (format!("/calendar/{year}/{}.html", month % 12 + 1), text)
}

#[test]
fn calendars_are_cut_soon() {
    let template = Dice(1).lines(40, 5);
    cut_within(40, "months by path", (0..2000).map(|month| month_page(&template, month)));
    let day = |n: u32| {
        let (year, month, day) = (2020 - n / 336, 12 - n / 28 % 12, 28 - n % 28);
        let name = MONTHS[month as usize - 1];
        let text = format!(
            "{template}\n{}, {day} {name} {year}\n{} {name}\n{} {name}\nNothing happened on this day, or nobody wrote it down.",
            DAYS[n as usize % 7],
            day - 1,
            day + 1
        );
        (format!("/day?date={year:04}-{month:02}-{day:02}"), text)
    };
    cut_within(40, "days by query, backwards", (0..10_000).map(day));
    let chinese = |n: u32| {
        let (year, month) = (2026 + n / 12, n % 12 + 1);
        let text = format!(
            "首页\n新闻中心\n联系我们\n{year}年{month}月\n一 二 三 四 五 六 日\n本月没有任何活动，请选择其他月份查看"
        );
        (format!("/rili/?year={year}&month={month}"), text)
    };
    cut_within(120, "Chinese months", (0..10_000).map(chinese));
}

#[test]
fn views_beyond_the_end_of_a_list_are_cut_soon() {
    let template = Dice(1).lines(30, 5);
    let list = |n: u64| {
        let offset = n * 20;
        let rows: String = (offset..(offset + 20).min(1234))
            .map(|row| format!("Thread {}\n", Dice(row + 1).text(6)))
            .collect();
        let text = format!(
            "{template}\nShowing {} to {} of 1234, page {}\n{rows}\n« 1 2 … {} {} {} … 62 »\nJump to page",
            offset + 1,
            offset + 20,
            n + 1,
            n,
            n + 1,
            n + 2
        );
        (format!("/forum/list?offset={offset}"), text)
    };
    let walk = Walk::of((0..10_000).map(list));
    println!("offsets beyond the end: 62 pages of a list, cut after {:?}", walk.until_cut);
    assert!(walk.until_cut.is_some_and(|pages| (62..62 + 50).contains(&pages)));
    whole("a list of 60 pages", (0..60).map(list));
}

#[test]
fn orders_of_one_list_are_cut() {
    let template = Dice(3).lines(30, 5);
    let base = |list: u64| {
        let rows: Vec<String> = (0..25)
            .map(|row| format!("Thread {} by {}", Dice(list * 100 + row + 1).text(5), row * 31))
            .collect();
        (format!("/forum/{list}"), format!("{template}\n{}", rows.join("\n")))
    };
    let view = |list: u64, view: u64| {
        let mut rows: Vec<String> = (0..25)
            .map(|row| format!("Thread {} by {}", Dice(list * 100 + row + 1).text(5), row * 31))
            .collect();
        rows.rotate_left(view as usize % 25);
        if view % 2 == 1 {
            rows.reverse();
        }
        (
            format!("/forum/{list}?sort={view}&dir=up"),
            format!("{template}\nSort by date\n{}", rows.join("\n")),
        )
    };
    // All views of a list one after the other.
    let by_list =
        (0..200).flat_map(|list| std::iter::once(base(list)).chain((0..50).map(move |n| view(list, n))));
    let walk = Walk::of(by_list);
    println!(
        "orders, list by list: cut after {:?}, {} of 10,000 views fetched",
        walk.until_cut,
        walk.fetched - 200
    );
    assert!(walk.until_cut.is_some_and(|pages| pages < 100) && walk.fetched < 400);
    // Breadth first: one view of every list after the other.
    let by_view = (0..50).flat_map(|n| (0..200).map(move |list| view(list, n)));
    let walk = Walk::of((0..200).map(base).chain(by_view));
    println!(
        "orders, breadth first: cut after {:?}, {} of 10,000 views fetched",
        walk.until_cut,
        walk.fetched - 200
    );
    assert!(walk.until_cut.is_some_and(|pages| pages < 1000) && walk.fetched < 1400);
    whole("each list once", (0..200).map(|list| view(list, 0)));
}

#[test]
fn numbered_copies_are_cut_and_thin_ones_late() {
    let page = |n: u32| {
        let text = format!(
            "Overview\nThere is nothing on this list today. Please choose another entry from the list below, or come \
                 back later when our editors have had the time to put something new here for you to read.\n/item/{n}.html\n\
                 further\nfurther\nhome"
        );
        (format!("/item/{n}.html"), text)
    };
    cut_within(150, "numbered copies", (1..10_000).map(|n| page(n * 7919)));
    let walk =
        Walk::of((0..3000).map(|n| (format!("/p/{}", n * 7919), format!("Page {} was not found", n * 7919))));
    assert!(walk.until_cut.is_none_or(|pages| pages >= 600), "{:?}", walk.until_cut);
    let template = Dice(1).lines(20, 5);
    let page = |n: u32| {
        let text = format!(
            "{template}\nNo hits\nPage generated in 0.{:04} seconds with {} queries\n10:{:02}:{:02}",
            n % 9973,
            n % 17,
            n % 60,
            n % 59
        );
        (format!("/q/{n}"), text)
    };
    cut_within(60, "copies with a clock", (0..10_000).map(page));
}

#[test]
fn combining_filters_are_cut() {
    let template = Dice(5).lines(20, 5);
    let words = ["red", "green", "small", "large", "cotton", "wool", "new", "used", "near", "far"];
    let page = |set: u32| {
        let on: Vec<&str> =
            (0..10).filter(|bit| set >> bit & 1 == 1).map(|bit| words[bit as usize]).collect();
        let path =
            format!("/list?{}", on.iter().map(|word| format!("{word}=yes")).collect::<Vec<_>>().join("&"));
        (path, format!("{template}\nNo shirts match all of these filters"))
    };
    cut_within(60, "filters", (1..1024).map(page));
}

#[test]
fn a_site_that_begins_again_is_cut() {
    for size in [30, 300, 3000] {
        let page = |n: u64| {
            (
                format!("/s{}/{}", n / size, Dice(n % size + 9).text(2).replace(' ', "")),
                Dice(n % size + 1).lines(12, 20),
            )
        };
        let walk = Walk::of((0..40_000).map(page));
        let until = walk.until_cut.unwrap_or(usize::MAX);
        println!("a site of {size} pages that begins again: cut after {until}, {:?}", walk.patterns);
        assert!(until < size as usize * 4 + 1000, "{size}: {until}");
    }
}

/// Sites of which no page may be left out: what the n-th page is called and says below the template.
#[test]
fn honest_sites_are_stored_whole() {
    let template = Dice(7).lines(60, 5);
    let name = |n: u64| (0..4).map(|i| char::from(b'a' + (n / 26u64.pow(i) % 26) as u8)).collect::<String>();
    let date = |n: u64, sign: &str| {
        format!("{:04}{sign}{:02}{sign}{:02}", 2010 + n / 336, n / 28 % 12 + 1, n % 28 + 1)
    };
    let row = |row: u64, dice: &mut Dice| {
        let [a, b, c, d] = [40, 30, 10, 100].map(|most| dice.below(most));
        format!("Day {row} {a} {b}.{c} {d}\n")
    };
    let measured = |n: u64| {
        let mut dice = Dice(n + 1);
        (0..12).map(|at| row(at, &mut dice)).collect::<String>()
    };
    let product = |n: u64| {
        let [price, weight, stock] = [1000, 5000, 20].map(|most| Dice(n + most).below(most));
        format!("Product {n}\nPrice {price} euros\nWeight {weight} g\nIn stock {stock}")
    };
    let han = |n: u64| {
        let mut dice = Dice(n + 11);
        (0..8).map(|_| char::from_u32(0x4E00 + dice.below(3000) as u32).unwrap()).collect::<String>()
    };
    let weather = |n: u64| {
        let mut dice = Dice(n + 1);
        let [a, b, c, d] = [40, 10, 100, 90].map(|most| dice.below(most));
        format!("Temperature {a}.{b} humidity {c} wind {d}")
    };
    type Page<'a> = (&'a str, &'a dyn Fn(u64) -> String, &'a dyn Fn(u64) -> String);
    let sites: [Page<'_>; 9] = [
        ("tables", &|n| format!("/station/{n}.html"), &|n| format!("Station {n}\n{}", measured(n))),
        ("one number", &|n| format!("/item/{n}"), &|n| {
            format!("Item {n} of our list costs {} euros", n * 7919 % 10_007)
        }),
        ("one short number", &|n| format!("/item/{n}"), &|n| format!("{} degrees", n * 7919 % 5003)),
        ("a catalogue", &|n| format!("/product?id={n}"), &product),
        ("stubs", &|n| format!("/feature/{n}"), &|n| {
            format!("The feature {} has no tracking issue", name(n))
        }),
        ("stubs by name", &|n| format!("/feature/{}.html", name(n)), &|n| {
            format!("The feature {} has no tracking issue", name(n))
        }),
        ("Chinese pages", &|n| format!("/wenzhang/{n}.html"), &|n| format!("关于我们\n{}\n版权所有", han(n))),
        ("a newspaper by date", &|n| format!("/{}/", date(n, "/")), &|n| {
            format!("{} {}\n{}", n % 28 + 1, MONTHS[n as usize / 28 % 12], Dice(n + 1).lines(5, 8))
        }),
        ("weather by date", &|n| format!("/weather?date={}", date(n, "-")), &weather),
    ];
    for (what, path, text) in sites {
        whole(what, (0..3002).map(|n| (path(n), format!("{template}\n{}", text(n)))));
    }
    // Photographs.
    let mut walk = Walk::default();
    for n in 0..3002 {
        let url = url(&format!("/photo/{n}"));
        let mut taken = Fingerprinter::new(&url);
        taken.text("Photo by me, next, before, all of the photographs");
        taken.end_block();
        taken.embedded(&format!("/img/{n}.jpg"));
        assert_eq!(walk.state.refuses(&url, 2), None);
        walk.state.observe(&url, taken.finish().as_ref());
    }
}

#[test]
fn dull_parts_and_mirrored_sections_are_let_be() {
    let template = Dice(1).lines(60, 5);
    whole(
        "one new page in five",
        (0..20_000).map(|n| {
            let text = if n % 5 == 0 { Dice(n + 1).text(200) } else { format!("nothing found for {n}") };
            (format!("/n/{n}"), format!("{template}\n{text}"))
        }),
    );
    let first = || (0..2000).map(|n| (format!("/first/{n}"), Dice(n + 1).lines(6, 25)));
    let later = (5000..9000).map(|n| (format!("/later/{n}"), Dice(n).lines(6, 25)));
    let mirror = first().take(800).map(|(path, text)| (path.replace("first", "mirror"), text));
    let walk = Walk::of(first().chain(mirror).chain(later));
    println!("a mirrored section of 800 of 6,800 pages: {} refused, {:?}", walk.refused, walk.patterns);
    assert!(walk.patterns.iter().all(|pattern| pattern.starts_with("/mirror/")));
}

#[test]
fn only_the_pattern_is_cut_and_never_what_is_vouched_for() {
    let template = Dice(1).lines(40, 5);
    let mut walk = Walk::default();
    for n in 0..500 {
        let (path, text) = month_page(&template, n);
        walk.page(&path, &text);
        walk.page(&format!("/news/{n}.html"), &format!("{template}\n{}", Dice(u64::from(n) + 1).text(80)));
    }
    assert!(walk.until_cut.is_some());
    assert_eq!(walk.patterns.iter().collect::<Vec<_>>(), ["/calendar/{n}/{n}.html"]);
    assert_eq!(walk.state.counts().0, 500 + walk.fetched as u32 - 500);
    for depth in [0, 1] {
        assert_eq!(walk.state.refuses(&url("/calendar/2050/1.html"), depth), None);
    }
}

#[test]
fn what_becomes_new_is_fetched_again() {
    let template = Dice(1).lines(40, 5);
    let mut walk = Walk::default();
    (0..500).for_each(|n| walk.page(&format!("/item/{n}"), &template));
    assert!(walk.refused > 400, "{}", walk.refused);
    // Each probe finds something: two are enough.
    let before = walk.refused;
    (500..3000)
        .for_each(|n| walk.page(&format!("/item/{n}"), &format!("{template}\n{}", Dice(n + 1).text(50))));
    println!("released after {} more URLs", walk.refused - before);
    assert!(walk.refused - before < 600, "{}", walk.refused - before);
    assert!(!walk.state.is_cut());
}

#[test]
fn what_is_asked_for_again_is_fetched_whole() {
    let template = Dice(1).lines(40, 5);
    let mut walk = Walk::default();
    (0..500).for_each(|n| walk.page(&format!("/item/{n}"), &template));
    let refused = walk.refused;
    walk.state.forgive();
    (0..refused).for_each(|n| walk.page(&format!("/item/{n}"), &template));
    assert_eq!(walk.refused, refused);
    (0..500).for_each(|n| walk.page(&format!("/item/{n}"), &template));
    assert!(walk.refused > refused);
}

#[test]
fn the_state_is_small_and_stored() {
    let size = |pages: u64| {
        let walk = Walk::of((0..pages).map(|n| (format!("/{n}"), Dice(n + 1).lines(30, 8))));
        let bytes = postcard::to_allocvec(&walk.state).unwrap();
        assert_eq!(postcard::from_bytes::<DuplicateThrottleState>(&bytes).unwrap(), walk.state);
        bytes.len()
    };
    let sizes = [0, 1, 5, 20, 100, 2000].map(size);
    println!("bytes of a host after 0, 1, 5, 20, 100, 2000 pages: {sizes:?}");
    assert!(sizes[0] <= 24 && sizes[1] <= 350 && sizes[3] <= 900 && sizes[5] <= 11_000, "{sizes:?}");
}

#[test]
fn pages_without_words_say_nothing() {
    let mut state = DuplicateThrottleState::default();
    (0..10_000).for_each(|_| state.observe(&url("/a/1"), None));
    assert_eq!(state, DuplicateThrottleState::default());
}

#[test]
fn fingerprints_may_not_change() {
    let text = "The quick brown fox jumps over the lazy dog in 2024\n快速的棕色狐狸。\nPage 17 of 170";
    let print = fingerprint(&url("/fox/17"), text).expect("words");
    assert_eq!(
        (print.key, print.words, print.blocks.len(), print.blocks[0]),
        (1_150_751_362, 22, 3, 1_348_121_851)
    );
}
