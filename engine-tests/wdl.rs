//! Predicted probabilities of win, draw and loss compared with games that were not used to fit
//! them. Unit tests of `eval::wdl` cover the shape of the model.

use brisance::eval::wdl::WdlModel;

/// Number of pieces, internal value, and the games won, drawn and lost from there.
struct Cell {
    pieces: f64,
    value: f64,
    counts: [f64; 3],
}

fn cells() -> Vec<Cell> {
    let lines = include_str!("data/wdl.txt").lines();
    let lines = lines.filter(|line| !line.starts_with('#'));
    let cells = lines.map(|line| {
        let numbers = line.split(' ').map(|word| word.parse().expect("a number"));
        let numbers: Vec<f64> = numbers.collect();
        Cell {
            pieces: numbers[0],
            value: numbers[1],
            counts: numbers[2..].try_into().expect("three counts"),
        }
    });
    cells.collect()
}

fn predict(cell: &Cell) -> [f64; 3] {
    let model = WdlModel::for_piece_count(cell.pieces.round() as u32);
    let probabilities = model.wdl(cell.value.round() as i32);
    probabilities.map(|probability| f64::from(probability) / 1000.0)
}

#[test]
fn predictions_hold_in_other_games() {
    let cells = cells();
    let weights: Vec<f64> = cells.iter().map(|cell| cell.counts.iter().sum()).collect();
    let all: f64 = weights.iter().sum();
    assert!(cells.len() > 60 && all > 1000.0);
    for outcome in 0..3 {
        // Ten classes by predicted probability.
        let mut classes = [[0.0; 3]; 10];
        for (cell, weight) in cells.iter().zip(&weights) {
            let probability = predict(cell)[outcome];
            let class = &mut classes[((probability * 10.0) as usize).min(9)];
            class[0] += weight;
            class[1] += weight * probability;
            class[2] += cell.counts[outcome];
        }
        for [weight, expected, seen] in classes {
            if weight > 0.02 * all {
                let [expected, seen] = [expected, seen].map(|sum| sum / weight);
                let error = (expected - seen).abs();
                assert!(error < 0.1, "{outcome}: {expected:.3} {seen:.3}");
            }
        }
    }
}
