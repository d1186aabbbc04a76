//! Chances of win, draw and loss beside games that were not used to fit them. Scale and
//! curves are tested for their shape where they are defined.

use std::fs;
use std::path::Path;

use brisance::eval::wdl::Scale;

/// Men, internal value, and how many games were won, drawn and lost from there.
struct Cell {
    men: f64,
    value: f64,
    counts: [f64; 3],
}

fn cells() -> Vec<Cell> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("engine-tests/data/wdl.txt");
    let text = fs::read_to_string(path).expect("the table of counts");
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    let cells = lines.map(|line| {
        let numbers = line.split(' ').map(|word| word.parse().expect("a number"));
        let numbers: Vec<f64> = numbers.collect();
        let [men, value, won, drawn, lost] = numbers[..] else {
            panic!("{line:?} has not five numbers");
        };
        let counts = [won, drawn, lost];
        Cell { men, value, counts }
    });
    cells.collect()
}

fn forecast(cell: &Cell) -> [f64; 3] {
    let scale = Scale::with_men(cell.men.round() as u32);
    let chances = scale.win_draw_loss(cell.value.round() as i32);
    chances.map(|chance| f64::from(chance) / 1000.0)
}

#[test]
fn forecasts_hold_in_other_games() {
    let cells = cells();
    let weights: Vec<f64> = cells.iter().map(|cell| cell.counts.iter().sum()).collect();
    let all: f64 = weights.iter().sum();
    assert!(cells.len() > 60 && all > 1000.0);
    for outcome in 0..3 {
        // Ten classes by the chance that was given.
        let mut classes = [[0.0; 3]; 10];
        for (cell, weight) in cells.iter().zip(&weights) {
            let chance = forecast(cell)[outcome];
            let class = &mut classes[((chance * 10.0) as usize).min(9)];
            class[0] += weight;
            class[1] += weight * chance;
            class[2] += cell.counts[outcome];
        }
        for [weight, expected, seen] in classes {
            if weight > 0.02 * all {
                let [expected, seen] = [expected, seen].map(|sum| sum / weight);
                assert!(
                    (expected - seen).abs() < 0.1,
                    "{outcome}: {expected:.3} {seen:.3}"
                );
            }
        }
    }
}

#[test]
fn a_score_tells_more_than_none() {
    let cells = cells();
    let mut totals = [0.0; 3];
    for cell in &cells {
        for (total, count) in totals.iter_mut().zip(cell.counts) {
            *total += count;
        }
    }
    let all: f64 = totals.iter().sum();
    let loss = |chances: &dyn Fn(&Cell) -> [f64; 3]| -> f64 {
        let cost = |cell: &Cell| -> f64 {
            let chances = chances(cell);
            (0..3)
                .map(|i| -cell.counts[i] * chances[i].max(1e-3).ln())
                .sum()
        };
        cells.iter().map(cost).sum::<f64>() / all
    };
    let (fitted, blind) = (loss(&forecast), loss(&|_| totals.map(|total| total / all)));
    assert!(fitted < 0.75 * blind, "{fitted:.3} {blind:.3}");
}
