//! Markdown as a list of things that are said: bullets and paragraphs, each with the headings above it.

/// A bullet or a paragraph.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Section {
    /// The nearest heading.
    pub(crate) heading: String,
    /// The words; those of nested bullets too.
    pub(crate) text: String,
    /// The line, from 1.
    pub(crate) line: usize,
    /// Whether it is a bullet.
    pub(crate) is_bullet: bool,
}

/// Returns what a text says, in order. Code, comments, rules and tables of contents say nothing by themselves: a
/// fence stays with the words before it.
pub(crate) fn sections(text: &str) -> Vec<Section> {
    let mut found: Vec<Section> = Vec::new();
    let mut heading = String::new();
    let mut open: Option<Section> = None;
    let (mut in_fence, mut in_comment, mut is_after_blank) = (false, false, false);
    for (number, line) in text.lines().enumerate() {
        let bare = line.trim();
        let was_blank = std::mem::replace(&mut is_after_blank, bare.is_empty());
        if in_comment || bare.starts_with("<!--") || bare.starts_with("%%") {
            in_comment = !(bare.ends_with("-->") || (bare.ends_with("%%") && bare.len() > 2));
            continue;
        }
        let starts_or_ends = bare.starts_with("```") || bare.starts_with("~~~");
        if in_fence || starts_or_ends {
            in_fence ^= starts_or_ends;
            add(&mut open, line, &heading, number);
            continue;
        }
        if let Some(title) = title_of(bare) {
            found.extend(open.take());
            title.clone_into(&mut heading);
            continue;
        }
        // Claude writes its headings as bold lines.
        if open.is_none()
            && bare.len() > 4
            && bare.starts_with("**")
            && bare.ends_with("**")
            && !bare[2..bare.len() - 2].contains("**")
        {
            bare.trim_matches('*').trim_end_matches(':').clone_into(&mut heading);
            continue;
        }
        if bare.is_empty() {
            // A blank line ends a paragraph; in a bullet the next line decides.
            if open.as_ref().is_some_and(|one| !one.is_bullet) {
                found.extend(open.take());
            }
            continue;
        }
        let is_rule = bare.len() > 2 && bare.chars().all(|c| "-*_= ".contains(c));
        if is_rule {
            found.extend(open.take());
            continue;
        }
        let indent = line.len() - line.trim_start().len();
        match bullet(bare) {
            Some(words) if indent < 2 => {
                found.extend(open.take());
                let text = words.to_owned();
                open = Some(Section {
                    heading: heading.clone(),
                    text,
                    line: number + 1,
                    is_bullet: true,
                });
            }
            _ if indent < 2 && was_blank && open.as_ref().is_some_and(|one| one.is_bullet) => {
                found.extend(open.take());
                add(&mut open, bare, &heading, number);
            }
            _ => {
                let is_bullet = open.as_ref().is_some_and(|one| one.is_bullet);
                // What is below a bullet keeps its place in it.
                let shown = if is_bullet { line.strip_prefix("  ").unwrap_or(bare) } else { line };
                add(&mut open, shown, &heading, number);
            }
        }
    }
    found.extend(open);
    found.retain(|one| one.text.chars().any(char::is_alphanumeric));
    found
}

fn add(open: &mut Option<Section>, line: &str, heading: &str, number: usize) {
    if let Some(one) = open {
        one.text.push('\n');
        one.text.push_str(line.trim_end());
    } else {
        let (heading, text) = (heading.to_owned(), line.trim_end().to_owned());
        *open = Some(Section { heading, text, line: number + 1, is_bullet: false });
    }
}

/// Returns the words of a heading.
pub(crate) fn title_of(line: &str) -> Option<&str> {
    let rest = line.trim_start_matches('#');
    let level = line.len() - rest.len();
    ((1..=6).contains(&level) && rest.starts_with(' '))
        .then(|| rest.trim().trim_end_matches('#').trim_end())
}

/// Returns the words of a bullet or a numbered item.
pub(crate) fn bullet(line: &str) -> Option<&str> {
    let words = ["- ", "* ", "+ "].iter().find_map(|mark| line.strip_prefix(mark));
    words.map(str::trim).or_else(|| {
        let digits = line.chars().take_while(char::is_ascii_digit).count();
        let rest = &line[digits..];
        let is_item =
            (1..=3).contains(&digits) && (rest.starts_with(". ") || rest.starts_with(") "));
        is_item.then(|| rest[2..].trim())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bullets_and_paragraphs_are_told_apart() {
        let text = "# A\nOne\ntwo.\n\n- x\n  more\n  - nested\n- y\n\nAfter.\n\n```\n- code\n```\n**Work**\n1. first\n---\n<!-- - no -->\n";
        let all: Vec<(String, String)> =
            sections(text).into_iter().map(|one| (one.heading, one.text)).collect();
        let all: Vec<(&str, &str)> = all.iter().map(|(a, b)| (&**a, &**b)).collect();
        assert_eq!(
            all,
            [
                ("A", "One\ntwo."),
                ("A", "x\nmore\n- nested"),
                ("A", "y"),
                ("A", "After."),
                ("A", "```\n- code\n```\n**Work**"),
                ("A", "first"),
            ]
        );
    }
}
