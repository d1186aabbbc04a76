//! The page of analysed games: what it contains, its labels and its size.

use super::{GAMES, array, page, run_with};
use crate::program::Folder;

/// The data of the games of a page.
pub(super) fn page_data(html: &str) -> Vec<serde_json::Value> {
    let games = html.split("class=\"data\">").skip(1);
    let json = games.map(|game| game.split("</script>").next().expect("an end"));
    json.map(|json| serde_json::from_str(json).expect("JSON")).collect()
}

#[test]
fn the_page_shows_what_the_source_contains() {
    let study = GAMES
        .replace("[White \"A\"]", "[White \"?\"]\n[Orientation \"black\"]")
        .replace("[Black \"D\"]", "[Black \"?\"]\n[ChapterName \"A trap\"]");
    let html = page(&study);
    assert!(html.contains("<h1>A trap <span"), "the name of the chapter");
    let data = page_data(&html);
    let flipped: Vec<_> = data.iter().map(|game| game["flipped"].as_bool()).collect();
    assert_eq!(flipped, [Some(false), Some(true), Some(false)]);
    let first = &data[0]["positions"];
    assert_eq!(first[0]["note"], "An intro.");
    assert_eq!(first[3]["note"], "so far so good");
    let headline = first[1]["headline"].as_str().expect("text");
    assert!(headline.contains("clock 0:03:00"), "{headline}");
    // 2. Nc3 (2. e4 e5 (2... d5 3. Nd4) 3. d4 $10): the inner line starts after 2. e4.
    let variations = array(&first[3]["variations"]);
    let texts = variations.iter().map(|line| {
        let moves = array(&line["moves"]).iter();
        let texts = moves.map(|entry| entry[0].as_str().expect("text"));
        texts.collect::<Vec<_>>().join(" ")
    });
    let expected = ["2. e4 e5 3. d4 =", "2... d5 3. Nd4"];
    assert_eq!(texts.collect::<Vec<_>>(), expected);
    assert_eq!(variations[1]["from"], serde_json::json!(["e2e4"]));
    assert_eq!(variations[1]["base"], 2);
    // The lines of the engine can be played.
    let line = &first[0]["lines"][0]["moves"][0];
    assert!(line[0].as_str().expect("text").starts_with("1. ") && line[1].is_string());
    // Both sides have an accuracy.
    let accuracy = html.matches("<p>Accuracy: White ").count();
    assert_eq!(accuracy, 3, "both sides move in each of the games");
}

#[test]
fn the_labels_of_the_page_name_the_engine_and_the_better_move() {
    let html = page(GAMES);
    let first = &page_data(&html)[0]["positions"];
    assert_eq!(first[0]["lines"][0]["label"], "Engine:");
    // A position after a better move is captioned with it, as the sentence above names it.
    let captions = html.split("<figcaption>Better: ").skip(1);
    let captions: Vec<&str> = captions.filter_map(|rest| rest.split('<').next()).collect();
    assert!(!captions.is_empty());
    for caption in captions {
        let better = caption.rsplit(' ').next().expect("a move");
        let sentence = format!("{better} was best");
        assert!(html.contains(&sentence), "{caption}");
    }
    assert!(!html.contains("Best:"));
}

#[test]
fn a_game_without_players_is_named_by_chapter_event_or_site() {
    let (chapter, event) = (("ChapterName", "A trap"), ("Event", "A cup"));
    let names = [chapter, event, ("Site", "A town")];
    let games = (0..=names.len()).map(|left_out| {
        let tags = names[left_out..].iter();
        let tags = tags.map(|(tag, name)| format!("[{tag} \"{name}\"]\n"));
        let tags: String = tags.collect();
        format!("{tags}[White \"?\"]\n[Black \"?\"]\n[Variant \"Atomic\"]\n\n1. Nf3 f6 *\n\n")
    });
    let html = page(&games.collect::<String>());
    let titles = html.split("<h1>").skip(1);
    let titles = titles.filter_map(|rest| rest.split(" <span").next());
    let titles: Vec<&str> = titles.collect();
    assert_eq!(titles, ["A trap", "A cup", "A town", "? – ?"]);
}

#[test]
fn a_page_of_many_games_stays_small() {
    const COUNT: usize = 30;
    const BYTES_PER_GAME: usize = 20_000;
    let (game, _) = GAMES.split_once("\n\n\n").expect("several games");
    let (folder, file) = Folder::with("games.pgn", format!("{game}\n\n").repeat(COUNT));
    run_with(&file, "--html page.html --nodes 30", 0);
    let html = folder.read("page.html");
    assert_eq!(page_data(&html).len(), COUNT);
    assert!(html.len() < COUNT * BYTES_PER_GAME, "{} bytes", html.len());
}
