//! Who and what a text is about: names, files, identifiers, addresses, dates and quoted terms,
//! found by rule.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use regex::Regex;
use serde::{Deserialize, Serialize};

use crate::item::{Decision, Event};
use crate::terms::Language;

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
        }
    }

    /// Returns the kind of that name.
    pub fn named(name: &str) -> Option<Self> {
        [Self::Name, Self::File, Self::Identifier, Self::Url, Self::Date, Self::Term]
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
}

impl Aliases {
    /// Reads the decisions, oldest first.
    pub fn new(events: &[Event]) -> Self {
        let mut aliases = Self::default();
        for event in events {
            let Some(of) = event.item.strip_prefix(FILED) else { continue };
            if let Some(Decision::Alias { name, remove }) = &event.decision {
                let name = name.to_lowercase();
                if *remove {
                    aliases.names.remove(&name);
                } else if aliases.name_of(of) != name {
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
        r"|(?P<name>\p{Lu}[\p{L}\p{M}\p{N}'’&]*(?:[ -](?:of |the |de |van )?\p{Lu}[\p{L}\p{M}\p{N}'’&]*)*)",
    ))
    .ok()
});

/// Returns what a text mentions, in order of name.
pub fn extract(text: &str) -> Vec<Entity> {
    let Some(pattern) = &*PATTERN else { return Vec::new() };
    let mut found: BTreeMap<String, EntityKind> = BTreeMap::new();
    for captures in pattern.captures_iter(text) {
        if found.len() >= MOST {
            break;
        }
        let group = |name: &str| captures.name(name);
        let (name, kind) = if let Some(url) = group("url") {
            (url.as_str().to_owned(), EntityKind::Url)
        } else if let Some(date) = group("date") {
            (date.as_str().to_owned(), EntityKind::Date)
        } else if let Some(file) = group("file") {
            (file.as_str().to_owned(), EntityKind::File)
        } else if let Some(name) = group("identifier") {
            (name.as_str().to_owned(), EntityKind::Identifier)
        } else if let Some(code) = group("code") {
            (code.as_str().trim().to_owned(), EntityKind::Identifier)
        } else if let Some(term) = group("term") {
            (term.as_str().trim().to_lowercase(), EntityKind::Term)
        } else if let Some(name) = group("name") {
            // A capital within a word begins no name.
            if text[..name.start()].chars().next_back().is_some_and(char::is_alphanumeric) {
                continue;
            }
            let begins = begins_sentence(text, name.start());
            match proper(name.as_str(), begins) {
                Some(name) => (name, EntityKind::Name),
                None => continue,
            }
        } else {
            continue;
        };
        if name.chars().filter(|c| c.is_alphanumeric()).count() > 1 {
            found.entry(name).or_insert(kind);
        }
    }
    found.into_iter().map(|(name, kind)| Entity { name, kind }).collect()
}

fn begins_sentence(text: &str, at: usize) -> bool {
    let before =
        text[..at].trim_end_matches(|c: char| c.is_whitespace() || "\"'“‘*_#>-(".contains(c));
    before.is_empty() || before.ends_with(['.', '!', '?', ':', ';', '\n'])
}

/// Words before a name that are no part of it: "Hey Caroline".
const CALLS: &[&str] = &[
    "hey",
    "hi",
    "hello",
    "wow",
    "thanks",
    "thank",
    "oh",
    "okay",
    "ok",
    "yes",
    "yeah",
    "no",
    "sure",
    "dear",
    "well",
    "great",
    "congrats",
    "today",
    "yesterday",
    "tomorrow",
    "now",
    "then",
    "says",
];

/// Returns a capitalised phrase as a name, unless it is only the first word of a sentence.
fn proper(phrase: &str, begins: bool) -> Option<String> {
    let mut words: Vec<&str> = phrase.split(' ').collect();
    let is_little = |word: &str| {
        let small = word.to_lowercase();
        CALLS.contains(&small.as_str())
            || Language::English.is_stop(&small)
            || small.split(['\'', '’']).next().is_some_and(|stem| Language::English.is_stop(stem))
    };
    while words.first().is_some_and(|word| is_little(word)) {
        words.remove(0);
    }
    let only = words.first()?;
    let is_acronym = only.len() > 1 && only.chars().all(|c| c.is_uppercase() || c.is_numeric());
    let dropped = words.len() < phrase.split(' ').count();
    if words.len() == 1 && begins && !dropped && !is_acronym {
        return None;
    }
    let name = words.join(" ").to_lowercase().replace('’', "'");
    Some(name.strip_suffix("'s").unwrap_or(&name).to_owned())
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
    fn the_first_word_of_a_sentence_is_no_name() {
        assert!(names("Yesterday was fine. Nothing else happened.").is_empty());
        assert_eq!(names("We met Caroline's sister in Paris"), ["name:caroline", "name:paris"]);
        assert_eq!(names("NASA called. The API is down"), ["name:api", "name:nasa"]);
    }
}
