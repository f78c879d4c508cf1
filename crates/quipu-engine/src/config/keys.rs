//! Every setting: its name, what it holds, and who may set it.

use quipu_core::finding::LintCode;
use quipu_core::journal;
use toml::Value;

/// What a setting holds, so that it can be read from a variable or a flag.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// Yes or no.
    Switch,
    /// A number without a point.
    Whole,
    /// A number.
    Number,
    /// Words.
    Text,
    /// Words, separated by commas.
    List,
}

impl Shape {
    /// Returns what a key of this shape holds.
    pub(super) fn in_words(self) -> &'static str {
        match self {
            Self::Switch => "true or false",
            Self::Whole => "a whole number, 0 or more",
            Self::Number => "a number",
            Self::Text => "a word or text",
            Self::List => "a list of words",
        }
    }
}

/// Who may set a key.
///
/// A repository brings its `quipu.toml` along, and whoever clones it has agreed to nothing. From there a
/// setting is taken only where it can weaken no guard, send nothing anywhere, move no private text into
/// a tracked file, point no path elsewhere, and put no more beside a prompt than the default does. The
/// user's own file, the environment and flags may set every key.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Class {
    /// A repository may.
    Repository,
    /// Only the user may.
    User,
    /// A repository may set it to the default or less.
    AtMost(f64),
    /// A repository may set it to the default or more.
    AtLeast(f64),
    /// A repository may set it to one of these, which are no weaker than the default.
    OneOf(&'static [&'static str]),
    /// A repository may waive findings, but for those about secrets.
    Waivers,
}

impl Class {
    /// Returns what a repository may say of `value`, and whether that is all of it.
    pub(super) fn taken_from_repository(self, value: &Value) -> (Option<Value>, bool) {
        let number = || match value {
            #[expect(clippy::cast_precision_loss, reason = "limits are small numbers")]
            Value::Integer(number) => Some(*number as f64),
            Value::Float(number) => Some(*number),
            _ => None,
        };
        let taken = match self {
            Self::Repository => true,
            Self::User => false,
            // NaN is neither.
            Self::AtMost(limit) => number().is_some_and(|number| number <= limit),
            Self::AtLeast(limit) => number().is_some_and(|number| number >= limit),
            Self::OneOf(values) => match value {
                Value::String(text) => values.contains(&&**text),
                Value::Boolean(switch) => values.contains(&&*switch.to_string()),
                _ => false,
            },
            Self::Waivers => {
                let Value::Array(all) = value else { return (None, false) };
                let may_be = |waiver: &&Value| {
                    let code = waiver.as_str().and_then(|waiver| waiver.split(':').next());
                    code.is_some_and(|code| {
                        !LintCode::named(code.trim()).is_some_and(LintCode::is_about_secrets)
                    })
                };
                let kept: Vec<Value> = all.iter().filter(may_be).cloned().collect();
                let is_whole = kept.len() == all.len();
                return (Some(Value::Array(kept)), is_whole);
            }
        };
        (taken.then(|| value.clone()), taken)
    }

    /// Returns who may set the key, in the words of the documentation.
    pub fn in_words(self) -> String {
        match self {
            Self::Repository => "yes".to_owned(),
            Self::User => "no".to_owned(),
            Self::AtMost(limit) => format!("at most {limit}"),
            Self::AtLeast(limit) => format!("at least {limit}"),
            Self::OneOf(values) => format!("only `{}`", values.join("`, `")),
            Self::Waivers => "not for secrets".to_owned(),
        }
    }
}

/// Every key, with what it holds and who may set it.
pub const KEYS: &[(&str, Shape, Class)] = &[
    ("review.auto", Shape::Switch, Class::Repository),
    ("lint.allow", Shape::List, Class::Waivers),
    ("embedding.provider", Shape::Text, Class::User),
    ("embedding.url", Shape::Text, Class::User),
    ("embedding.model", Shape::Text, Class::User),
    ("embedding.folder", Shape::Text, Class::User),
    ("judge.url", Shape::Text, Class::User),
    ("judge.model", Shape::Text, Class::User),
    ("journal.format", Shape::Text, Class::Repository),
    ("journal.timezone", Shape::Text, Class::Repository),
    ("journal.tracked", Shape::Switch, Class::User),
    ("undo.days", Shape::Whole, Class::User),
    ("guard.secrets", Shape::Text, Class::OneOf(&["refuse"])),
    ("guard.mode", Shape::Text, Class::OneOf(&["block"])),
    ("guard.scope", Shape::Text, Class::Repository),
    ("guard.nudge", Shape::Switch, Class::Repository),
    ("serve.listen", Shape::Text, Class::User),
    ("serve.hosts", Shape::List, Class::User),
    ("serve.origins", Shape::List, Class::User),
    ("serve.maxBodyBytes", Shape::Whole, Class::User),
    ("serve.requestsPerSecond", Shape::Whole, Class::User),
    ("serve.dreamCron", Shape::Text, Class::User),
    ("lifecycle.retention", Shape::Text, Class::Repository),
    ("lifecycle.halfLifeDays", Shape::Number, Class::Repository),
    ("lifecycle.huberDelta", Shape::Number, Class::Repository),
    ("lifecycle.elasticRho", Shape::Number, Class::Repository),
    ("lifecycle.trustDecay", Shape::Number, Class::Repository),
    ("lifecycle.archiveAfterDays", Shape::Number, Class::Repository),
    ("lifecycle.weightBase", Shape::Number, Class::Repository),
    ("lifecycle.weightAccess", Shape::Number, Class::Repository),
    ("lifecycle.weightRecency", Shape::Number, Class::Repository),
    ("lifecycle.weightValence", Shape::Number, Class::Repository),
    ("lifecycle.weightStability", Shape::Number, Class::Repository),
    ("lifecycle.weightLayer", Shape::Number, Class::Repository),
    ("lifecycle.weightTrust", Shape::Number, Class::Repository),
    ("lifecycle.weightConfirmations", Shape::Number, Class::Repository),
    ("lifecycle.weightActivation", Shape::Number, Class::Repository),
    ("continuity.sessionMemoryEnabled", Shape::Switch, Class::Repository),
    ("continuity.sessionMemoryCap", Shape::Whole, Class::AtMost(32_000.0)),
    ("continuity.includeRecentTopics", Shape::Switch, Class::Repository),
    ("continuity.includeLongMemoryInSession", Shape::Switch, Class::Repository),
    ("continuity.injectExperienceContext", Shape::Switch, Class::Repository),
    ("continuity.memoryEmbeddingsEnabled", Shape::Switch, Class::Repository),
    ("continuity.memorySizeWarnChars", Shape::Whole, Class::Repository),
    ("continuity.substrateSizeWarnChars", Shape::Whole, Class::Repository),
    ("continuity.memoryMaxRecords", Shape::Whole, Class::Repository),
    ("continuity.memoryMaxChars", Shape::Whole, Class::Repository),
    ("continuity.memoryArchivePath", Shape::Text, Class::OneOf(&[journal::ARCHIVE])),
    ("continuity.memoryProtectedCategories", Shape::List, Class::Repository),
    ("continuity.memoryCompactionEnabled", Shape::Switch, Class::Repository),
    ("continuity.memoryCompactionScheduleCron", Shape::Text, Class::User),
    ("continuity.memoryCompactionIntervalMs", Shape::Whole, Class::AtLeast(86_400_000.0)),
    ("continuity.memoryCompactionThresholdRecords", Shape::Whole, Class::Repository),
    ("continuity.memoryCompactionThresholdChars", Shape::Whole, Class::Repository),
    ("continuity.memoryCompactionMinAgeDays", Shape::Whole, Class::AtLeast(7.0)),
    ("continuity.longMemoryPath", Shape::Text, Class::OneOf(&[journal::LONG])),
    ("continuity.longMemoryMaxChars", Shape::Whole, Class::AtMost(16_000.0)),
    ("continuity.experienceStoreEnabled", Shape::Switch, Class::Repository),
    ("continuity.experienceStorePath", Shape::Text, Class::OneOf(&["tmp/chroma"])),
    ("continuity.experienceUniquenessThreshold", Shape::Number, Class::Repository),
    ("continuity.experienceMaxCount", Shape::Whole, Class::User),
    ("continuity.integrityExemptCategories", Shape::List, Class::Repository),
    ("continuity.integrityStaleDays", Shape::Whole, Class::Repository),
    ("memoryTool.folder", Shape::Text, Class::OneOf(&["memory/notes"])),
    ("hooks.sessionStart", Shape::Switch, Class::Repository),
    ("hooks.prompt", Shape::Switch, Class::Repository),
    ("hooks.afterTool", Shape::Switch, Class::OneOf(&["false"])),
    ("hooks.preCompact", Shape::Switch, Class::Repository),
    ("hooks.stop", Shape::Switch, Class::Repository),
    ("hooks.sessionEnd", Shape::Switch, Class::Repository),
    ("hooks.briefChars", Shape::Whole, Class::AtMost(8_000.0)),
    ("hooks.resumeChars", Shape::Whole, Class::AtMost(2_000.0)),
    ("hooks.promptThreshold", Shape::Number, Class::AtLeast(0.6)),
    ("hooks.promptCount", Shape::Whole, Class::AtMost(3.0)),
    ("hooks.promptChars", Shape::Whole, Class::AtMost(2_000.0)),
    ("hooks.afterToolEvery", Shape::Whole, Class::AtLeast(20.0)),
    ("hooks.extractMost", Shape::Whole, Class::AtMost(3.0)),
    ("hooks.turnChars", Shape::Whole, Class::AtMost(500.0)),
];

/// Other names that keys go by: the original's, and those of its plans.
pub(super) const OTHER_NAMES: &[(&str, &str)] = &[
    ("continuity.memoryCompactionSchedule", "continuity.memoryCompactionScheduleCron"),
    ("continuity.memoryCompactionMaxRecords", "continuity.memoryCompactionThresholdRecords"),
    ("continuity.memoryCompactionMaxChars", "continuity.memoryCompactionThresholdChars"),
];

/// Keys that older versions had, and why they have no effect any more.
const RETIRED: &[(&str, &str)] = &[
    ("continuity.memoryEmbeddingsMaxRecords", "the index holds every record"),
    ("lifecycle.archiveUnusedAfterDays", "nothing is archived before lifecycle.archiveAfterDays"),
];

/// Returns what to tell a person who sets a key that has no effect any more.
pub(super) fn retired(name: &str) -> Option<String> {
    let (key, why) = RETIRED.iter().find(|(key, _)| *key == name)?;
    Some(format!("`{key}` has no effect any more, because {why}: it can be removed"))
}

/// Returns the key that goes by a name.
pub(super) fn known(name: &str) -> Option<&'static (&'static str, Shape, Class)> {
    let name = OTHER_NAMES.iter().find(|(other, _)| *other == name).map_or(name, |(_, key)| key);
    KEYS.iter().find(|(key, ..)| *key == name)
}

/// Returns the environment variable of a key.
pub fn variable(key: &str) -> String {
    let mut name = String::from("QUIPU_");
    for c in key.chars() {
        match c {
            '.' => name.push('_'),
            c if c.is_ascii_uppercase() => name.extend(['_', c]),
            c => name.push(c.to_ascii_uppercase()),
        }
    }
    name
}
