//! Tables whose rows do not stand on a line each: `AsciiDoc`, and the simple ones of reStructuredText.

/// Returns how many columns an attribute line such as `[cols="1,3"]` tells.
pub(super) fn columns(attribute: &str) -> Option<usize> {
    let (_, after) = attribute.split_once("cols=")?;
    let value = after.trim_start_matches(['"', '\'']);
    let value = value.split(['"', '\'', ']']).next().unwrap_or(value);
    let repeated = value.split_once('*').and_then(|(count, _)| count.trim().parse().ok());
    repeated.or_else(|| Some(value.split([',', ';']).count()))
}

/// Returns the rows of an `AsciiDoc` table, each with the line that it begins on (0-based).
pub(super) fn asciidoc(lines: &[&str], columns: Option<usize>) -> Vec<(usize, Vec<String>)> {
    let mut cells: Vec<(usize, String)> = Vec::new();
    let mut in_first = 0;
    let mut first_line = None;
    for (at, line) in lines.iter().enumerate() {
        let trimmed = line.trim();
        if !trimmed.contains('|') {
            if let Some((_, cell)) = cells.last_mut().filter(|_| !trimmed.is_empty()) {
                cell.push(' ');
                cell.push_str(trimmed);
            }
            continue;
        }
        for (index, piece) in trimmed.split('|').enumerate() {
            let piece = piece.trim();
            if index == 0 {
                // What stands before the first bar belongs to the cell above, or is its format.
                if let Some((_, cell)) = cells.last_mut().filter(|_| piece.len() > 3) {
                    cell.push(' ');
                    cell.push_str(piece);
                }
                continue;
            }
            cells.push((at, piece.to_owned()));
            if *first_line.get_or_insert(at) == at {
                in_first += 1;
            }
        }
    }
    let wide = columns.unwrap_or(in_first).max(1);
    cells
        .chunks(wide)
        .map(|row| (row[0].0, row.iter().map(|(_, cell)| cell.clone()).collect()))
        .collect()
}

/// Tells whether a line rules off a simple table: `==== =====`.
pub(super) fn is_border(line: &str) -> bool {
    let line = line.trim();
    line.split_whitespace().count() >= 2 && line.chars().all(|c| c == '=' || c == ' ')
}

/// Returns the cells of a line below a border.
pub(super) fn simple_row(border: &str, line: &str) -> Vec<String> {
    let mut starts: Vec<usize> = Vec::new();
    let mut before = ' ';
    for (at, c) in border.chars().enumerate() {
        if c == '=' && before == ' ' {
            starts.push(at);
        }
        before = c;
    }
    let chars: Vec<char> = line.chars().collect();
    let cell = |index: usize| {
        let from = starts[index].min(chars.len());
        let to = starts.get(index + 1).map_or(chars.len(), |to| (*to).min(chars.len()));
        chars[from..to].iter().collect::<String>().trim().to_owned()
    };
    (0..starts.len()).map(cell).collect()
}

/// Returns the rows of a `list-table`, each with the line that it begins on (0-based).
pub(super) fn listed(lines: &[&str]) -> Vec<(usize, Vec<String>)> {
    let mut rows: Vec<(usize, Vec<String>)> = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        let trimmed = line.trim();
        if let Some(cell) = trimmed.strip_prefix("* - ") {
            rows.push((at, vec![cell.trim().to_owned()]));
        } else if let Some((_, cells)) = rows.last_mut().filter(|_| !trimmed.is_empty()) {
            match trimmed.strip_prefix("- ") {
                Some(cell) => cells.push(cell.trim().to_owned()),
                None => {
                    if let Some(cell) = cells.last_mut() {
                        cell.push(' ');
                        cell.push_str(trimmed);
                    }
                }
            }
        }
    }
    rows
}
