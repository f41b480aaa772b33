// A weak but complete bot of the Warlight AI Challenges, versions 1 and 2 (Rust 1.70 or later).
// Build and run it with: rustc -O -o bot bot.rs && ./bot

use std::{collections::BTreeMap, io};

fn main() {
    let (mut me, mut income) = (String::new(), 5);
    let mut borders: Vec<(u32, u32)> = vec![]; // each in both directions
    let mut seen: BTreeMap<u32, (bool, i32)> = BTreeMap::new(); // by region in sight: own?, armies
    for line in io::stdin().lines().map_while(Result::ok) {
        let words: Vec<&str> = line.split_whitespace().collect();
        let id = |word: &str| word.parse::<u32>().unwrap();
        match words[..] {
            ["settings", "your_bot", name] => me = name.to_string(),
            ["settings", "starting_armies", armies] => income = armies.parse().unwrap(),
            ["setup_map", "neighbors", ..] => {
                for pair in words[2..].chunks(2) {
                    let near = pair[1].split(',').map(id);
                    borders.extend(near.flat_map(|there| [(id(pair[0]), there), (there, id(pair[0]))]));
                }
            }
            ["update_map", ..] => {
                let row = |w: &[&str]| (id(w[0]), (w[1] == me, w[2].parse().unwrap()));
                seen = words[1..].chunks(3).map(row).collect();
            }
            ["pick_starting_regions", ..] => println!("{}", words[2..8].join(" ")),
            ["pick_starting_region", ..] => println!("{}", words[2]),
            ["go", kind, _] => {
                let mine = |region: &u32| seen.get(region).is_some_and(|known| known.0);
                let fronts = borders.iter().filter(|(here, there)| mine(here) && !mine(there));
                match fronts.min_by_key(|(_, there)| seen[there].1) {
                    None => println!("No moves"),
                    Some((here, _)) if kind == "place_armies" => println!("{me} {kind} {here} {income}"),
                    Some((here, there)) => println!("{me} {kind} {here} {there} {}", seen[here].1 + income - 1),
                }
            }
            _ => {} // blank and unknown lines
        }
    }
}
