//! Any answers at any times, seen by any history: it stays one that can be kept, and due within the bounds of its schedule.
#![no_main]

use webmill::crawl::revisit::{
    Answer, CapturePlace, PageHistory, Prior, RevisitOptions, Schedule, Scheduler, Trust,
};

const STATUSES: [u16; 8] = [200, 200, 304, 304, 404, 410, 302, 0];

fn time(bytes: &[u8]) -> i64 {
    i64::from_le_bytes(bytes.try_into().expect("eight bytes"))
}

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    let Some((&[first, length], rest)) = data.split_first_chunk() else { return };
    let (kept, visits) = rest.split_at(usize::from(length).min(rest.len()));
    let mut history = PageHistory::decode(kept).unwrap_or_else(|_| PageHistory::new("http://a.example/", 0));
    let schedule = Schedule::ALL[usize::from(first % 4)];
    let options = RevisitOptions { schedule, ..RevisitOptions::default() };
    let scheduler = Scheduler::new(options, None).expect("the defaults are possible");
    let mut host = Trust::default();
    for visit in visits.chunks_exact(18) {
        let (what, at_ms, modified) = (visit[0], time(&visit[1..9]), time(&visit[9..17]));
        let status = STATUSES[usize::from(what & 7)];
        let conditional = history.conditions(&host).is_some();
        host.judge(what & 8 == 0);
        let _ = history.hint(modified, at_ms, &host);
        let date = webmill::capture::date::format_rfc822(modified);
        let answer = Answer {
            at_ms,
            status,
            conditional,
            cut: what & 16 != 0,
            digest: (status == 200).then_some([visit[17] & 3; 20]),
            simhash: (what & 32 != 0).then_some(u64::from(visit[17])),
            etag: (what & 64 != 0).then_some("\"1\""),
            last_modified: (what & 128 != 0).then_some(&date),
            date_ms: Some(modified),
            capture: (status == 200).then_some(CapturePlace { at_ms, shard: 0, offset: 0 }),
        };
        let seen = history.observe(&answer, &scheduler, &Prior::default());
        assert_eq!(seen.next_ms, history.next_ms);
        assert!(history.rate.is_finite() && history.rate >= 0.0, "{history:?}");
        assert!(history.since_days(modified) >= 0.0);
        assert_eq!(PageHistory::decode(&history.encode()).as_ref(), Ok(&history));
    }
});
