//! Pages of HTML as text. A page of somebody else is read, never run: only its words are looked at.

/// Elements that hold nothing to read.
const UNREAD: [&str; 10] =
    ["script", "style", "nav", "footer", "aside", "noscript", "template", "svg", "head", "title"];

/// Elements that stand on lines of their own.
const BLOCKS: [&str; 20] = [
    "p",
    "div",
    "section",
    "article",
    "main",
    "header",
    "ul",
    "ol",
    "table",
    "tr",
    "blockquote",
    "pre",
    "figure",
    "form",
    "dl",
    "dt",
    "dd",
    "hr",
    "br",
    "body",
];

/// Returns the words of a page, as Markdown: headings, items of lists and rows of tables on lines of their own.
pub fn html_text(html: &str) -> String {
    let mut text = String::with_capacity(html.len() / 2);
    let mut rest = html;
    let mut in_pre = false;
    while let Some(start) = rest.find('<') {
        push_words(&mut text, &rest[..start], in_pre);
        rest = &rest[start..];
        if let Some(comment) = rest.strip_prefix("<!--") {
            rest = comment.find("-->").map_or("", |end| &comment[end + 3..]);
            continue;
        }
        let is_tag = rest[1..].starts_with(|c: char| c.is_ascii_alphabetic() || "/!?".contains(c));
        let Some(end) = rest.find('>').filter(|_| is_tag) else {
            push_words(&mut text, "<", in_pre);
            rest = &rest[1..];
            continue;
        };
        let tag = &rest[1..end];
        rest = &rest[end + 1..];
        let (is_end, tag) = tag.strip_prefix('/').map_or((false, tag), |tag| (true, tag));
        let name: String = tag
            .chars()
            .take_while(char::is_ascii_alphanumeric)
            .map(|c| c.to_ascii_lowercase())
            .collect();
        if !is_end && UNREAD.contains(&name.as_str()) && !tag.ends_with('/') {
            rest = after_end(rest, &name);
            continue;
        }
        if name == "pre" {
            in_pre = !is_end;
        }
        let level = name.strip_prefix('h').and_then(|level| level.parse::<usize>().ok());
        match (name.as_str(), level.filter(|level| (1..=6).contains(level))) {
            (_, Some(level)) if !is_end => {
                paragraph(&mut text);
                text.extend(std::iter::repeat_n('#', level));
                text.push(' ');
            }
            (_, Some(_)) => paragraph(&mut text),
            ("li", _) if !is_end => {
                line(&mut text);
                text.push_str("- ");
            }
            ("td" | "th", _) if is_end => text.push_str(" | "),
            ("br" | "tr", _) => line(&mut text),
            (block, _) if BLOCKS.contains(&block) => paragraph(&mut text),
            _ => {}
        }
    }
    push_words(&mut text, rest, in_pre);
    crate::text::tidy(&text)
}

/// Returns the title of a page.
pub(super) fn title(html: &str) -> Option<String> {
    let lower = html.to_ascii_lowercase();
    let start = lower.find("<title")?;
    let start = start + lower[start..].find('>')? + 1;
    let end = start + lower[start..].find("</title")?;
    let title = entities(html[start..end].trim());
    (!title.is_empty()).then_some(title)
}

/// Returns what stands after the end of an element that is not read.
fn after_end<'t>(rest: &'t str, name: &str) -> &'t str {
    let mut from = 0;
    while let Some(at) = rest[from..].find("</") {
        let at = from + at + 2;
        let is_it = rest
            .as_bytes()
            .get(at..at + name.len())
            .is_some_and(|found| found.eq_ignore_ascii_case(name.as_bytes()));
        if is_it {
            return rest[at..].find('>').map_or("", |end| &rest[at + end + 1..]);
        }
        from = at;
    }
    ""
}

fn line(text: &mut String) {
    while text.ends_with(' ') {
        text.pop();
    }
    if !text.is_empty() && !text.ends_with('\n') {
        text.push('\n');
    }
}

fn paragraph(text: &mut String) {
    line(text);
    if !text.is_empty() && !text.ends_with("\n\n") {
        text.push('\n');
    }
}

fn push_words(text: &mut String, words: &str, in_pre: bool) {
    let words = entities(words);
    if in_pre {
        text.push_str(&words);
        return;
    }
    for c in words.chars() {
        if !c.is_whitespace() {
            text.push(c);
        } else if !text.is_empty() && !text.ends_with([' ', '\n']) {
            text.push(' ');
        }
    }
}

/// Returns a text with the signs that its entities stand for.
pub(super) fn entities(text: &str) -> String {
    let mut words = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('&') {
        words.push_str(&rest[..at]);
        rest = &rest[at..];
        let end = rest.bytes().take(12).position(|byte| byte == b';');
        let sign = end.and_then(|end| sign_of(&rest[1..end]));
        if let (Some(sign), Some(end)) = (sign, end) {
            words.push(sign);
            rest = &rest[end + 1..];
        } else {
            words.push('&');
            rest = &rest[1..];
        }
    }
    words.push_str(rest);
    words
}

fn sign_of(name: &str) -> Option<char> {
    if let Some(number) = name.strip_prefix('#') {
        let code = match number.strip_prefix(['x', 'X']) {
            Some(hex) => u32::from_str_radix(hex, 16).ok()?,
            None => number.parse().ok()?,
        };
        return char::from_u32(code).filter(|sign| *sign != '\0');
    }
    Some(match name {
        "amp" => '&',
        "lt" => '<',
        "gt" => '>',
        "quot" => '"',
        "apos" => '\'',
        "nbsp" => ' ',
        "mdash" => '—',
        "ndash" => '–',
        "hellip" => '…',
        "ldquo" => '“',
        "rdquo" => '”',
        "lsquo" => '‘',
        "rsquo" => '’',
        "bull" => '•',
        "copy" => '©',
        "auml" => 'ä',
        "ouml" => 'ö',
        "uuml" => 'ü',
        "Auml" => 'Ä',
        "Ouml" => 'Ö',
        "Uuml" => 'Ü',
        "szlig" => 'ß',
        "eacute" => 'é',
        "euro" => '€',
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_is_read_without_what_is_not_for_people() {
        let html = "<html><head><title>x</title></head><body><nav>menu</nav><h1>Tea &amp; plan</h1><p>Buy <b>sencha</b>\n on Fridays.</p><ul><li>one<li>two</ul><script>alert('<p>')</script><table><tr><td>a</td><td>b</td></tr></table>1 < 2</body>";
        assert_eq!(
            html_text(html),
            "# Tea & plan\n\nBuy sencha on Fridays.\n\n- one\n- two\n\na | b |\n\n1 < 2"
        );
    }
}
