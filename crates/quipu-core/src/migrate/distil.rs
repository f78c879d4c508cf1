//! Facts from the rules of many files: one for what several say, threads where two cannot both hold.

use std::collections::BTreeSet;

use jiff::civil::Date;

use super::disagree::{disagree, disagree_plainly};
use super::rules::{self, Rule};
use crate::contradict;
use crate::doc::{Document, Form, OPEN_THREADS};
use crate::edit;
use crate::memory::Memory;
use crate::naming;
use crate::prose;
use crate::secret::{self, OnSecret, Scope};
use crate::text;

/// Rules beyond this are compared with nobody; every file gets its share of them.
const MOST_RULES: usize = 400;
/// The least that a file's share is.
const LEAST_SHARE: usize = 20;

/// A file to read.
#[derive(Clone, Copy, Debug)]
pub struct Source<'a> {
    /// Where it is kept, which becomes the origin of its facts.
    pub origin: &'a str,
    /// Its text.
    pub text: &'a str,
}

/// A fact that was made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Made {
    /// Its id.
    pub id: String,
    /// Its words.
    pub text: String,
    /// Its section.
    pub section: &'static str,
    /// The files that say so, the one in its footer first.
    pub origins: Vec<String>,
}

/// What became of some files.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Distilled {
    /// `continuity.md` with the facts and threads in it.
    pub continuity: String,
    /// Facts, in order.
    pub facts: Vec<Made>,
    /// Threads about contradictions: id and words.
    pub threads: Vec<(String, String)>,
    /// Rules that were known already.
    pub known: usize,
    /// Rules that stay in their file alone: file and number.
    pub left: Vec<(String, usize)>,
    /// Of those the ones that are nothing but a credential: file and number.
    pub bare_secrets: Vec<(String, usize)>,
    /// Contradictions among rules that stay in their files alone.
    pub unasked: usize,
}

/// A rule with the files that have it.
struct Candidate {
    rule: Rule,
    origins: Vec<String>,
    words: BTreeSet<String>,
}

/// Makes facts of files. `elsewhere` are files that everybody reads anyway: what they say is not
/// repeated, and what contradicts them is a question. What `secrets` refuses stays in its file.
pub fn distil(
    memory: &Memory<'_>,
    sources: &[Source<'_>],
    elsewhere: &[Source<'_>],
    today: Date,
    secrets: OnSecret,
) -> Distilled {
    let mut distilled = Distilled::default();
    let known = known(memory, elsewhere);
    let candidates = candidates(sources, &known, secrets, &mut distilled);
    let conflicts = conflicts(&candidates, &known);
    let room = room(memory);
    let (chosen, left) = choose(&candidates, &conflicts, room);
    for index in left {
        add_left(&mut distilled.left, &candidates[index].origins[0], 1);
    }
    write(memory, &candidates, &chosen, &conflicts, &known, today, &mut distilled);
    distilled
}

/// What stands already: a name for people, and the words.
struct Known {
    name: String,
    text: String,
    words: BTreeSet<String>,
}

fn known(memory: &Memory<'_>, elsewhere: &[Source<'_>]) -> Vec<Known> {
    let document = &memory.continuity;
    let facts = document
        .distinct_facts()
        .into_iter()
        .filter(|fact| !fact.footer.is_superseded() && fact.form != Form::Quoted)
        .map(|fact| (format!("`{}`", fact.id()), document.words(fact)));
    let others = elsewhere.iter().flat_map(|source| {
        let rules = rules::rules(source.text).rules;
        rules.into_iter().map(|rule| (format!("`{}`", source.origin), rule.text))
    });
    facts.chain(others).map(|(name, text)| Known { name, words: words(&text), text }).collect()
}

/// Reads the rules of all files, each once.
fn candidates(
    sources: &[Source<'_>],
    known: &[Known],
    secrets: OnSecret,
    result: &mut Distilled,
) -> Vec<Candidate> {
    let mut all: Vec<Candidate> = Vec::new();
    let share = (MOST_RULES / sources.len().max(1)).max(LEAST_SHARE);
    for source in sources {
        let found = rules::rules(source.text);
        let most = all.len() + share;
        add_left(&mut result.left, source.origin, found.long);
        for mut rule in found.rules {
            let Ok(text) = secret::admitted(secrets, &rule.text, Scope::Memory) else {
                add_left(&mut result.left, source.origin, 1);
                continue;
            };
            if secret::is_bare(&text) {
                add_left(&mut result.left, source.origin, 1);
                add_left(&mut result.bare_secrets, source.origin, 1);
                continue;
            }
            rule.text = match secrets {
                OnSecret::Allow => text.into_owned(),
                OnSecret::Redact | OnSecret::Refuse => without_keys(&text),
            };
            let words = words(&rule.text);
            if known.iter().any(|old| same((&old.text, &old.words), (&rule.text, &words))) {
                result.known += 1;
                continue;
            }
            let twin = all
                .iter_mut()
                .find(|other| same((&other.rule.text, &other.words), (&rule.text, &words)));
            if let Some(twin) = twin {
                if !twin.origins.iter().any(|origin| origin == source.origin) {
                    twin.origins.push(source.origin.to_owned());
                }
                twin.rule.rank = twin.rule.rank.min(rule.rank);
            } else if all.len() < most {
                all.push(Candidate { rule, origins: vec![source.origin.to_owned()], words });
            } else {
                add_left(&mut result.left, source.origin, 1);
            }
        }
    }
    all
}

/// Takes out what looks made by a machine. Nobody looks over what is taken in here, so that it is
/// stricter than the scan that people can answer.
fn without_keys(text: &str) -> String {
    let is_key = |word: &str| {
        let count = |is: fn(&u8) -> bool| word.bytes().filter(is).count();
        let (digits, letters) = (count(u8::is_ascii_digit), count(u8::is_ascii_alphabetic));
        let rest = word.len() - digits - letters;
        let plain = word.bytes().all(|b| b.is_ascii_alphanumeric() || b"_-+=".contains(&b));
        plain && word.len() >= 16 && digits >= 3 && letters >= 3 && rest <= 4
    };
    let bare = |word: &str| word.trim_matches(|c: char| !c.is_ascii_alphanumeric()).to_owned();
    let words = text.split(' ').map(|word| match bare(word) {
        key if is_key(&key) => word.replace(&key, secret::REDACTED),
        _ => word.to_owned(),
    });
    words.collect::<Vec<_>>().join(" ")
}

fn add_left(left: &mut Vec<(String, usize)>, origin: &str, count: usize) {
    if count == 0 {
        return;
    }
    match left.iter_mut().find(|(known, _)| known == origin) {
        Some((_, sum)) => *sum += count,
        None => left.push((origin.to_owned(), count)),
    }
}

/// Returns the words that a text is compared by.
fn words(text: &str) -> BTreeSet<String> {
    const FILLERS: [&str; 12] =
        ["a", "an", "the", "and", "of", "to", "in", "for", "is", "are", "please", "all"];
    let lower = text.to_lowercase();
    let words = prose::words(&lower, "'").filter(|word| !FILLERS.contains(word));
    words.map(str::to_owned).collect()
}

/// Tells whether two texts say the same in nearly the same words, which stand in the same order: "tabs
/// over spaces" is not "spaces over tabs".
fn same(a: (&str, &BTreeSet<String>), b: (&str, &BTreeSet<String>)) -> bool {
    if !contradict::is_in_order(a.0, b.0) {
        return false;
    }
    if a.1 == b.1 {
        return true;
    }
    let shared = a.1.intersection(b.1).count();
    let all = a.1.len() + b.1.len() - shared;
    let has_number = |word: &&String| word.contains(|c: char| c.is_ascii_digit());
    let numbers = |words: &BTreeSet<String>| -> Vec<String> {
        words.iter().filter(has_number).cloned().collect()
    };
    shared * 5 >= all * 4
        && numbers(a.1) == numbers(b.1)
        && contradict::is_negated(a.0) == contradict::is_negated(b.0)
        && disagree(a.0, b.0).is_none()
}

/// Two that cannot both hold, and why. The second may be something that stands already.
struct Conflict {
    rule: usize,
    other: Other,
    why: String,
}

#[derive(Clone, Copy)]
enum Other {
    Rule(usize),
    Known(usize),
}

/// Returns the conflicts between rules and with what stands already. A rule is in no more of them than
/// it takes to raise it: one with three others is raised by each of the three.
fn conflicts(candidates: &[Candidate], known: &[Known]) -> Vec<Conflict> {
    let mut found: Vec<Conflict> = Vec::new();
    let mut busy: BTreeSet<usize> = BTreeSet::new();
    for (index, one) in candidates.iter().enumerate() {
        if busy.contains(&index) {
            continue;
        }
        let with_known = known.iter().enumerate().find_map(|(at, old)| {
            let why = || disagree(&old.text, &one.rule.text).map(|why| (Other::Known(at), why));
            may_disagree(&old.words, &one.words).then(why).flatten()
        });
        let with_rule = || {
            let others = (index + 1..candidates.len()).filter(|at| !busy.contains(at));
            others.chain(0..index).find_map(|at| {
                let why = against(&candidates[index.min(at)], &candidates[index.max(at)]);
                why.map(|why| (Other::Rule(at), why))
            })
        };
        let Some((other, why)) = with_known.or_else(with_rule) else { continue };
        busy.insert(index);
        if let Other::Rule(at) = other {
            busy.insert(at);
        }
        found.push(Conflict { rule: index, other, why });
    }
    found
}

/// Without a word in common two rules are about two things.
fn may_disagree(a: &BTreeSet<String>, b: &BTreeSet<String>) -> bool {
    a.intersection(b).next().is_some()
}

/// Returns why two rules cannot both hold.
fn against(one: &Candidate, other: &Candidate) -> Option<String> {
    if !may_disagree(&one.words, &other.words) {
        return None;
    }
    if one.origins.iter().any(|origin| other.origins.contains(origin)) {
        return disagree_plainly(&one.rule.text, &other.rule.text);
    }
    disagree(&one.rule.text, &other.rule.text)
}

/// Returns how many facts there is room for before the memory calls for a review.
fn room(memory: &Memory<'_>) -> usize {
    let live = memory.continuity.distinct_facts();
    let decaying = live.into_iter().filter(|fact| memory.decays(fact)).count();
    (memory.policy.continuity_max_facts as usize).saturating_sub(decaying)
}

/// Returns the rules that become facts, in order, and those that do not: what is disputed, what
/// several files say and what must be come first.
fn choose(
    candidates: &[Candidate],
    conflicts: &[Conflict],
    room: usize,
) -> (Vec<usize>, Vec<usize>) {
    let is_disputed = |index: usize| {
        conflicts.iter().any(|conflict| {
            conflict.rule == index || matches!(conflict.other, Other::Rule(at) if at == index)
        })
    };
    let mut order: Vec<usize> = (0..candidates.len()).collect();
    order.sort_by_key(|index| {
        let one = &candidates[*index];
        (!is_disputed(*index), usize::MAX - one.origins.len(), one.rule.rank, *index)
    });
    let mut left = order.split_off(room.min(order.len()));
    order.sort_unstable();
    left.sort_unstable();
    (order, left)
}

fn write(
    memory: &Memory<'_>,
    candidates: &[Candidate],
    chosen: &[usize],
    conflicts: &[Conflict],
    known: &[Known],
    today: Date,
    result: &mut Distilled,
) {
    let mut taken: BTreeSet<String> = memory.ids().into_iter().map(str::to_owned).collect();
    let mut name = |text: &str, is_thread: bool| {
        let known: BTreeSet<&str> = taken.iter().map(String::as_str).collect();
        let id = naming::derive_id(text, is_thread, &known);
        taken.insert(id.clone());
        id
    };
    let mut ids: Vec<Option<String>> = vec![None; candidates.len()];
    for index in chosen {
        let one = &candidates[*index];
        let id = name(&one.rule.text, false);
        ids[*index] = Some(id.clone());
        result.facts.push(Made {
            id,
            text: one.rule.text.clone(),
            section: one.rule.section,
            origins: one.origins.clone(),
        });
    }
    let mut threads: Vec<(String, String, String)> = Vec::new();
    for conflict in conflicts {
        let named = |at: usize| {
            let file = || format!("`{}`", candidates[at].origins[0]);
            ids[at].as_ref().map_or_else(file, |id| format!("`{id}`"))
        };
        // A thread hangs on a fact: what stays in its file is no question of the memory.
        let (rule, other) = match conflict.other {
            Other::Rule(at) if ids[conflict.rule].is_none() => (at, Other::Rule(conflict.rule)),
            ref other => (conflict.rule, *other),
        };
        let Some(id) = &ids[rule] else {
            result.unasked += 1;
            continue;
        };
        let (second, words) = match other {
            Other::Rule(at) => (named(at), &candidates[at].rule.text),
            Other::Known(at) => (known[at].name.clone(), &known[at].text),
        };
        let (one, first) = (&candidates[rule], format!("`{id}`"));
        let short = |text: &str| text::ellipsis(&text::collapse_whitespace(text), 90);
        let text = format!(
            "Contradiction: {first} says \"{}\", {second} says \"{}\" ({}). Which one holds?",
            short(&one.rule.text),
            short(words),
            conflict.why
        );
        let id = name(&format!("contradiction {id}"), true);
        threads.push((id, text, one.origins[0].clone()));
    }
    memory.continuity.source.clone_into(&mut result.continuity);
    let footer = |id: &str, origin: &str| {
        format!(
            "  <!-- id: {id} | created: {today} | last_used: {today} | uses: 1 | tier: working | origin: {origin} -->\n"
        )
    };
    let mut sections: Vec<&str> = result.facts.iter().map(|fact| fact.section).collect();
    sections.sort_unstable();
    sections.dedup();
    for section in sections {
        let of = result.facts.iter().filter(|fact| fact.section == section);
        let block =
            |fact: &Made| format!("- {}\n{}", fact.text, footer(&fact.id, &fact.origins[0]));
        insert(&mut result.continuity, section, &of.map(block).collect::<Vec<_>>());
    }
    let block = |(id, text, origin): &(String, String, String)| {
        format!("- [ ] {text}\n{}", footer(id, origin))
    };
    if !threads.is_empty() {
        insert(
            &mut result.continuity,
            OPEN_THREADS,
            &threads.iter().map(block).collect::<Vec<_>>(),
        );
    }
    result.threads = threads.into_iter().map(|(id, text, _)| (id, text)).collect();
}

fn insert(source: &mut String, section: &str, blocks: &[String]) {
    let edit = edit::insert_blocks(&Document::parse(source), section, blocks);
    // One edit overlaps nothing.
    if let Ok(text) = text::apply(source, &[edit]) {
        *source = text;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::{CONTINUITY, Snapshot};
    use crate::template;

    fn folder() -> Snapshot {
        let files = [(CONTINUITY.to_owned(), template::CONTINUITY.into())];
        Snapshot { files: files.into_iter().collect() }
    }

    fn read(sources: &[(&str, &str)], elsewhere: &[(&str, &str)]) -> Distilled {
        let folder = folder();
        let memory = folder.parse().unwrap();
        let of = |files: &[(&'static str, &'static str)]| -> Vec<Source<'static>> {
            files.iter().map(|(origin, text)| Source { origin, text }).collect()
        };
        let leak = |files: &[(&str, &str)]| -> Vec<(&'static str, &'static str)> {
            let keep = |text: &str| -> &'static str { text.to_owned().leak() };
            files.iter().map(|(path, text)| (keep(path), keep(text))).collect()
        };
        let today = jiff::civil::date(2026, 3, 2);
        distil(&memory, &of(&leak(sources)), &of(&leak(elsewhere)), today, OnSecret::Redact)
    }

    #[test]
    fn what_looks_made_by_a_machine_is_taken_out_without_its_context() {
        let made = read(
            &[(
                "legacy/claude/CLAUDE.md",
                "- Always deploy with 7f3a9c2e5b8d1f4a6c0e77 to staging\n",
            )],
            &[],
        );
        let told = format!("{made:?}");
        assert!(told.contains("REDACTED") && !told.contains("7f3a9c2e5b8d"), "{told}");
    }

    #[test]
    fn what_two_vendors_say_is_one_fact_in_its_section() {
        let made = read(
            &[
                ("legacy/claude/CLAUDE.md", "## Style\n\n- Use named exports only\n"),
                ("legacy/cursor/.cursorrules", "- Use named exports only.\n- Prefer small files\n"),
            ],
            &[],
        );
        assert_eq!(made.facts.len(), 2);
        assert_eq!(made.facts[0].origins.len(), 2);
        let text = &made.continuity;
        assert!(
            text.contains("- Use named exports only\n  <!-- id: named-exports-only | created: 2026-03-02 | last_used: 2026-03-02 | uses: 1 | tier: working | origin: legacy/claude/CLAUDE.md -->\n"),
            "{text}"
        );
        assert_eq!(Document::parse(text).facts.len(), 2);
    }

    #[test]
    fn what_cannot_both_hold_is_a_question_and_nobody_wins() {
        for (one, other) in [
            ("Use tabs for indentation", "Use spaces for indentation"),
            ("Use 2 spaces for indentation", "Use 4 spaces for indentation"),
            ("Always use semicolons in TypeScript", "Never use semicolons in TypeScript"),
            ("Run tests with jest", "Run tests with vitest"),
            (
                "The maximum line length is 80 characters",
                "The maximum line length is 120 characters",
            ),
        ] {
            let made = read(&[("a", &format!("- {one}\n")), ("b", &format!("- {other}\n"))], &[]);
            assert_eq!((made.facts.len(), made.threads.len()), (2, 1), "{one} / {other}");
            assert!(made.threads[0].1.starts_with("Contradiction: `"), "{:?}", made.threads);
            let settled =
                read(&[("a", &format!("- {one}\n"))], &[("AGENTS.md", &format!("- {other}\n"))]);
            assert_eq!((settled.facts.len(), settled.threads.len()), (1, 1), "{one} / {other}");
        }
    }

    #[test]
    fn what_everybody_reads_anyway_is_not_repeated() {
        let made = read(
            &[("a", "- Use named exports only\n")],
            &[("AGENTS.md", "- Use named exports only.\n")],
        );
        assert_eq!((made.facts.len(), made.known), (0, 1));
    }

    #[test]
    fn secrets_do_not_get_in() {
        let made = read(&[("a", "- Use the key AKIAIOSFODNN7ABCDEFG for uploads\n")], &[]);
        assert_eq!(made.facts[0].text, "Use the key (REDACTED) for uploads");
        assert!(!made.continuity.contains("AKIA"));
        let made = read(
            &[("a", "- API key: `sk_live_a8f7d6s5a4f3d2s1a0`, see keep-lines-under-40-chars\n")],
            &[],
        );
        assert_eq!(made.facts[0].text, "API key: `(REDACTED)`, see keep-lines-under-40-chars");
    }

    #[test]
    fn the_memory_takes_as_many_as_it_holds_and_the_rest_is_counted() {
        let names = ["alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta"];
        let line =
            |a: &str, b: &str| format!("- Module {a} calls module {b} through the {a}{b} port\n");
        let pairs = names.iter().flat_map(|a| names.iter().take(5).map(move |b| (a, b)));
        let text =
            pairs.map(|(a, b)| line(a, b)).collect::<String>() + "- Never log personal data\n";
        let made = read(&[("a", &text)], &[]);
        assert_eq!(made.facts.len() + made.left[0].1, 41);
        assert_eq!(made.facts.len(), 30);
        assert_eq!(made.facts[29].id, "never-log-personal-data");
    }

    #[test]
    fn the_same_words_turned_round_are_a_question_too() {
        let one =
            "- Use pnpm, not npm.\n- Prefer tabs over spaces.\n- Use REST instead of GraphQL.\n";
        let other =
            "- Use npm, not pnpm.\n- Prefer spaces over tabs.\n- Use GraphQL instead of REST.\n";
        let made = read(&[("a", one), ("b", other)], &[]);
        assert_eq!((made.facts.len(), made.threads.len()), (6, 3), "{:?}", made.threads);
    }

    #[test]
    fn every_contradiction_is_raised_also_within_a_file() {
        let tools = [
            "red", "green", "blue", "black", "white", "pink", "grey", "brown", "amber", "teal",
            "navy", "lime", "gold", "plum",
        ];
        let file = |verb: &str| -> String {
            let line = |tool: &&str| format!("- {verb} use {tool} buttons\n");
            tools.iter().map(line).collect::<Vec<_>>().concat()
        };
        let made = read(&[("a", &file("Always")), ("b", &file("Never"))], &[]);
        assert_eq!((made.facts.len(), made.threads.len()), (28, 14));
        let made = read(&[("a", "- Always use tabs in code\n- Never use tabs in code\n")], &[]);
        assert_eq!((made.facts.len(), made.threads.len()), (2, 1));
        let three: Vec<String> =
            [2, 4, 8].iter().map(|n| format!("- Use {n} spaces for indentation\n")).collect();
        let made = read(&[("a", &three[0]), ("b", &three[1]), ("c", &three[2])], &[]);
        assert_eq!((made.facts.len(), made.threads.len()), (3, 2), "{:?}", made.threads);
    }

    #[test]
    fn what_there_is_no_room_for_is_counted_with_its_contradictions() {
        let file = |verb: &str| -> String {
            let line = |n: i32| format!("- {verb} use button{n} here\n");
            (0..20).map(line).collect::<Vec<_>>().concat()
        };
        let made = read(&[("a", &file("Always")), ("b", &file("Never"))], &[]);
        assert_eq!(made.facts.len(), 30);
        assert_eq!(made.threads.len() + made.unasked, 20, "{:?}", made.threads);
    }

    #[test]
    fn nothing_but_a_secret_is_no_fact() {
        let text = "- The API key is AKIAIOSFODNN7ABCDEFG\n- password: hunter2hunter2xQ9\n- Keep functions short\n";
        let made = read(&[("a", text)], &[]);
        assert_eq!(made.facts.len(), 1, "{:?}", made.facts);
        assert_eq!(made.bare_secrets, [("a".to_owned(), 2)]);
        assert_eq!(made.left, made.bare_secrets);
    }
}
