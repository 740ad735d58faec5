//! `webmill dedup similar`: pages of results that resemble a text.

use serde_json::Value;

use crate::dedup_diff::{article, chinese, corpus};
use crate::support::Work;

fn similar(work: &Work, arguments: &[&str]) -> (Option<i32>, String, String) {
    let mut command = work.webmill(&["dedup", "similar", "results"]);
    let form = if arguments.contains(&"--format") { &[][..] } else { &["--format", "tsv"] };
    let output = command.args(arguments).args(form).output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (output.status.code(), text(output.stdout), text(output.stderr))
}

#[test]
fn the_pages_that_resemble_a_text_are_found_with_exact_shares() {
    let work = Work::new();
    corpus(&work);
    // A page finds its copy, not itself, and not the text that its URL had earlier.
    let (code, shown, said) = similar(&work, &["http://a.example/story", "--min-resemblance", "0.95"]);
    assert_eq!(code, Some(0), "{said}");
    assert_eq!(shown, "1.0\t1.0\t1.0\thttp://a.example/copy?id=1\n");

    let plain = article("old").replace("</p><p>", "\n");
    std::fs::write(work.path("story.txt"), &plain).unwrap();
    let (_, shown, _) = similar(&work, &["story.txt", "--min-resemblance", "0.95"]);
    let urls: Vec<&str> = shown.lines().filter_map(|line| line.split('\t').nth(3)).collect();
    assert_eq!(urls, ["http://a.example/copy?id=1", "http://a.example/story"]);

    // With a passage more the page is in the text, but not all of the text in the page.
    let longer = format!("{plain} Then the miller closed the gates of the weir and went home.");
    std::fs::write(work.path("longer.txt"), longer).unwrap();
    let (_, shown, said) = similar(&work, &["longer.txt", "--format", "json", "--top", "1"]);
    let page: Value = serde_json::from_str(&shown).unwrap();
    assert!(page["text_in_page"].as_f64().unwrap() < 1.0 && page["page_in_text"] == 1.0, "{page}");
    assert_eq!(page["url"], "http://a.example/copy?id=1");
    assert!(said.contains("--top shows them"), "{said}");

    // Every page that shares a shingle is compared, however little they resemble each other.
    let few = "Sentence number 3 of the story tells how nobody ever wrote these words about comets.";
    let (code, shown, _) = similar(&work, &[few, "--min-resemblance", "0"]);
    assert_eq!((code, shown.lines().count()), (Some(0), 4), "{shown}");

    let (code, shown, _) = similar(&work, &[&chinese("海淀")]);
    assert_eq!(code, Some(0));
    assert!(shown.starts_with("1.0\t1.0\t1.0\thttp://a.example/zh/1\n"), "{shown}");
}

#[test]
fn texts_that_nothing_resembles_and_wrong_arguments_have_their_exit_codes() {
    let work = Work::new();
    corpus(&work);
    for text in ["Nobody ever wrote these words about comets and telescopes before.", "word word word", "… …"]
    {
        let (code, shown, _) = similar(&work, &[text]);
        assert_eq!((code, shown.as_str()), (Some(1), ""), "{text}");
    }
    for (arguments, part) in [
        (&["missing.txt"][..], "no such file"),
        (&["http://a.example/none"], "no such page"),
        (&["two words", "--min-resemblance", "2"], "not from 0 to 1"),
    ] {
        let (code, _, said) = similar(&work, arguments);
        assert!(code == Some(2) && said.contains(part), "{arguments:?}: {said}");
    }
}
