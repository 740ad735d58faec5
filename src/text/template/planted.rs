//! Planted sites: what stands on every page goes, what a page alone says stays.

use std::collections::BTreeMap;

use crate::main_text::{TextLimits, footprint, main_text, main_text_without};
use crate::template::{MAX_PAGES, Sample, Template};
use webmill_html::{Limits, is_wide, metadata, parse};

/// Numbers that follow from a seed.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, most: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut state = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        state = (state ^ (state >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((state ^ (state >> 31)) >> 16) as usize % most
    }

    fn of<'w>(&mut self, words: &[&'w str]) -> &'w str {
        words[self.below(words.len())]
    }

    /// A sentence of some twelve words, or thirty characters.
    fn sentence(&mut self, chinese: bool) -> String {
        let names = [
            "miller", "river", "letter", "lantern", "captain", "orchard", "sister", "bridge", "winter",
            "market",
        ];
        let verbs = ["found", "carried", "forgot", "painted", "counted", "followed", "sold", "remembered"];
        let what = ["old", "quiet", "broken", "green", "distant", "heavy", "narrow", "bright", "empty"];
        let nouns_zh = ["老师", "邻居", "河边", "船长", "果园", "妹妹", "石桥", "冬天", "市场", "来信"];
        let verbs_zh = ["找到了", "带走了", "忘记了", "画出了", "数过了", "跟着", "卖掉了", "想起了"];
        let what_zh = ["旧的", "安静的", "破碎的", "绿色的", "遥远的", "沉重的", "狭窄的", "明亮的"];
        let number = self.below(9000) + 100;
        if chinese {
            let mut half = || {
                format!(
                    "{}的{}{}{}{}",
                    self.of(&nouns_zh),
                    self.of(&nouns_zh),
                    self.of(&verbs_zh),
                    self.of(&what_zh),
                    self.of(&nouns_zh)
                )
            };
            return format!("{}，后来{}在{number}年又到了这里。", half(), half());
        }
        let mut half = || {
            format!(
                "the {} {} {} a {} {}",
                self.of(&what),
                self.of(&names),
                self.of(&verbs),
                self.of(&what),
                self.of(&names)
            )
        };
        format!("In {number} {}, and {}.", half(), half())
    }

    /// Sentences of at least `least` tokens together.
    fn sentences(&mut self, least: usize, chinese: bool) -> Vec<String> {
        let (mut all, mut length) = (Vec::new(), 0);
        while length < least {
            let sentence = self.sentence(chinese);
            length += tokens(&sentence).values().sum::<usize>();
            all.push(sentence);
        }
        all
    }
}

fn tokens(text: &str) -> BTreeMap<String, usize> {
    let mut found = BTreeMap::new();
    for word in text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()) {
        if word.chars().any(is_wide) {
            word.chars().for_each(|c| *found.entry(c.to_string()).or_default() += 1);
        } else {
            *found.entry(word.to_lowercase()).or_default() += 1;
        }
    }
    found
}

fn f1(text: &str, truth: &str) -> f64 {
    let (found, wanted) = (tokens(text), tokens(truth));
    let both: usize = found.iter().map(|(word, n)| *n.min(wanted.get(word).unwrap_or(&0))).sum();
    2.0 * both as f64 / (found.values().sum::<usize>() + wanted.values().sum::<usize>()) as f64
}

/// A site with its boilerplate in one of four layouts: beside the text, in its container, in a box within it, in a table.
struct Site {
    chinese: bool,
    layout: usize,
    boilerplate: Vec<String>,
}

impl Site {
    /// With `share` of the text of a page, in percent.
    fn new(share: usize, layout: usize, chinese: bool) -> Site {
        let mut numbers = Numbers((share * 100 + layout * 10) as u64 + u64::from(chinese));
        // 200 tokens are a page's own in the mean.
        let boilerplate = numbers.sentences(200 * share / (100 - share), chinese);
        Site { chinese, layout, boilerplate }
    }

    fn part(&self, n: usize, of: usize) -> String {
        self.boilerplate.iter().skip(n).step_by(of).map(|sentence| format!("<p>{sentence}</p>")).collect()
    }

    /// HTML, title and own text of a page.
    fn page(&self, n: usize) -> (String, String, String) {
        let mut numbers = Numbers(n as u64 * 7919 + 1_000_003);
        let least = 100 + numbers.below(200);
        let own = numbers.sentences(least, self.chinese);
        let title = numbers.sentence(self.chinese);
        let paragraphs: Vec<String> = own.chunks(2).map(|two| format!("<p>{}</p>", two.join(" "))).collect();
        let (above, below) = paragraphs.split_at(paragraphs.len() / 2);
        let (all, above, below) = (paragraphs.concat(), above.concat(), below.concat());
        let part = |n, of| self.part(n, of);
        let body = match self.layout {
            0 => format!(
                "<div class=about>{}</div><div class=main><h1>{title}</h1>{all}</div><div class=foot>{}</div>",
                part(0, 2),
                part(1, 2)
            ),
            1 => format!(
                "<article><h1>{title}</h1>{}{all}{}</article><aside><h3>Author</h3>{}</aside>",
                part(0, 3),
                part(1, 3),
                part(2, 3)
            ),
            2 => format!(
                "<div><h2>{title}</h2>{above}<div class=box><b>Subscribe</b>{}</div>{below}{}</div>",
                part(0, 2),
                part(1, 2)
            ),
            _ => format!(
                "<table><tr><td>{}</td><td><h1>{title}</h1>{all}{}</td></tr></table>",
                part(0, 2),
                part(1, 2)
            ),
        };
        (format!("<title>{title}</title><body>{body}</body>"), title, own.join("\n"))
    }
}

/// Mean F1 of some pages of a site of `pages` pages, with its template and without.
fn measured(site: &Site, pages: usize) -> [f64; 2] {
    let mut sample = Sample::default();
    for n in 0..pages {
        let key = Numbers(n as u64).below(usize::MAX) as u64;
        if sample.wants(key) {
            sample.add(key, footprint(&parse(&site.page(n).0, &Limits::default())));
        }
    }
    assert_eq!(sample.len(), pages.min(MAX_PAGES));
    let template = Template::learn(&sample).0.unwrap();
    let looked: Vec<usize> = (0..pages).step_by(pages.div_ceil(10)).collect();
    let mut sums = [0.0; 2];
    for &n in &looked {
        let (html, title, own) = site.page(n);
        let dom = parse(&html, &Limits::default());
        let meta = metadata(&dom, None, &[]);
        let texts = [
            main_text_without(&dom, &meta, &TextLimits::default(), &template),
            main_text(&dom, &meta, &TextLimits::default()),
        ];
        for (sum, text) in sums.iter_mut().zip(texts) {
            // Whether the headline is text is another question.
            *sum += f1(&text.text.replace(&title, ""), &own);
        }
    }
    sums.map(|sum| sum / looked.len() as f64)
}

#[test]
fn what_all_pages_of_a_site_show_goes() {
    let mut worst_without = 1.0f64;
    for pages in [10, 40, 260, 2000] {
        for (share, layout) in
            [5, 15, 30, 60].into_iter().flat_map(|share| (0..4).map(move |layout| (share, layout)))
        {
            for chinese in [false, true] {
                let [with, without] = measured(&Site::new(share, layout, chinese), pages);
                assert!(
                    with >= 0.98,
                    "{pages} pages, {share} %, layout {layout}, Chinese {chinese}: {without} -> {with}"
                );
                worst_without = worst_without.min(without);
            }
        }
    }
    assert!(worst_without < 0.7, "a page by itself cannot tell: {worst_without}");
}
