//! A chart of times over sizes, both by powers of ten: ours and the bare program's.

use std::fmt::Write as _;

use serde_json::Value;

const WIDTH: f64 = 640.0;
const HEIGHT: f64 = 360.0;
const MARGIN: f64 = 56.0;

/// A line of a chart: name, key, colour, dashes.
type Line = (&'static str, &'static str, &'static str, &'static str);

/// Remember and recall.
pub(crate) const MEMORIES: &[Line] = &[
    ("recall, warm", "recall_ms", "#0b6e4f", ""),
    ("FTS5 query", "bare_recall_ms", "#0b6e4f", "5 4"),
    ("quipu recall, process", "fresh_process_ms", "#b5451b", ""),
    ("bare process", "bare_process_ms", "#b5451b", "5 4"),
    ("remember", "remember_ms", "#2a4d8f", ""),
    ("line and row", "bare_remember_ms", "#2a4d8f", "5 4"),
];

/// A dream, for each memory.
pub(crate) const DREAMS: &[Line] = &[("a dream, each memory", "milliseconds_each", "#0b6e4f", "")];

/// Draws the figures of several sizes as SVG.
pub(crate) fn svg(sizes: &[Value], lines: &[Line]) -> String {
    let number = |size: &Value, key: &str| size[key].as_f64().unwrap_or(0.01).max(0.01);
    let all = sizes.iter().flat_map(|size| lines.iter().map(move |(_, key, ..)| number(size, key)));
    let highest = all.fold(1.0, f64::max).log10().ceil();
    let (lowest, first) = (-1.0, 4.0);
    let last =
        sizes.iter().map(|size| number(size, "memories").log10()).fold(first + 1.0, f64::max);
    let x = |memories: f64| {
        MARGIN + (memories.log10() - first) / (last - first) * (WIDTH - MARGIN - 180.0)
    };
    let y = |time: f64| {
        let share = (time.log10() - lowest) / (highest - lowest);
        HEIGHT - MARGIN - share * (HEIGHT - 2.0 * MARGIN)
    };
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" font-family=\"sans-serif\" font-size=\"12\">\n<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n"
    );
    let mut power = lowest;
    while power <= highest {
        let at = y(10_f64.powf(power));
        let _ = writeln!(
            svg,
            "<line x1=\"{MARGIN}\" x2=\"{:.0}\" y1=\"{at:.0}\" y2=\"{at:.0}\" stroke=\"#ddd\"/><text x=\"8\" y=\"{:.0}\">{} ms</text>",
            WIDTH - 180.0,
            at + 4.0,
            10_f64.powf(power)
        );
        power += 1.0;
    }
    for size in sizes {
        let memories = number(size, "memories");
        let _ = writeln!(
            svg,
            "<text x=\"{:.0}\" y=\"{:.0}\" text-anchor=\"middle\">{memories}</text>",
            x(memories),
            HEIGHT - MARGIN + 20.0
        );
    }
    let _ = writeln!(
        svg,
        "<text x=\"{:.0}\" y=\"{:.0}\">memories</text>",
        WIDTH - 170.0,
        HEIGHT - MARGIN + 40.0
    );
    for (at, (name, key, colour, dashes)) in lines.iter().enumerate() {
        let points: Vec<String> = sizes
            .iter()
            .map(|size| format!("{:.1},{:.1}", x(number(size, "memories")), y(number(size, key))))
            .collect();
        #[expect(clippy::cast_precision_loss, reason = "six lines")]
        let row = 30.0 + 18.0 * at as f64;
        let _ = writeln!(
            svg,
            "<polyline points=\"{}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"2\" stroke-dasharray=\"{dashes}\"/>\n<line x1=\"{:.0}\" x2=\"{:.0}\" y1=\"{row}\" y2=\"{row}\" stroke=\"{colour}\" stroke-width=\"2\" stroke-dasharray=\"{dashes}\"/><text x=\"{:.0}\" y=\"{:.0}\">{name}</text>",
            points.join(" "),
            WIDTH - 170.0,
            WIDTH - 140.0,
            WIDTH - 134.0,
            row + 4.0
        );
    }
    svg.push_str("</svg>\n");
    svg
}
