//! The tables of `extract`: columns that spare joins, files that are neither small nor empty, rows in one order.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use webmill::capture::domain::registrable;
use webmill::mill::{LinkElement, LinkRow, PageRow, PostRow, RecordRow, StructuredRow, TextRow};
use webmill::table::{Table, TableInWords, part_files, read_rows};

use crate::support::{Work, story};

const TABLES: [&str; 6] = ["pages", "links", "texts", "records", "posts", "structured"];

/// A page with rows in most tables: text and links; a data table and structured data where `n` says so.
fn page(n: u64, again: bool) -> (String, String) {
    let host = match n % 5 {
        0 => "www.news.example.co.uk",
        1 => "someone.github.io",
        2 => "192.0.2.7",
        _ => "example.com",
    };
    let more = if again { story(n + 5000) } else { story(n) };
    let table = match n.is_multiple_of(3) {
        true => {
            "<table><tr><th>Model<th>Price</tr><tr><td>K 200<td>12.50</tr><tr><td>K 300<td>19.00</tr><tr><td>K 400<td>21.00</tr></table>"
        }
        false => "",
    };
    let item = match n.is_multiple_of(4) {
        true => format!(
            "<script type='application/ld+json'>{{\"@type\":\"Product\",\"name\":\"K {n}\"}}</script>"
        ),
        false => String::new(),
    };
    let html = format!(
        "<title>Page {n}</title>{item}<body><main><h1>Page {n}</h1><p>{}</p><p>{more}</p>{table}</main>\
         <p><a href='/p{}'>next</a> <a href='http://other.example.org/{n}'>other</a>\
         <img src='small.png' srcset='small.png 100w, /large{n}.png 900w' alt='A large  house'>",
        story(n + 1000),
        n + 1
    );
    (format!("http://{host}/p{n}"), html)
}

/// Writes `pages` pages, every seventh of them captured twice, as several shards.
fn corpus(work: &Work, pages: u64) {
    let twice = (0..pages).filter(|n| n.is_multiple_of(7)).map(|n| page(n, true));
    let all: Vec<_> = (0..pages).map(|n| page(n, false)).chain(twice).collect();
    for (number, pages) in all.chunks(all.len().div_ceil(4)).enumerate() {
        work.write_pages(&format!("shards/{number}"), pages);
        // Later shards hold later captures.
        let (from, to) = (format!("shards/{number}/pages-00000.rawdb"), format!("shards/s{number}.rawdb"));
        std::fs::rename(work.path(&from), work.path(&to)).unwrap();
        std::fs::remove_dir_all(work.path(&format!("shards/{number}"))).unwrap();
    }
}

fn extract(work: &Work, out: &str, settings: &str) -> PathBuf {
    let recipe = format!("{out}.toml");
    std::fs::write(work.path(&recipe), format!("[extract]\n{settings}")).unwrap();
    work.run(&["extract", "shards", "--out", out, "--recipe", &recipe, "--threads", "2"]);
    work.path(out).join("extract/latest")
}

/// What a table shares with `pages`: shard, offset; host, domain, whether it is current.
type SharedColumns = ((String, i64), (String, String, bool));

fn shared(extract: &Path) -> BTreeMap<&'static str, Vec<SharedColumns>> {
    macro_rules! rows {
        ($row:ty) => {{
            let rows: Vec<$row> = read_rows(&extract.join(<$row>::NAME)).unwrap();
            let shared = |row: $row| {
                ((row.warc_filename, row.warc_record_offset), (row.host, row.domain, row.is_current))
            };
            (<$row>::NAME, rows.into_iter().map(shared).collect())
        }};
    }
    BTreeMap::from([rows!(TextRow), rows!(RecordRow), rows!(PostRow), rows!(StructuredRow)])
}

#[test]
fn columns_agree_with_those_of_pages() {
    let work = Work::new();
    corpus(&work, 60);
    let extract = extract(&work, "out", "");
    let pages: Vec<PageRow> = read_rows(&extract.join("pages")).unwrap();
    let domain = |page: &PageRow| page.url_host_private_domain.clone().unwrap_or(page.url_host_name.clone());
    let by_place: BTreeMap<(String, i64), &PageRow> =
        pages.iter().map(|page| ((page.warc_filename.clone(), page.warc_record_offset), page)).collect();
    for (table, rows) in shared(&extract) {
        assert!(table == "posts" || rows.len() >= 15, "{table}: {}", rows.len());
        for (place, found) in rows {
            let page = by_place[&place];
            assert_eq!(found, (page.url_host_name.clone(), domain(page), page.is_current), "{table}");
        }
    }
    let links: Vec<LinkRow> = read_rows(&extract.join("links")).unwrap();
    assert!(links.len() >= 120);
    for link in links {
        let page = by_place[&(link.warc_filename.to_string(), link.warc_record_offset)];
        assert_eq!((&*link.source_url, link.source_key), (page.url.as_str(), page.url_key));
        assert_eq!(*link.source_host, *page.url_host_name);
        let target = webmill::capture::CanonicalUrl::parse(&link.target_url).unwrap();
        assert_eq!((&*link.target_host, &*link.target_domain), (target.host(), registrable(target.host())));
    }
}

#[test]
fn a_join_by_url_of_current_rows_gives_each_url_once() {
    let work = Work::new();
    corpus(&work, 60);
    let extract = extract(&work, "out", "");
    let texts: Vec<TextRow> = read_rows(&extract.join("texts")).unwrap();
    let urls: BTreeSet<&str> = texts.iter().map(|text| &*text.url).collect();
    assert_eq!((texts.len(), urls.len()), (69, 60));
    let current: Vec<&TextRow> = texts.iter().filter(|text| text.is_current).collect();
    assert_eq!(current.iter().map(|text| &*text.url).collect::<BTreeSet<_>>(), urls);
    assert_eq!(current.len(), urls.len());
    let later = texts.iter().find(|text| text.url.ends_with("/p7") && text.is_current).unwrap();
    assert!(later.text.contains(story(5007).trim()), "{}", later.text);
}

#[test]
fn files_have_their_rows_and_rows_their_order() {
    let work = Work::new();
    corpus(&work, 200);
    let least = 50;
    let extract = extract(&work, "out", "buffer_bytes = 20000\nfile_rows = 50\n");
    let names = |table: &str| -> Vec<String> {
        let files = part_files(&extract.join(table)).unwrap();
        files.iter().map(|file| file.file_name().unwrap().to_str().unwrap().to_owned()).collect()
    };
    let pages = names("pages");
    assert!(pages.len() >= 3, "{pages:?}");
    for table in TABLES {
        let names = names(table);
        assert_eq!(names[0], "part-000000.parquet", "{table}");
        assert!(names.iter().all(|name| pages.contains(name)), "{table}: {names:?}");
        let rows = |name: &String| TableInWords::read(&extract.join(table).join(name)).unwrap().rows.len();
        let rows: Vec<usize> = names.iter().map(rows).collect();
        assert!(rows.len() == 1 || rows.iter().all(|rows| *rows >= least), "{table}: {rows:?}");
    }
    assert!(names("structured").len() < pages.len(), "one page of four has an item");
    // A table without rows has one empty file.
    assert_eq!(names("posts"), ["part-000000.parquet"]);
    let place = |page: &PageRow| (page.warc_filename.clone(), page.warc_record_offset);
    let texts = rows_by_file::<TextRow>(&extract, |row| (row.warc_filename, row.warc_record_offset));
    for name in &pages {
        let rows: Vec<PageRow> = read_rows(&extract.join("pages").join(name)).unwrap();
        let order =
            |page: &PageRow| (page.url_sortkey.clone(), page.url.clone(), page.fetch_time, place(page));
        assert!(rows.windows(2).all(|pair| order(&pair[0]) < order(&pair[1])), "{name}");
        // The rows of its captures are in the last file that is not behind it.
        let places: BTreeSet<_> = rows.iter().map(place).collect();
        let file = names("texts").into_iter().rfind(|file| file <= name).unwrap();
        let elsewhere = texts.iter().any(|(other, found)| *other != file && !found.is_disjoint(&places));
        assert!(!elsewhere && places.is_subset(&texts[&file]), "texts of {name}");
    }
}

/// Places of the captures of a table's rows, file by file.
fn rows_by_file<T: Table>(
    extract: &Path,
    place: fn(T) -> (String, i64),
) -> BTreeMap<String, BTreeSet<(String, i64)>> {
    let files = part_files(&extract.join(T::NAME)).unwrap();
    let of_file = |file: &PathBuf| {
        let rows: Vec<T> = read_rows(file).unwrap();
        (file.file_name().unwrap().to_str().unwrap().to_owned(), rows.into_iter().map(place).collect())
    };
    files.iter().map(of_file).collect()
}

#[test]
fn however_small_the_parts_the_rows_are_the_same() {
    let work = Work::new();
    corpus(&work, 120);
    // More parts than are merged at a time.
    let small = extract(&work, "small", "buffer_bytes = 1\n");
    let large = extract(&work, "large", "");
    for table in TABLES {
        let [a, b] = [&small, &large].map(|extract| TableInWords::read(&extract.join(table)).unwrap());
        assert_eq!(part_files(&small.join(table)).unwrap().len(), 1, "{table}");
        assert!(a == b, "{table}: {} and {} rows", a.rows.len(), b.rows.len());
    }
}

#[test]
fn pictures_are_links_on_demand() {
    let work = Work::new();
    corpus(&work, 30);
    let links = |out: &str, settings: &str| -> Vec<LinkRow> {
        read_rows(&extract(&work, out, settings).join("links")).unwrap()
    };
    let (with, without) = (links("with", "images = true\n"), links("without", ""));
    let is_image = |link: &LinkRow| link.kind == LinkElement::Img;
    assert!(!without.iter().any(is_image));
    let images: Vec<&LinkRow> = with.iter().filter(|link| is_image(link)).collect();
    // Thirty pages and five again, with the picture of src and the largest of srcset.
    assert_eq!((images.len(), with.len() - without.len()), (70, 70));
    assert!(images.iter().all(|image| &*image.anchor == "A large house"), "{:?}", images[0]);
    let targets: BTreeSet<&str> = images.iter().map(|image| &*image.target_url).collect();
    assert!(targets.contains("http://example.com/large3.png"), "{targets:?}");
    assert!(targets.contains("http://example.com/small.png"), "{targets:?}");
    work.run(&["graph", "with"]);
    work.run(&["graph", "without"]);
    let arcs = |out| work.words(out, "graph", "arcs");
    assert!(arcs("with") == arcs("without"), "pictures are no arcs");
}
