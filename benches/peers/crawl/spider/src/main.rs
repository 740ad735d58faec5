//! The `spider` crate on a simulated Web, for the benchmark `crawl`.
//!
//! usage: crawl-spider SEEDS PROXY PAGES HOSTS_AT_ONCE OUT
//!
//! One `Website` per seed, a given number at a time, one connection each, no delay, robots.txt obeyed, no cookies, no retries. All
//! share one HTTP client: one a website, the default, costs more than the fetching. The bodies go to the file OUT, one after the
//! other. Prints one line: pages, seconds, pages/s.

use std::io::Write;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use spider::configuration::Configuration;
use spider::website::Website;
use tokio::sync::{Semaphore, mpsc};

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

#[tokio::main]
async fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let [_, seeds, proxy, pages, at_once, out] = arguments.as_slice() else {
        eprintln!("usage: crawl-spider SEEDS PROXY PAGES HOSTS_AT_ONCE OUT");
        std::process::exit(2);
    };
    let seeds = std::fs::read_to_string(seeds).expect("a file of seeds");
    let most: u64 = pages.parse().expect("a number of pages");
    let at_once: usize = at_once.parse().expect("a number of hosts");
    let file = std::fs::File::create(out).expect("a file for the bodies");

    let mut configuration = Configuration::new();
    configuration
        .with_proxies(Some(vec![proxy.clone()]))
        .with_respect_robots_txt(true)
        .with_delay(0)
        .with_concurrency_limit(Some(1))
        .with_user_agent(Some("spider-peer"))
        .with_request_timeout(Some(Duration::from_secs(30)))
        .with_redirect_limit(10);
    let mut first = Website::new("http://www.nobody.example/");
    first.with_config(configuration.clone());
    let client = first.configure_http_client();

    let (send, mut bodies) = mpsc::unbounded_channel::<Vec<u8>>();
    let stored = Arc::new(AtomicU64::new(0));
    let counted = stored.clone();
    let writer = std::thread::spawn(move || {
        let mut file = std::io::BufWriter::with_capacity(1 << 20, file);
        while let Some(body) = bodies.blocking_recv() {
            file.write_all(&body).expect("room for a body");
            counted.fetch_add(1, Ordering::Relaxed);
        }
        file.flush().expect("room for a body");
    });
    let began = Instant::now();
    let places = Arc::new(Semaphore::new(at_once));
    let fetched = Arc::new(AtomicU64::new(0));
    let mut hosts = tokio::task::JoinSet::new();
    for seed in seeds.lines().map(str::to_owned) {
        let place = places.clone().acquire_owned().await.expect("an open semaphore");
        if fetched.load(Ordering::Relaxed) >= most {
            break;
        }
        let (configuration, client, send, fetched) =
            (configuration.clone(), client.clone(), send.clone(), fetched.clone());
        hosts.spawn(async move {
            let _place = place;
            let mut website = Website::new(&seed);
            website.with_config(configuration);
            website.set_http_client(client);
            let mut pages = website.subscribe(4096);
            let reader = tokio::spawn(async move {
                while let Ok(page) = pages.recv().await {
                    if page.status_code.as_u16() == 200 && fetched.fetch_add(1, Ordering::Relaxed) < most {
                        let _ = send.send(page.get_html_bytes_u8().to_vec());
                    }
                    if fetched.load(Ordering::Relaxed) >= most {
                        return;
                    }
                }
            });
            tokio::select! {
                () = website.crawl_raw() => {}
                _ = reader => {}
            }
            website.unsubscribe();
        });
    }
    while hosts.join_next().await.is_some() {}
    let seconds = began.elapsed().as_secs_f64();
    drop(send);
    writer.join().expect("a writer");
    let pages = stored.load(Ordering::Relaxed);
    println!("spider pages {pages} seconds {seconds:.2} pages/s {:.0}", pages as f64 / seconds);
}
