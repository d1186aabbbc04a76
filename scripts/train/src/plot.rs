//! Plots the losses of each epoch as an SVG.
//! Invariant: the plot shows every epoch.

use std::path::Path;

use plotters::prelude::*;

use crate::Losses;

/// Plots the training loss and both validation losses.
pub fn losses(path: &Path, history: &[Losses]) -> Result<(), String> {
    draw(path, history).map_err(|error| format!("{}: {error}", path.display()))
}

fn draw(path: &Path, history: &[Losses]) -> Result<(), Box<dyn std::error::Error>> {
    let all = history.iter().flat_map(|losses| [losses.train, losses.validation, losses.labels]);
    let (low, high) =
        all.fold((f64::MAX, f64::MIN), |(low, high), loss| (low.min(loss), high.max(loss)));
    let margin = ((high - low) * 0.05).max(1e-6);
    let root = SVGBackend::new(path, (720, 420)).into_drawing_area();
    root.fill(&WHITE)?;
    let mut chart = ChartBuilder::on(&root)
        .margin(12)
        .x_label_area_size(36)
        .y_label_area_size(70)
        .build_cartesian_2d(1.0..history.len().max(2) as f64, low - margin..high + margin)?;
    chart.configure_mesh().x_desc("epoch").y_desc("mean squared error").draw()?;
    let line = |pick: fn(&Losses) -> f64| {
        let points = history.iter().enumerate();
        points.map(move |(at, losses)| (at as f64 + 1.0, pick(losses)))
    };
    for (name, color, pick) in [
        ("training", BLUE, (|losses| losses.train) as fn(&Losses) -> f64),
        ("validation", RED, |losses| losses.validation),
        ("validation without results", GREEN, |losses| losses.labels),
    ] {
        chart
            .draw_series(LineSeries::new(line(pick), color))?
            .label(name)
            .legend(move |(x, y)| PathElement::new([(x, y), (x + 18, y)], color));
    }
    chart.configure_series_labels().border_style(BLACK).background_style(WHITE).draw()?;
    root.present()?;
    Ok(())
}
