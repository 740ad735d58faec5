//! Three sites of which everything is known.

use std::collections::BTreeMap;
use std::fmt::Write;

use webmill::capture::calendar::MONTHS;

use super::rules::{BOOKS, GOODS, KETTLES};

/// Records of a site.
const RECORDS: usize = 2000;
/// Records of a list page.
const LISTED: usize = 50;

/// A page as it is served.
pub struct Page {
    pub url: String,
    pub content_type: &'static str,
    pub body: Vec<u8>,
}

/// What is planted of a record, of whatever site. Cells are as [`TableInWords`] has them.
struct Record {
    /// A number that looks random.
    dice: u64,
    cents: u64,
    day: (u64, u64, u64),
}

impl Record {
    fn new(site: u64, number: usize) -> Self {
        let mut dice = (number as u64 + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ (site << 40);
        dice = (dice ^ (dice >> 31)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        dice ^= dice >> 29;
        let day = (1995 + dice % 30, 1 + dice / 30 % 12, 1 + dice / 360 % 28);
        // From a few cents to millions: with no, one and two marks of thousands.
        let cents = (dice >> 20) % [1_000, 1_000_000, 1_000_000_000][number % 3];
        Record { dice, cents, day }
    }

    /// The price with this mark between thousands.
    fn price(&self, mark: char) -> String {
        let digits = (self.cents / 100).to_string();
        let mut text = String::new();
        for (at, digit) in digits.chars().enumerate() {
            if at > 0 && (digits.len() - at).is_multiple_of(3) {
                text.push(mark);
            }
            text.push(digit);
        }
        format!("{text}.{:02}", self.cents % 100)
    }

    fn price_cell(&self) -> String {
        format!("{:?}", self.cents as f64 / 100.0)
    }

    fn day_cell(&self) -> String {
        format!("{:04}-{:02}-{:02}", self.day.0, self.day.1, self.day.2)
    }
}

/// Pages, and the rows that are in them.
pub struct Site {
    pub rule: &'static str,
    pub table: &'static str,
    pub columns: &'static [&'static str],
    pub pages: Vec<Page>,
    pub rows: Vec<Vec<String>>,
    /// Problems that the job must count.
    pub problems: BTreeMap<&'static str, u64>,
}

/// UTF-8; some kettles have no colour, and some pages are in no shard: both are nulls.
pub fn kettles() -> Site {
    let page = |url: String, body: String| Page { url, content_type: "text/html", body: body.into_bytes() };
    let (mut pages, mut rows) = (Vec::new(), Vec::new());
    let mut problems = BTreeMap::new();
    let colours = ["red", "blue", "café au lait", "a \"dark\" green, nearly black", "赤"];
    for list in 0..RECORDS / LISTED {
        let mut items = String::new();
        for number in list * LISTED..(list + 1) * LISTED {
            let record = Record::new(1, number);
            let price = record.price(',');
            write!(items, "<li class='item x'><a class=to href='/k/{number}?a=1&amp;b=2'>Kettle</a> <span class=price>now {price} EUR</span></li>").unwrap();
            if number.is_multiple_of(7) {
                write!(items, "<li class=ad><a class=to href='/ad/{number}'>Buy</a><span class=price>1.00 EUR</span></li><!-- <li class=item><a class=to href='/old/{number}'>Old</a> -->").unwrap();
            }
            let name = format!("Kettle № {number} & {}", record.dice % 1000);
            let colour = (number % 3 != 1).then(|| colours[record.dice as usize % colours.len()]);
            let address = format!("http://kettles.example/k/{number}?a=1&b=2");
            let is_there = number % 97 != 5;
            if is_there {
                let said = colour
                    .map_or(String::new(), |colour| format!("<p class=colour>Colour: <b>{colour}</b></p>"));
                let day = record.day_cell();
                let shown = name.replace('&', "&amp;");
                let body = format!(
                    "<title>Shop</title><div class=related><h1>Kettle № 1</h1><p class=colour><b>pink</b></p><time datetime=1900-01-01>then</time></div><main><h1> {shown}\n</h1>{said}<time datetime='{day}T10:00:00Z'>a day</time></main><script>'<main><h1>no</h1></main>'</script>"
                );
                pages.push(page(address.clone(), body));
            } else {
                *problems.entry("missing-page").or_default() += 1;
            }
            let null = || "null".to_owned();
            let seen = |text: String| if is_there { text } else { null() };
            let colour = colour.filter(|_| is_there).map_or(null(), str::to_owned);
            rows.push(vec![seen(name), record.price_cell(), seen(record.day_cell()), colour, address]);
        }
        let url = if list == 0 {
            "http://kettles.example/".to_owned()
        } else {
            format!("http://kettles.example/?page={list}")
        };
        let next = if (list + 1) * LISTED < RECORDS {
            format!("<a rel=next href='?page={}'>more</a>", list + 1)
        } else {
            String::new()
        };
        let others = "<aside><ul class=other><li class=item><a class=to href='/k/1'>x</a><span class=price>2.00 EUR</span></ul></aside>";
        pages.push(page(url, format!("<h1>List</h1><ul class=goods>{items}</ul>{others}{next}")));
    }
    Site {
        rule: KETTLES,
        table: "rule_kettles_all",
        columns: &["name", "price", "day", "colour", "address"],
        pages,
        rows,
        problems,
    }
}

/// GBK, told by a meta element or by the server alone; books without an author give no row.
pub fn books() -> Site {
    let page = |url: String, number: usize, body: String| {
        let meta = "<meta http-equiv=Content-Type content='text/html; charset=gb2312'>";
        let (content_type, meta) =
            if number.is_multiple_of(2) { ("text/html", meta) } else { ("text/html; charset=gbk", "") };
        let body = encoded(encoding_rs::GBK, &format!("<html><head>{meta}</head><body>{body}"));
        Page { url, content_type, body }
    };
    // Some that GB 2312 does not have.
    let letters: Vec<char> = "红楼梦西游记水浒传三国演义镕喆囧儒林外史聊斋志异世说新语".chars().collect();
    let word = |dice: u64, length: usize| -> String {
        (0..length).map(|at| letters[(dice >> (5 * at)) as usize % letters.len()]).collect()
    };
    let (mut pages, mut rows) = (Vec::new(), Vec::new());
    let mut problems: BTreeMap<&str, u64> = BTreeMap::new();
    for list in 0..RECORDS / LISTED {
        let mut items = String::new();
        for number in list * LISTED..(list + 1) * LISTED {
            let record = Record::new(2, number);
            let name = format!("{}（{number}）", word(record.dice, 2 + number % 6));
            let author = (number % 11 != 3).then(|| word(record.dice >> 7, 2 + number % 2));
            write!(items, "<tr class=b><td><a href=book_{number}.htm>{name}</a></td><td><a href=x.htm>评论</a></td></tr><tr class=c><td><a href=ad_{number}.htm>广告</a></td></tr>").unwrap();
            let by = author.as_ref().map_or(String::new(), |author| format!("<p>作者：<i>{author}</i></p>"));
            let price = record.price(if number.is_multiple_of(2) { ',' } else { ' ' });
            let (year, month, day) = record.day;
            let body = format!(
                "<p>相关图书：《水浒传》 定价 ￥9.00元</p><h2>《{name}》</h2>{by}<p>定价： ￥{price}元</p><p>出版日期：{year}年{month}月{day}日</p>"
            );
            pages.push(page(format!("http://shu.example/book_{number}.htm"), number, body));
            let short: String = name.chars().take(4).collect();
            match author {
                Some(author) => {
                    *problems.entry("shortened").or_default() += u64::from(short != name);
                    rows.push(vec![name, short, author, record.price_cell(), record.day_cell()]);
                }
                None => *problems.entry("incomplete").or_default() += 1,
            }
        }
        let next = if (list + 1) * LISTED < RECORDS {
            format!("<a href=list_{}.htm>下一页</a>", list + 2)
        } else {
            String::new()
        };
        let before = format!("<a href=list_{}.htm>上一页</a>", list.max(1));
        pages.push(page(
            format!("http://shu.example/list_{}.htm", list + 1),
            list,
            format!("<table>{items}</table>{before}{next}"),
        ));
    }
    Site {
        rule: BOOKS,
        table: "rule_books_all",
        columns: &["name", "short", "author", "price", "day"],
        pages,
        rows,
        problems,
    }
}

/// Windows-1252; prices that are no numbers and days that may be two are null, and counted.
pub fn goods() -> Site {
    let page = |url: String, body: String| {
        let body = encoded(encoding_rs::WINDOWS_1252, &body);
        Page { url, content_type: "text/html; charset=iso-8859-1", body }
    };
    let (mut pages, mut rows) = (Vec::new(), Vec::new());
    let mut problems: BTreeMap<&str, u64> = BTreeMap::new();
    for list in 0..RECORDS / LISTED {
        let mut items = String::new();
        for number in list * LISTED..(list + 1) * LISTED {
            let record = Record::new(3, number);
            write!(items, "<p><a href='/g/{number}'>see</a> <a href='/help/{number}'>help</a></p>").unwrap();
            let name = format!("Größe {number} – “x”");
            let priced = number % 13 != 2;
            let price = if priced { record.price('\'') } else { "call us".to_owned() };
            let (year, month, day) = record.day;
            let dated = number % 17 != 4;
            let added = match (dated, number % 3) {
                (false, _) => "03/04/2003".to_owned(),
                (true, 0) => format!("{day} {} {year}", MONTHS[month as usize - 1]),
                (true, 1) => format!("{} {day}, {year}", MONTHS[month as usize - 1]),
                (true, _) => record.day_cell(),
            };
            *problems.entry("not-of-kind").or_default() += u64::from(!priced) + u64::from(!dated);
            pages.push(page(format!("http://goods.example/g/{number}"), format!("<div itemscope itemtype='http://schema.org/Organization'><b itemprop=name>The shop</b></div><div itemscope itemtype='http://schema.org/Product'><h1 itemprop=name>{name}</h1><div itemprop=offers itemscope itemtype='http://schema.org/Offer'><meta itemprop=price content=\"{price}\"></div></div><div itemscope itemtype='http://schema.org/Offer'><b itemprop=price>7.00</b></div><p>Added on {added}</p>")));
            let cell = |there: bool, cell: String| if there { cell } else { "null".to_owned() };
            rows.push(vec![name, cell(priced, record.price_cell()), cell(dated, record.day_cell())]);
        }
        pages.push(page(
            format!("http://goods.example/list?p={:02}", list + 1),
            format!("<div id=goods>{items}</div><div><a href='/g/1'>today's offer</a></div>"),
        ));
    }
    Site { rule: GOODS, table: "rule_goods_all", columns: &["name", "price", "day"], pages, rows, problems }
}

/// A text in an encoding that has all of it.
fn encoded(encoding: &'static encoding_rs::Encoding, text: &str) -> Vec<u8> {
    let (bytes, _, lost) = encoding.encode(text);
    assert!(!lost, "{text}");
    bytes.into_owned()
}
