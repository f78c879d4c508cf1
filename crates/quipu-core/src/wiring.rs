//! What `init` writes into files that belong to others, and how it comes out again: a block between
//! markers, and lines in `.gitignore`. What stands around them is never changed.

use crate::memory::PROTOCOL;
use crate::{template, text};

/// The line that begins what is Quipu's in a file of others.
pub const BEGIN: &str = "<!-- quipu:begin -->";
/// The line that ends it.
pub const END: &str = "<!-- quipu:end -->";

/// What is personal and stays out of git unless somebody decides otherwise.
pub const IGNORED: [&str; 8] = [
    "/.quipu/",
    "/MEMORY.md",
    "/LONGMEMORY.md",
    "/USER.md",
    "/memory/MEMORY-archive.md",
    "/memory/LONGMEMORY-archive.md",
    "/memory/[0-9]*-[0-9]*-[0-9]*.md",
    "/memory/events/",
];

/// The comment above our lines in `.gitignore`.
const IGNORED_TITLE: &str = "# Quipu: personal memory and local state";
/// What stands behind it where the last line above had no end. Our own lines need theirs: whoever adds
/// one with `>>` would spoil the last of them.
const UNENDED: &str = " (the line above had no end)";

/// A block lists so many files by name; more are named by their folders.
const NAMED: usize = 8;

/// A file has one marker without the other, or one twice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the marks `{BEGIN}` and `{END}` must occur once each, in this order")]
pub struct BrokenBlock;

/// Returns the block of `AGENTS.md`; `legacy` are the files that were written for one tool alone, `rules` those that hold
/// the rules of the memory where that is not `memory/PROTOCOL.md`.
pub fn agents_block(legacy: &[String], rules: &[&str]) -> String {
    let mut block = template::AGENTS_BLOCK.trim_end().to_owned();
    if !rules.is_empty() {
        let named: Vec<String> = rules.iter().map(|path| format!("`{path}`")).collect();
        block = block.replace(&format!("`{PROTOCOL}`"), &named.join(" and "));
    }
    if legacy.is_empty() {
        return block;
    }
    let named: Vec<String> = if legacy.len() <= NAMED {
        legacy.iter().map(|path| format!("`{path}`")).collect()
    } else {
        let folder = |path: &String| path.split('/').take(2).collect::<Vec<_>>().join("/");
        let mut folders: Vec<String> = legacy.iter().map(folder).collect();
        folders.dedup();
        folders.iter().map(|folder| format!("`{folder}/`")).collect()
    };
    let line = format!(
        "- **Instructions from before**, word for word: {}. The short rules among them are facts now;\n  \
         read the file that concerns your work.",
        named.join(", ")
    );
    let body = block.strip_suffix(END).unwrap_or(&block);
    format!("{body}\n{line}\n{END}")
}

fn span(current: &str) -> Result<Option<std::ops::Range<usize>>, BrokenBlock> {
    let count = |marker: &str| current.matches(marker).count();
    match (count(BEGIN), count(END), current.find(BEGIN), current.find(END)) {
        (0, 0, ..) => Ok(None),
        (1, 1, Some(start), Some(end)) if start < end => Ok(Some(start..end + END.len())),
        _ => Err(BrokenBlock),
    }
}

/// Tells whether a file holds a block of ours.
pub fn has_block(current: &str) -> bool {
    matches!(span(current), Ok(Some(_)))
}

/// Returns a file with `block` in it, and everything else as it was.
///
/// # Errors
/// When the file's markers are broken.
pub fn put_block(current: &str, block: &str) -> Result<String, BrokenBlock> {
    let ending = text::line_ending(current);
    let block = text::with_line_ending(block.trim_end(), ending);
    Ok(match span(current)? {
        Some(old) => format!("{}{block}{}", &current[..old.start], &current[old.end..]),
        None if current.is_empty() => format!("{block}{ending}"),
        None if current.ends_with('\n') => format!("{current}{ending}{block}{ending}"),
        // A file that has no end of its last line keeps having none, which tells `take_block`.
        None => format!("{current}{ending}{ending}{block}"),
    })
}

/// Returns a file without the block, and without the blank line that came with it; `None` where
/// nothing else stands in the file.
///
/// # Errors
/// When the file's markers are broken.
pub fn take_block(current: &str) -> Result<Option<String>, BrokenBlock> {
    let Some(block) = span(current)? else { return Ok(Some(current.to_owned())) };
    let after = &current[block.end..];
    let after = after.strip_prefix("\r\n").or_else(|| after.strip_prefix('\n')).unwrap_or(after);
    let before = &current[..block.start];
    let blank = ["\n\r\n", "\n\n"].into_iter().find(|end| before.ends_with(end));
    // The blank line above belongs to the block where the block was the end of the file.
    let kept = match blank {
        Some(blank) if current.len() == block.end => {
            let bare = &before[..before.len() - blank.len()];
            bare.strip_suffix('\r').unwrap_or(bare)
        }
        Some(blank) if after.is_empty() => &before[..=before.len() - blank.len()],
        _ => before,
    };
    let left = format!("{kept}{after}");
    Ok((!left.trim().is_empty()).then_some(left))
}

/// Returns `.gitignore` with the lines that it lacks; `None` where it has them all.
pub fn put_ignored(current: &str) -> Option<String> {
    let has = |line: &str| {
        let bare = line.trim_matches('/');
        current.lines().any(|existing| existing.trim().trim_matches('/') == bare)
    };
    let missing: Vec<&str> = IGNORED.into_iter().filter(|line| !has(line)).collect();
    if missing.is_empty() {
        return None;
    }
    let ending = text::line_ending(current);
    let mut result = current.to_owned();
    let is_unended = !current.is_empty() && !current.ends_with('\n');
    if is_unended {
        result.push_str(ending);
    }
    if !result.is_empty() {
        result.push_str(ending);
    }
    result.push_str(IGNORED_TITLE);
    result.push_str(if is_unended { UNENDED } else { "" });
    result.push_str(ending);
    for line in missing {
        result.push_str(line);
        result.push_str(ending);
    }
    Some(result)
}

/// Returns `.gitignore` without our lines; `None` where nothing else is in it.
pub fn take_ignored(current: &str) -> Option<String> {
    let lines: Vec<&str> = current.split_inclusive('\n').collect();
    let Some(title) = lines
        .iter()
        .position(|line| line.trim().strip_suffix(UNENDED).unwrap_or(line.trim()) == IGNORED_TITLE)
    else {
        return Some(current.to_owned());
    };
    let ours = lines[title + 1..].iter().take_while(|line| IGNORED.contains(&line.trim())).count();
    let end = title + 1 + ours;
    let is_blank = |line: Option<&&str>| line.is_some_and(|line| line.trim().is_empty());
    let start = if title > 0 && is_blank(lines.get(title - 1)) && end == lines.len() {
        title - 1
    } else {
        title
    };
    let mut left = lines[..start].concat() + &lines[end..].concat();
    if lines[title].trim_end().ends_with(UNENDED) && end == lines.len() {
        let bare = left.strip_suffix('\n').unwrap_or(&left);
        left.truncate(bare.strip_suffix('\r').unwrap_or(bare).len());
    }
    (!left.trim().is_empty()).then_some(left)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn agents(current: &str) -> String {
        put_block(current, &agents_block(&[], &[])).unwrap()
    }

    #[test]
    fn text_outside_the_markers_is_never_changed() {
        assert_eq!(agents(""), template::AGENTS_BLOCK);
        let own = agents("# Mine\nno final newline");
        assert!(own.starts_with("# Mine\nno final newline\n\n<!-- quipu:begin -->"));
        assert_eq!(agents(&own), own);
        let edited = own.replace("## Shared memory", "## Old heading") + "tail\n";
        assert_eq!(agents(&edited), own.clone() + "tail\n");
        assert!(own.ends_with(END), "a file without an end of its last line has none now either");
        for broken in ["<!-- quipu:begin -->\n", "<!-- quipu:end -->\n<!-- quipu:begin -->"] {
            assert!(put_block(broken, "x").is_err() && take_block(broken).is_err());
        }
        assert!(put_block(&own.repeat(2), "x").is_err(), "two blocks");
    }

    #[test]
    fn what_was_put_in_comes_out_again() {
        for text in ["# Mine\n", "# Mine\r\n\r\ntext\r\n", "a\n\n\n", "a\nno end", "a\r\nno end"] {
            let with = put_block(text, &agents_block(&["legacy/a/b".to_owned()], &[])).unwrap();
            assert_eq!(take_block(&with).unwrap().as_deref(), Some(text));
            let ignoring = put_ignored(text).unwrap();
            assert_eq!(take_ignored(&ignoring).as_deref(), Some(text));
        }
        assert_eq!(take_block(&agents("")).unwrap(), None);
        assert_eq!(take_ignored(&put_ignored("").unwrap()), None);
        let between = agents("# Mine\n") + "\ntail\n";
        assert_eq!(take_block(&between).unwrap().as_deref(), Some("# Mine\n\n\ntail\n"));
    }

    #[test]
    fn ignore_lines_are_added_once() {
        let once = put_ignored("target\n.quipu\n").unwrap();
        assert!(once.starts_with("target\n.quipu\n\n#"), "{once}");
        assert!(!once.contains("/.quipu/"));
        assert_eq!(put_ignored(&once), None);
    }

    #[test]
    fn many_files_are_named_by_their_folders() {
        let many: Vec<String> = (0..9).map(|n| format!("legacy/cursor/{n}.mdc")).collect();
        let block = agents_block(&many, &[]);
        assert!(block.contains("word for word: `legacy/cursor/`. "), "{block}");
        assert!(block.ends_with(END));
        assert!(block.contains("paths.\n\n- **Instructions from before**"), "{block}");
    }
}
