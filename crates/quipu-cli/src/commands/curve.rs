//! `quipu curve`: retention over time, in the terminal or as a picture.

use std::fmt::Write as _;

use quipu_engine::fs::outside::write_whole;
use quipu_engine::numbers::Curve;
use quipu_engine::{Workspace, operations};

use crate::context::Context;
use crate::error::CommandError;
use crate::reply::{CYAN, DIM, Reply, styled};
use crate::spoken::Spoken;

const ROWS: usize = 11;
const COLUMNS: usize = 61;

impl Spoken for operations::Curve {
    fn follow_up(&self, curve: &Curve, _: &Workspace, _: &Context) -> Result<(), CommandError> {
        let Some(path) = &self.svg else { return Ok(()) };
        let written = write_whole(path, |sink| sink.write_all(picture(curve).as_bytes()));
        written.map_err(|error| {
            CommandError::input("io", format!("cannot write `{}`: {error}", path.display()))
        })
    }

    fn say(&self, curve: &Curve, _: &Context) -> Reply {
        let mut text = words(curve);
        if let Some(path) = &self.svg {
            let _ = writeln!(text, "drawn into {}", path.display());
        }
        Reply::words(text)
    }
}

fn words(curve: &Curve) -> String {
    let mut text = String::new();
    let fades = match (curve.half_life_days, curve.fades_in_days) {
        (None, _) => "does not fade".to_owned(),
        (Some(days), None) => format!("half-life {days:.1} days"),
        (Some(days), Some(_)) if curve.now < 0.15 => {
            format!("half-life {days:.1} days; below 0.15 already")
        }
        (Some(days), Some(left)) => {
            format!("half-life {days:.1} days; below 0.15 in {left:.0} days if nobody uses it")
        }
    };
    let _ = writeln!(text, "{}: {:.2} is left now; {fades}", styled(CYAN, &curve.id), curve.now);
    let mut grid = vec![vec![' '; COLUMNS]; ROWS];
    let (start, end) = span(curve);
    let column = |day: f64| place((day - start) / (end - start), COLUMNS);
    for row in &mut grid {
        row[column(0.0)] = '┊';
    }
    for (day, left) in &curve.points {
        grid[place(1.0 - left, ROWS)][column(*day)] = '•';
    }
    for (number, row) in grid.iter().enumerate() {
        let line: String = row.iter().collect();
        let label = if number % 5 == 0 { format!("{:.1}", scale(number)) } else { String::new() };
        let _ = writeln!(text, "{} {}", styled(DIM, format!("{label:>4} │")), line.trim_end());
    }
    let _ = writeln!(text, "{}", styled(DIM, format!("     └{}", "─".repeat(COLUMNS))));
    let days = format!("{start:.0} days");
    let last = format!("+{end:.0} days");
    let gap = COLUMNS.saturating_sub(days.len() + last.len());
    let _ = writeln!(text, "{}", styled(DIM, format!("      {days}{}{last}", " ".repeat(gap))));
    text
}

fn span(curve: &Curve) -> (f64, f64) {
    let start = curve.points.first().map_or(0.0, |point| point.0);
    let end = curve.points.last().map_or(1.0, |point| point.0);
    (start, if end > start { end } else { start + 1.0 })
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::cast_precision_loss,
    reason = "a place in a small grid"
)]
fn place(share: f64, places: usize) -> usize {
    ((share.clamp(0.0, 1.0) * (places - 1) as f64).round() as usize).min(places - 1)
}

#[expect(clippy::cast_precision_loss, reason = "a row of a small grid")]
fn scale(row: usize) -> f64 {
    1.0 - row as f64 / (ROWS - 1) as f64
}

/// Draws the curve.
fn picture(curve: &Curve) -> String {
    const WIDTH: f64 = 640.0;
    const HEIGHT: f64 = 240.0;
    let (start, end) = span(curve);
    let x = |day: f64| 40.0 + (day - start) / (end - start) * (WIDTH - 60.0);
    let y = |left: f64| 20.0 + (1.0 - left) * (HEIGHT - 50.0);
    let points: Vec<String> =
        curve.points.iter().map(|(day, left)| format!("{:.1},{:.1}", x(*day), y(*left))).collect();
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" font-family=\"sans-serif\" font-size=\"11\">\n"
    );
    for left in [0.0, 0.5, 1.0] {
        let _ = writeln!(
            svg,
            "<line x1=\"40\" x2=\"620\" y1=\"{0:.1}\" y2=\"{0:.1}\" stroke=\"#ddd\"/><text x=\"10\" y=\"{0:.1}\">{left}</text>",
            y(left)
        );
    }
    let _ = writeln!(
        svg,
        "<line x1=\"{0:.1}\" x2=\"{0:.1}\" y1=\"20\" y2=\"210\" stroke=\"#999\" stroke-dasharray=\"3\"/><text x=\"{0:.1}\" y=\"228\">now</text>",
        x(0.0)
    );
    for day in &curve.uses {
        let _ =
            writeln!(svg, "<circle cx=\"{:.1}\" cy=\"210\" r=\"3\" fill=\"#b5541c\"/>", x(*day));
    }
    let _ = writeln!(
        svg,
        "<polyline points=\"{}\" fill=\"none\" stroke=\"#2a4d8f\" stroke-width=\"2\"/>\n</svg>",
        points.join(" ")
    );
    svg
}
