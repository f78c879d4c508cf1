//! How text from memory is shown: nothing in it can steer a terminal, reorder what a person reads, or
//! hide words from them.
//!
//! Memory holds what others wrote. Printed as it is, it could set a clipboard (OSC 52), clear a screen,
//! overwrite a line (carriage return), show words in another order (bidi overrides) or carry
//! instructions that a model reads and a person does not see (tag characters). [`printable`] shows such
//! characters as `\u{1b}`; [`json_escaped`] writes them as JSON escapes, which keeps the value.

use std::borrow::Cow;
use std::fmt::Write as _;

/// More marks than this on one letter are shown by their numbers: no script needs so many, and long
/// stacks cover the lines above.
const MOST_MARKS: usize = 8;

/// Returns `text` as it can be shown: every character is seen, and none has an effect.
///
/// Line feeds and tabs stay, and so do joiners and variation selectors where emoji and scripts need
/// them. The result of a printable text is the text itself.
pub fn printable(text: &str) -> Cow<'_, str> {
    if text.bytes().all(|byte| matches!(byte, b'\n' | b'\t' | b' '..=b'~')) {
        return Cow::Borrowed(text);
    }
    let mut result = String::with_capacity(text.len());
    let mut before = None;
    let mut marks = 0;
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        let after = rest.peek().copied();
        // The line ends of another system are line ends.
        if c == '\r' && after == Some('\n') {
            continue;
        }
        marks = if is_stacking_mark(c) { marks + 1 } else { 0 };
        let is_shown = if is_control(c) || marks > MOST_MARKS {
            false
        } else {
            !is_hidden(c) || is_needed(before, c, after)
        };
        if is_shown {
            result.push(c);
            before = Some(c);
        } else {
            // Writing to a string cannot fail.
            let _ = write!(result, "{}", c.escape_unicode());
            before = None;
        }
    }
    Cow::Owned(result)
}

/// Returns `text` as one line that can be shown: for names in a sentence, where a line feed would begin
/// a line of the text's own.
pub fn printable_line(text: &str) -> Cow<'_, str> {
    let text = printable(text);
    if text.contains(['\n', '\t']) {
        return Cow::Owned(text.replace('\n', "\\n").replace('\t', "\\t"));
    }
    text
}

/// Returns serialised JSON in which controls and hidden characters are escapes. Outside of its strings
/// JSON has none of them, so the document means what it meant.
pub fn json_escaped(json: &str) -> Cow<'_, str> {
    let is_plain = |c: char| c == '\n' || !(is_control(c) || is_hidden(c));
    if json.is_ascii() && !json.contains('\u{7f}') || json.chars().all(is_plain) {
        return Cow::Borrowed(json);
    }
    let mut result = String::with_capacity(json.len() + 64);
    for c in json.chars() {
        if is_plain(c) {
            result.push(c);
        } else {
            for unit in c.encode_utf16(&mut [0; 2]) {
                let _ = write!(result, "\\u{unit:04x}");
            }
        }
    }
    Cow::Owned(result)
}

/// Tells whether `c` is a control other than a line feed or a tab, or a separator of lines that not
/// every program takes for one.
fn is_control(c: char) -> bool {
    (c.is_control() && c != '\n' && c != '\t') || matches!(c, '\u{2028}' | '\u{2029}')
}

/// Tells whether `c` is seen by nobody, or changes the order of what is seen: default ignorable code
/// points but for the soft hyphen, and the characters that annotate others.
pub fn is_hidden(c: char) -> bool {
    matches!(
        c,
        '\u{34f}'
            | '\u{61c}'
            | '\u{115f}'..='\u{1160}'
            | '\u{17b4}'..='\u{17b5}'
            | '\u{180b}'..='\u{180f}'
            | '\u{200b}'..='\u{200f}'
            | '\u{202a}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}'
            | '\u{3164}'
            | '\u{fe00}'..='\u{fe0f}'
            | '\u{feff}'
            | '\u{ffa0}'
            | '\u{fff0}'..='\u{fffb}'
            | '\u{1bca0}'..='\u{1bca3}'
            | '\u{1d173}'..='\u{1d17a}'
            | '\u{e0000}'..='\u{e0fff}'
    )
}

/// Tells whether a hidden character belongs between its neighbours: a joiner in a script or an emoji
/// that is made of several, a variation of the character before it.
fn is_needed(before: Option<char>, c: char, after: Option<char>) -> bool {
    let Some(before) = before else { return false };
    match c {
        '\u{200c}' => is_joining(before) && after.is_some_and(is_joining),
        '\u{200d}' => {
            let joins = is_joining(before) && after.is_some_and(is_joining);
            let is_part = is_pictographic(before) || before == '\u{fe0f}';
            joins || (is_part && after.is_some_and(is_pictographic))
        }
        '\u{fe0e}' | '\u{fe0f}' => {
            is_pictographic(before) || matches!(before, '#' | '*' | '0'..='9' | '©' | '®')
        }
        '\u{fe00}'..='\u{fe0d}' => {
            is_ideograph(before) || matches!(before, '\u{2190}'..='\u{2bff}')
        }
        '\u{180b}'..='\u{180d}' | '\u{180f}' => matches!(before, '\u{1820}'..='\u{18aa}'),
        '\u{e0100}'..='\u{e01ef}' => is_ideograph(before),
        _ => false,
    }
}

/// Tells whether `c` is of a script in which joiners change how letters are written.
fn is_joining(c: char) -> bool {
    matches!(
        c,
        '\u{620}'..='\u{8ff}'
            | '\u{900}'..='\u{dff}'
            | '\u{f00}'..='\u{109f}'
            | '\u{1780}'..='\u{17b3}'
            | '\u{17b6}'..='\u{17dd}'
            | '\u{1820}'..='\u{18aa}'
            | '\u{1a20}'..='\u{1aad}'
            | '\u{1b00}'..='\u{1bff}'
            | '\u{a800}'..='\u{a9df}'
            | '\u{fb50}'..='\u{fdcf}'
            | '\u{fe70}'..='\u{fefc}'
            | '\u{11000}'..='\u{11fff}'
            | '\u{1e900}'..='\u{1e95f}'
    )
}

/// Tells whether `c` can be part of an emoji.
fn is_pictographic(c: char) -> bool {
    matches!(c, '\u{203c}'..='\u{2049}' | '\u{2122}'..='\u{2139}' | '\u{2190}'..='\u{2bff}'
        | '\u{3030}'..='\u{303d}' | '\u{3297}' | '\u{3299}' | '\u{1f000}'..='\u{1faff}')
}

fn is_ideograph(c: char) -> bool {
    matches!(c, '\u{3400}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3ffff}')
}

/// Tells whether `c` is drawn above or below the letter before it, however many there are.
fn is_stacking_mark(c: char) -> bool {
    matches!(c, '\u{300}'..='\u{36f}' | '\u{483}'..='\u{489}' | '\u{1ab0}'..='\u{1aff}'
        | '\u{1dc0}'..='\u{1dff}' | '\u{20d0}'..='\u{20f0}' | '\u{fe20}'..='\u{fe2f}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_steers_a_terminal_is_shown_by_its_number() {
        for (text, shown) in [
            ("a\u{1b}]52;c;eA==\u{7}b", "a\\u{1b}]52;c;eA==\\u{7}b"),
            ("\u{1b}[2J\u{1b}[H", "\\u{1b}[2J\\u{1b}[H"),
            ("\u{9b}2J\u{9d}0;t\u{9c}", "\\u{9b}2J\\u{9d}0;t\\u{9c}"),
            ("good\rbad\u{8}\u{0}", "good\\u{d}bad\\u{8}\\u{0}"),
            ("one\r\ntwo\tthree\n", "one\ntwo\tthree\n"),
            ("\u{7f}\u{85}\u{2028}", "\\u{7f}\\u{85}\\u{2028}"),
        ] {
            assert_eq!(printable(text), shown, "{text:?}");
        }
    }

    #[test]
    fn what_hides_or_turns_words_is_shown_by_its_number() {
        for (text, shown) in [
            ("a\u{202e}b\u{2066}c\u{2069}", "a\\u{202e}b\\u{2066}c\\u{2069}"),
            ("a\u{e0041}\u{e007f}", "a\\u{e0041}\\u{e007f}"),
            ("a\u{200b}b\u{feff}c\u{2060}d\u{61c}", "a\\u{200b}b\\u{feff}c\\u{2060}d\\u{61c}"),
            ("a\u{200d}b\u{200c}c", "a\\u{200d}b\\u{200c}c"),
            ("a\u{fe0f}\u{e0101}", "a\\u{fe0f}\\u{e0101}"),
            ("\u{1f3f4}\u{e0067}", "\u{1f3f4}\\u{e0067}"),
            ("\u{3164}\u{ffa0}\u{115f}", "\\u{3164}\\u{ffa0}\\u{115f}"),
            ("\u{1f600}\u{fe0f}\u{fe0f}", "\u{1f600}\u{fe0f}\\u{fe0f}"),
        ] {
            assert_eq!(printable(text), shown, "{text:?}");
        }
    }

    #[test]
    fn texts_of_every_language_stay_as_they_are() {
        for text in [
            "plain\n\ttext",
            "Größe, naïve, Việt Nam, e\u{301}",
            "می\u{200c}خواهم",
            "क्\u{200d}ष and श्र\u{200c}क",
            "\u{1f469}\u{200d}\u{1f4bb} \u{1f3f3}\u{fe0f}\u{200d}\u{1f308} \u{2764}\u{fe0f} 1\u{fe0f}\u{20e3}",
            "葛\u{e0100}城",
            "עברית ו-العربية",
            "soft\u{ad}hyphen",
            "\u{e0b0} \u{f09b}",
            "→ – … “”",
        ] {
            assert_eq!(printable(text), text);
        }
    }

    #[test]
    fn a_tower_of_marks_ends() {
        let tower = format!("e{}", "\u{301}".repeat(200));
        let shown = printable(&tower);
        assert_eq!(shown.matches('\u{301}').count(), MOST_MARKS);
        assert_eq!(shown.matches("\\u{301}").count(), 200 - MOST_MARKS);
    }

    #[test]
    fn a_name_stays_on_its_line() {
        assert_eq!(printable_line("a\nb\u{1b}\tc"), "a\\nb\\u{1b}\\tc");
        assert_eq!(printable_line("plain"), "plain");
    }

    proptest::proptest! {
        #[test]
        fn what_is_printable_is_printed_as_it_is(text in "(\\PC|[\u{0}-\u{a0}\u{200a}-\u{2070}\u{fe00}-\u{fe10}\u{e0000}-\u{e0080}]){0,40}") {
            let shown = printable(&text).into_owned();
            proptest::prop_assert_eq!(&*printable(&shown), &*shown);
            proptest::prop_assert!(!shown.chars().any(is_control));
            let turns = |c| matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
            let is_tag = |c| matches!(c, '\u{e0000}'..='\u{e007f}');
            proptest::prop_assert!(!shown.contains(|c| turns(c) || is_tag(c)));
        }

        #[test]
        fn escaped_json_has_the_same_value(text in "(\\PC|[\u{0}-\u{a0}\u{200a}-\u{2070}\u{e0000}-\u{e0080}]){0,40}") {
            let value = serde_json::json!({ text.clone(): [text] });
            for json in [value.to_string(), serde_json::to_string_pretty(&value).unwrap()] {
                let escaped = json_escaped(&json);
                proptest::prop_assert_eq!(&serde_json::from_str::<serde_json::Value>(&escaped).unwrap(), &value);
                proptest::prop_assert!(!escaped.contains(|c| is_control(c) || is_hidden(c)));
            }
        }
    }
}
