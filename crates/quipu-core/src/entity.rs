//! Who and what a text is about: names, files, identifiers, addresses, dates and quoted terms,
//! found by rule.
//!
//! A capital at the start of a sentence says little. The word there is a name when nothing else
//! explains it; a common word there is a [`EntityKind::Word`], which becomes a name as soon as
//! another text uses it as one.

mod group;
pub(crate) mod word;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use regex::Regex;
use serde::{Deserialize, Serialize};

pub use self::group::{full_names, names_in, speaks_of_both};
use crate::item::{Decision, Event};

/// What sort of thing an entity is.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, schemars::JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum EntityKind {
    /// A person, a product, a place: capitalised words.
    Name,
    /// A path.
    File,
    /// A name of code.
    Identifier,
    /// A web address.
    Url,
    /// A day.
    Date,
    /// Something in quotes.
    Term,
    /// A common word that begins a sentence: a name only if another text uses it as one.
    Word,
}

/// Something that a text mentions.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Entity {
    /// Its name, as it is compared: in small letters for names and terms.
    pub name: String,
    /// What sort of thing it is.
    pub kind: EntityKind,
}

impl EntityKind {
    /// Returns the name.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Name => "name",
            Self::File => "file",
            Self::Identifier => "identifier",
            Self::Url => "url",
            Self::Date => "date",
            Self::Term => "term",
            Self::Word => "word",
        }
    }

    /// Returns the kind of that name.
    pub fn named(name: &str) -> Option<Self> {
        [Self::Name, Self::File, Self::Identifier, Self::Url, Self::Date, Self::Term, Self::Word]
            .into_iter()
            .find(|kind| kind.as_str() == name)
    }
}

/// What decisions about an entity are filed under: no item has such an id.
const FILED: &str = "entity:";

/// Returns what decisions about an entity are filed under.
pub fn filed_under(name: &str) -> String {
    format!("{FILED}{}", name.to_lowercase())
}

/// Which names mean the same, by what was decided.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Aliases {
    /// Other name to name, in small letters.
    names: BTreeMap<String, String>,
    /// Names that somebody said are two.
    apart: BTreeSet<(String, String)>,
}

impl Aliases {
    /// Adds short names of full ones, where nobody decided about them.
    #[must_use]
    pub fn with_full_names(mut self, full: BTreeMap<String, String>) -> Self {
        for (short, full) in full {
            let decided = self.names.contains_key(&short)
                || self.apart.contains(&(full.clone(), short.clone()))
                || self.names.values().any(|of| *of == short);
            if !decided && self.name_of(&full) != short {
                self.names.insert(short, full);
            }
        }
        self
    }

    /// Reads the decisions, oldest first.
    pub fn new(events: &[Event]) -> Self {
        let mut aliases = Self::default();
        for event in events {
            let Some(of) = event.item.strip_prefix(FILED) else { continue };
            if let Some(Decision::Alias { name, remove }) = &event.decision {
                let name = name.to_lowercase();
                if *remove {
                    aliases.names.remove(&name);
                    aliases.apart.insert((of.to_owned(), name));
                } else if aliases.name_of(of) != name {
                    aliases.apart.remove(&(of.to_owned(), name.clone()));
                    aliases.names.insert(name, of.to_owned());
                }
            }
        }
        aliases
    }

    /// Returns the name that a name stands for.
    pub fn name_of(&self, name: &str) -> String {
        let mut name = name.to_lowercase();
        // A chain cannot be longer than there are names, however they were entered.
        for _ in 0..=self.names.len() {
            match self.names.get(&name) {
                Some(of) => name.clone_from(of),
                None => break,
            }
        }
        name
    }

    /// Returns every name that means the same as this one, the name itself first.
    pub fn group(&self, name: &str) -> Vec<String> {
        let of = self.name_of(name);
        let others = self.names.keys().filter(|other| self.name_of(other) == of && **other != of);
        std::iter::once(of.clone()).chain(others.cloned()).collect()
    }
}

/// A text mentions no more than this.
const MOST: usize = 64;

/// One pass over the text; the first alternative that fits names the kind.
static PATTERN: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(concat!(
        r"(?P<url>https?://[^ \t\r\n<>\x22'`)\]]+[^ \t\r\n<>\x22'`)\].,;:!?])",
        r"|(?P<date>(?-u:\b)[0-9]{4}-[0-9]{2}-[0-9]{2}(?-u:\b))",
        r"|(?P<file>(?:[A-Za-z0-9_.-]+/)+[A-Za-z0-9_.-]*[A-Za-z0-9_]|(?-u:\b)[A-Za-z0-9_-]+\.(?:rs|py|ts|tsx|js|jsx|go|java|c|h|cpp|hpp|md|toml|json|yaml|yml|sql|sh|html|css|txt|lock|proto|rb|kt|swift)(?-u:\b))",
        r"|(?P<identifier>(?-u:\b)[A-Za-z][A-Za-z0-9]*(?:_[A-Za-z0-9]+)+(?-u:\b)|(?-u:\b)[A-Za-z]+(?:::[A-Za-z_]+)+|(?-u:\b)[a-z]+[A-Z][A-Za-z0-9]*(?-u:\b)|(?-u:\b)(?:[A-Z][a-z0-9]+){2,}(?-u:\b))",
        r"|`(?P<code>[^`\n]{2,60})`",
        r"|[\x22“](?P<term>[^\x22“”\n]{2,60})[\x22”]",
        r"|(?P<name>(?:(?:van der|van den|van de|von der|de la|de las|de los|van|von) |St\. )?\p{Lu}[\p{L}\p{M}\p{N}'’&+]*(?:(?: |-| & )(?:(?:of the|of|the|de la|de|van der|van den|van de|van|von der|von|del|di|da) )?\p{Lu}[\p{L}\p{M}\p{N}'’&+]*)*)",
    ))
    .ok()
});

/// Returns what a text mentions, in order of name.
pub fn extract(text: &str) -> Vec<Entity> {
    let Some(pattern) = &*PATTERN else { return Vec::new() };
    let mut found: BTreeMap<String, EntityKind> = BTreeMap::new();
    let mut add = |name: String, kind: EntityKind| {
        if name.chars().filter(|c| c.is_alphanumeric()).count() > 1 {
            let known = found.entry(name).or_insert(kind);
            // Used as a name once, it is one.
            if *known == EntityKind::Word {
                *known = kind;
            }
        }
        found.len() < MOST
    };
    for captures in pattern.captures_iter(text) {
        let group = |name: &str| captures.name(name);
        let (name, kind) = if let Some(url) = group("url") {
            (url.as_str().to_owned(), EntityKind::Url)
        } else if let Some(date) = group("date") {
            (date.as_str().to_owned(), EntityKind::Date)
        } else if let Some(file) = group("file") {
            (file.as_str().to_owned(), EntityKind::File)
        } else if let Some(name) = group("identifier") {
            // "McKenzie" has a capital inside, and is nobody's code.
            let name = name.as_str();
            match ["Mc", "Mac"].iter().find_map(|start| name.strip_prefix(start)) {
                Some(rest) if rest.starts_with(char::is_uppercase) && name != "MacOS" => {
                    (name.to_lowercase(), EntityKind::Name)
                }
                _ => (name.to_owned(), EntityKind::Identifier),
            }
        } else if let Some(code) = group("code") {
            (code.as_str().trim().to_owned(), EntityKind::Identifier)
        } else if let Some(term) = group("term") {
            let kind = if is_a_title(term.as_str()) { EntityKind::Name } else { EntityKind::Term };
            (term.as_str().trim().to_lowercase(), kind)
        } else if let Some(phrase) = group("name") {
            // A capital within a word begins no name.
            if text[..phrase.start()].chars().next_back().is_some_and(char::is_alphanumeric) {
                continue;
            }
            let begins = begins_sentence(text, phrase.start());
            let after = &text[phrase.end()..];
            if !names_of(phrase.as_str(), begins, after)
                .into_iter()
                .all(|(name, kind)| add(name, kind))
            {
                break;
            }
            continue;
        } else {
            continue;
        };
        if !add(name, kind) {
            break;
        }
    }
    found.into_iter().map(|(name, kind)| Entity { name, kind }).collect()
}

/// Tells whether words in quotes are what something is called: "Piranesi".
fn is_a_title(quoted: &str) -> bool {
    let words = quoted.split_whitespace();
    let is_capital = |word: &str| word.starts_with(char::is_uppercase);
    words.clone().count() <= 4
        && words.clone().next().is_some_and(is_capital)
        && words.clone().all(|word| is_capital(word) || word.chars().count() <= 3)
        && words.clone().any(|word| !word::is_common(&word.to_lowercase()))
        && !quoted.ends_with(['.', '!', '?', ','])
}

fn begins_sentence(text: &str, at: usize) -> bool {
    let before =
        text[..at].trim_end_matches(|c: char| c.is_whitespace() || "\"'“‘*_#>-([".contains(c));
    let ends = before.ends_with(['.', '!', '?', ':', ';', '\n'])
        || text[..at].trim_end_matches([' ', '\t', '-', '*', '#', '>', '"']).ends_with('\n');
    // "Dr. Osei": the stop belongs to the title.
    let last = before.trim_end_matches('.').rsplit(|c: char| !c.is_alphanumeric()).next();
    let is_title =
        before.ends_with('.') && last.is_some_and(|word| word::is_title(&word.to_lowercase()));
    // Said within a sentence: `Ruth said, "Never again"`.
    let is_quoted = text[..at].ends_with(['"', '“', '«', '„']);
    before.is_empty() || is_quoted || (ends && !is_title)
}

/// Returns the names in a capitalised phrase. `begins` tells whether it begins a sentence, `after` is
/// what follows it.
fn names_of(phrase: &str, begins: bool, after: &str) -> Vec<(String, EntityKind)> {
    let mut parts: Vec<Vec<&str>> = vec![Vec::new()];
    let words: Vec<&str> = phrase.split(' ').collect();
    for (at, raw) in words.iter().enumerate() {
        let small = raw.to_lowercase();
        let Some(part) = parts.last_mut() else { break };
        let is_person = at == 0
            && begins
            && word::is_first_name(&small)
            && words.len() == 1
            && word::does_something(after);
        let is_day_of = at > 0 && begins_longer_name(words[at - 1]);
        if word::is_date(&small) && !is_person && !is_day_of {
            parts.push(Vec::new());
            continue;
        }
        part.push(raw);
        // "Caroline's Kestrel" are two, "King's Day" is one.
        if small.ends_with("'s") || small.ends_with("’s") {
            let next = words.get(at + 1).map(|next| next.to_lowercase());
            if !next.is_some_and(|next| BELONGINGS.contains(&next.as_str())) {
                parts.push(Vec::new());
            }
        }
    }
    let first_is_cut = parts.first().is_some_and(Vec::is_empty);
    let names = parts.iter().enumerate().filter(|(_, part)| !part.is_empty());
    let last = parts.len() - 1;
    names
        .filter_map(|(at, part)| {
            let begins = begins && at == 0 && !first_is_cut;
            proper(part, begins, if at == last { after } else { "" })
        })
        .collect()
}

/// Words in small letters that a name may begin with.
const PARTICLES: &[&str] = &["van", "von", "de"];

/// What a possessive makes one name with: "King's Day".
const BELONGINGS: &[&str] = &["day", "eve", "law", "cross", "college", "church", "bay", "inn"];

fn begins_longer_name(before: &str) -> bool {
    let small = before.to_lowercase();
    (small.ends_with("'s") || small.ends_with("’s")) && !word::is_date(&small)
}

/// Returns a capitalised phrase as a name, unless something else explains its capital.
fn proper(words: &[&str], begins: bool, after: &str) -> Option<(String, EntityKind)> {
    let mut words: Vec<&str> = words.to_vec();
    let mut begins = begins;
    if words.first().is_some_and(|word| *word == "The")
        && words.get(1).is_some_and(|word| word.starts_with("Hague"))
    {
        return Some(("the hague".to_owned(), EntityKind::Name));
    }
    while words.len() > 1 {
        let small = words[0].to_lowercase();
        let explained = begins && word::is_common(&small) && !word::is_head(&small);
        let is_no_part = word::is_little(&small)
            || word::is_title(&small)
            || (word::is_generic(&small) && words[0].starts_with(char::is_uppercase))
            || explained;
        // "van der Meer" begins with a small letter and is a name; a connector alone joins nothing.
        let is_particle = PARTICLES.contains(&words[0]);
        let is_left_alone = ["of", "the", "&"].contains(&words[0]);
        if is_particle || !(is_no_part || is_left_alone) {
            break;
        }
        words.remove(0);
        // What follows the first word has its capital for a reason of its own.
        begins = false;
    }
    while words.len() > 1 && words.last().is_some_and(|word| word::is_generic(&word.to_lowercase()))
    {
        words.pop();
    }
    let only = words.first()?;
    let small = only.to_lowercase();
    if words.len() == 1 {
        let is_shouted = only.len() > 1 && only.chars().all(|c| c.is_uppercase() || c.is_numeric());
        if begins && word::is_first_name(&small) && word::does_something(after) {
            return Some((small, EntityKind::Name));
        }
        let is_numbered = word::is_numbered(&small)
            && after.trim_start().starts_with(|c: char| c.is_ascii_digit());
        let nothing = is_numbered
            || word::is_of_a_people(&small)
            || word::is_little(&small)
            || word::is_title(&small)
            || word::is_generic(&small)
            || word::is_date(&small);
        if nothing || (is_shouted && word::is_common(&small)) {
            return None;
        }
        let is_compound = after.starts_with('-') && small.len() <= 4;
        if begins && !is_shouted && (is_compound || word::reads_as_verb(&small, after)) {
            return Some((small, EntityKind::Word));
        }
        if begins && word::is_common(&small) && !is_shouted {
            // "Biscuit the dog goes there": a common thing has no such apposition.
            let is_called = after.starts_with(" the ")
                && after[5..].starts_with(char::is_lowercase)
                && !word::is_verb(&small);
            return Some((small, if is_called { EntityKind::Name } else { EntityKind::Word }));
        }
    }
    let name = words.join(" ").to_lowercase().replace('’', "'");
    let name = name.strip_suffix("'s").or_else(|| name.strip_suffix('\'')).unwrap_or(&name);
    Some((name.to_owned(), EntityKind::Name))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(text: &str) -> Vec<String> {
        extract(text)
            .into_iter()
            .map(|entity| format!("{}:{}", entity.kind.as_str(), entity.name))
            .collect()
    }

    #[test]
    fn names_in_any_alphabet() {
        assert_eq!(names("gestern kam Zoë Müller aus Zürich"), ["name:zoë müller", "name:zürich"]);
        assert_eq!(names("we met Élodie and Øystein"), ["name:élodie", "name:øystein"]);
        assert_eq!(names("then Hey Caroline waved"), ["name:caroline"]);
    }

    #[test]
    fn each_kind_is_found() {
        assert_eq!(
            names(
                "Then Anna Meyer moved retry_backoff_ms to src/net/retry.rs on 2026-03-02, see https://example.org/a?b. We call it \"soft retry\" in RetryPolicy and `cargo nextest`."
            ),
            [
                "date:2026-03-02",
                "identifier:RetryPolicy",
                "name:anna meyer",
                "identifier:cargo nextest",
                "url:https://example.org/a?b",
                "identifier:retry_backoff_ms",
                "term:soft retry",
                "file:src/net/retry.rs",
            ]
        );
    }

    #[test]
    fn names_that_mean_the_same() {
        let event = |of: &str, name: &str, remove| Event {
            id: String::new(),
            item: filed_under(of),
            at: jiff::Timestamp::UNIX_EPOCH,
            actor: String::new(),
            reason: String::new(),
            run: None,
            decision: Some(Decision::Alias { name: name.to_owned(), remove }),
        };
        let aliases = Aliases::new(&[
            event("Anna Meyer", "Anna", false),
            event("Anna", "Annie", false),
            event("annie", "Anna Meyer", false),
            event("Bob", "Robert", false),
            event("Bob", "Robert", true),
        ]);
        assert_eq!(aliases.group("ANNIE"), ["anna meyer", "anna", "annie"]);
        assert_eq!(aliases.group("robert"), ["robert"]);
    }

    #[test]
    fn a_common_first_word_of_a_sentence_is_no_name() {
        assert_eq!(names("Yesterday was fine. Nothing else happened."), ["word:nothing"]);
        assert_eq!(names("Deployed the gateway."), ["word:deployed"]);
        assert_eq!(names("Deployed Kestrel. Marlin is next."), ["name:kestrel", "name:marlin"]);
        assert_eq!(names("API of Juniper is slow"), ["name:juniper"]);
        assert_eq!(
            names("the API of Marlin, Port of Marlin"),
            ["name:marlin", "name:port of marlin"]
        );
        assert_eq!(names("We met Caroline's sister in Paris"), ["name:caroline", "name:paris"]);
        assert_eq!(names("NASA called. The API is down"), ["name:nasa"]);
    }
}
