//! The elements of a JSON file one by one, so that a file of any size costs as much memory as its largest element.

use std::io::{BufRead, BufReader, Read};
use std::ops::ControlFlow;

use serde_json::Value;

use crate::error::ImportError;

/// An element that is longer is passed over.
const LONGEST: usize = 64 * 1024 * 1024;

/// One element.
#[derive(Debug)]
pub enum Element {
    /// A value, and the line of a file with one value a line that it stands on.
    Value(Value, Option<usize>),
    /// Something that is no JSON, and why.
    Broken(String),
    /// A value that is longer than anything that is meant.
    TooLong,
}

/// How a file holds its values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layout {
    /// One array.
    Array,
    /// A value a line.
    Lines,
    /// One value.
    Single,
}

/// Hands the elements of a file to `each`, until it says that it has seen enough.
///
/// An array hands out its elements, a file with a value on each line its lines, any other file its one value.
///
/// # Errors
/// When the file cannot be read, or `each` fails.
pub fn elements(
    reader: impl Read,
    shown: &str,
    each: &mut dyn FnMut(Element) -> Result<ControlFlow<()>, ImportError>,
) -> Result<Layout, ImportError> {
    let mut reader = BufReader::with_capacity(256 * 1024, reader);
    skip_blank(&mut reader).map_err(ImportError::io(shown))?;
    let first = reader.fill_buf().map_err(ImportError::io(shown))?.first().copied();
    match first {
        Some(b'[') => {
            reader.consume(1);
            array(&mut reader, shown, each).map(|()| Layout::Array)
        }
        Some(_) => lines_or_one(&mut reader, shown, each),
        None => Ok(Layout::Single),
    }
}

fn skip_blank(reader: &mut impl BufRead) -> std::io::Result<()> {
    loop {
        let bytes = reader.fill_buf()?;
        // A mark of byte order is white space too.
        let is_blank = |byte: &u8| byte.is_ascii_whitespace() || [0xef, 0xbb, 0xbf].contains(byte);
        let blank = bytes.iter().take_while(|byte| is_blank(byte)).count();
        if blank == 0 {
            return Ok(());
        }
        reader.consume(blank);
    }
}

/// Where a scanner is in an element.
#[derive(Default)]
struct Scan {
    depth: u32,
    in_text: bool,
    is_escaped: bool,
}

impl Scan {
    /// Takes a byte; tells whether the element ends before it.
    fn ends_at(&mut self, byte: u8) -> bool {
        if self.in_text {
            match byte {
                _ if self.is_escaped => self.is_escaped = false,
                b'\\' => self.is_escaped = true,
                b'"' => self.in_text = false,
                _ => {}
            }
            return false;
        }
        match byte {
            b'"' => self.in_text = true,
            b'{' | b'[' => self.depth += 1,
            b',' | b']' if self.depth == 0 => return true,
            b'}' | b']' => self.depth = self.depth.saturating_sub(1),
            _ => {}
        }
        false
    }
}

fn array(
    reader: &mut impl BufRead,
    shown: &str,
    each: &mut dyn FnMut(Element) -> Result<ControlFlow<()>, ImportError>,
) -> Result<(), ImportError> {
    let mut element: Vec<u8> = Vec::new();
    let (mut scan, mut is_too_long) = (Scan::default(), false);
    loop {
        let bytes = reader.fill_buf().map_err(ImportError::io(shown))?;
        if bytes.is_empty() {
            if element.iter().any(|byte| !byte.is_ascii_whitespace()) {
                let _ = each(Element::Broken("the file ends within an element".to_owned()))?;
            }
            return Ok(());
        }
        let end = bytes.iter().position(|byte| scan.ends_at(*byte));
        let taken = end.unwrap_or(bytes.len());
        if element.len() + taken > LONGEST {
            is_too_long = true;
            element.clear();
        }
        if !is_too_long {
            element.extend_from_slice(&bytes[..taken]);
        }
        let Some(end) = end else {
            reader.consume(taken);
            continue;
        };
        let is_last = bytes[end] == b']';
        reader.consume(end + 1);
        let is_blank = element.iter().all(u8::is_ascii_whitespace);
        if is_too_long {
            if each(Element::TooLong)?.is_break() {
                return Ok(());
            }
        } else if !is_blank && each(parsed(&element, None))?.is_break() {
            return Ok(());
        }
        element.clear();
        (scan, is_too_long) = (Scan::default(), false);
        if is_last {
            return Ok(());
        }
    }
}

fn parsed(bytes: &[u8], line: Option<usize>) -> Element {
    match serde_json::from_slice(bytes) {
        Ok(value) => Element::Value(value, line),
        Err(error) => Element::Broken(error.to_string()),
    }
}

fn lines_or_one(
    reader: &mut impl BufRead,
    shown: &str,
    each: &mut dyn FnMut(Element) -> Result<ControlFlow<()>, ImportError>,
) -> Result<Layout, ImportError> {
    let mut line = Vec::new();
    let take = |reader: &mut dyn BufRead, line: &mut Vec<u8>| {
        line.clear();
        reader.take(LONGEST as u64).read_until(b'\n', line).map_err(ImportError::io(shown))
    };
    take(reader, &mut line)?;
    if serde_json::from_slice::<serde::de::IgnoredAny>(&line).is_err() {
        // The first line is no whole value: all of the file may be one.
        reader.take(LONGEST as u64 + 1).read_to_end(&mut line).map_err(ImportError::io(shown))?;
        let one = if line.len() > LONGEST { Element::TooLong } else { parsed(&line, None) };
        if !matches!(one, Element::Broken(_)) {
            let _ = each(one)?;
            return Ok(Layout::Single);
        }
        // Lines of which the first one is broken.
        for (number, line) in line.split(|byte| *byte == b'\n').enumerate() {
            if !line.iter().all(u8::is_ascii_whitespace)
                && each(parsed(line, Some(number + 1)))?.is_break()
            {
                break;
            }
        }
        return Ok(Layout::Lines);
    }
    let mut number = 1;
    while !line.is_empty() {
        let is_blank = line.iter().all(u8::is_ascii_whitespace);
        if !is_blank && each(parsed(&line, Some(number)))?.is_break() {
            break;
        }
        number += 1;
        take(reader, &mut line)?;
    }
    Ok(if number <= 2 { Layout::Single } else { Layout::Lines })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(text: &str) -> (Layout, Vec<String>) {
        let mut found = Vec::new();
        let layout = elements(text.as_bytes(), "x", &mut |element| {
            found.push(match element {
                Element::Value(value, line) => format!("{value}@{}", line.unwrap_or(0)),
                Element::Broken(_) => "broken".to_owned(),
                Element::TooLong => "long".to_owned(),
            });
            Ok(ControlFlow::Continue(()))
        });
        (layout.unwrap(), found)
    }

    #[test]
    fn arrays_lines_and_single_values_are_taken_apart() {
        let of = |text| all(text).1;
        assert_eq!(
            of("\u{feff} [ {\"a\":\"],\\\"\"} , [1,2] ,\n3]"),
            [r#"{"a":"],\""}@0"#, "[1,2]@0", "3@0"]
        );
        assert_eq!(all("[]"), (Layout::Array, vec![]));
        assert_eq!(
            all("{\"a\":1}\n\n{\"b\":2}"),
            (Layout::Lines, vec![r#"{"a":1}@1"#.into(), r#"{"b":2}@3"#.into()])
        );
        assert_eq!(all("{\n\"a\":1\n}"), (Layout::Single, vec![r#"{"a":1}@0"#.into()]));
        assert_eq!(of("{\"a\":\n{\"b\":2}"), ["broken", r#"{"b":2}@2"#]);
        assert_eq!(of("[{\"a\":1},{\"b\":"), [r#"{"a":1}@0"#, "broken"]);
        assert_eq!(of("[{]}, 2]"), ["broken", "2@0"]);
        assert!(of("").is_empty());
    }

    #[test]
    fn deep_nesting_is_broken_and_not_a_crash() {
        let deep = format!("[{}{}]", "[".repeat(1 << 20), "]".repeat(1 << 20));
        assert_eq!(all(&deep).1, ["broken"]);
    }
}
