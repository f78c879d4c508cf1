//! What many operations take.

use std::borrow::Cow;
use std::str::FromStr;

use clap::Args;
use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use quipu_core::secret::{self, Scope};
use quipu_core::text;
use quipu_core::when::{midnight, named_days};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Deserializer};

use super::{Call, Effect, OperationError};
use crate::caller::Channel;

/// Makes a parser for arguments that knows the names of an enum.
macro_rules! names {
    ($type:ty) => {{
        use clap::builder::TypedValueParser as _;
        let names = <$type>::ALL.iter().map(|value| value.as_str());
        clap::builder::PossibleValuesParser::new(names)
            .try_map(|name| <$type>::named(&name).ok_or_else(|| format!("unknown: {name}")))
    }};
}

pub(crate) use names;

/// Returns names one by one: a command line separates them by commas, and so may a JSON caller within a string.
pub(crate) fn separated(names: &[String]) -> Vec<String> {
    names.iter().flat_map(|name| name.split(',')).map(str::to_owned).collect()
}

/// Whether something is kept for every project.
#[derive(Clone, Copy, Debug, Default, Args, Deserialize, JsonSchema)]
pub struct Everywhere {
    /// Keep it for all of the user's projects
    #[arg(short, long)]
    #[serde(default)]
    pub user: bool,
}

/// Look without touching.
#[derive(Clone, Copy, Debug, Default, Args, Deserialize, JsonSchema)]
pub struct DryRun {
    /// Show what would change, and change nothing
    #[arg(short = 'n', long)]
    #[serde(default)]
    pub dry_run: bool,
}

impl DryRun {
    /// Returns what an operation does that would do more.
    pub fn effect(self, more: Effect) -> Effect {
        if self.dry_run { Effect::Reads } else { more }
    }
}

/// The words of a text that was written without quotes, after the first.
#[derive(Clone, Debug, Default, Args)]
pub struct MoreWords {
    /// More words of the text: quotes are only needed where the shell would change it
    #[arg(value_name = "WORDS")]
    more: Vec<String>,
}

impl MoreWords {
    /// Puts the words behind the first one.
    pub fn join_to(&mut self, first: &mut String) {
        for word in self.more.drain(..) {
            first.push(' ');
            first.push_str(&word);
        }
    }
}

/// Why a text that looks like it holds a secret holds none.
#[derive(Clone, Debug, Default, Args, Deserialize, JsonSchema)]
pub struct NotSecret {
    /// It looks like it holds a secret and holds none: why (kept with it, for everybody to see)
    #[arg(long, value_name = "REASON")]
    pub not_a_secret: Option<String>,
}

impl NotSecret {
    /// Returns a text as the caller vouches for it: lines that look like they hold a secret carry the reason why
    /// they hold none, and pass.
    ///
    /// # Errors
    /// When the reason is none, or the caller may not vouch for anything.
    pub fn vouched(
        &self,
        text: &str,
        scope: Scope,
        call: &Call<'_>,
    ) -> Result<String, OperationError> {
        let has_mark =
            [secret::WAIVER, secret::SHORT_WAIVER].iter().any(|mark| text.contains(mark));
        if call.caller.channel != Channel::Main && (has_mark || self.not_a_secret.is_some()) {
            let why = "whether something is no secret is said in the main channel";
            return Err(OperationError::forbidden("channel", why)
                .hint("leave the value out, or write (REDACTED) instead of it"));
        }
        let Some(reason) = &self.not_a_secret else { return Ok(text.to_owned()) };
        let reason = text::collapse_whitespace(reason);
        let refused = |why: &str| Err(OperationError::input("secret", why));
        if reason.chars().filter(|c| c.is_alphabetic()).count() < 5 {
            return refused("a reason is a few words: why is it not a secret?");
        }
        if reason.contains(['<', '>', '(', ')', '`'])
            || !secret::scan(&reason, Scope::Memory).is_empty()
        {
            return refused(
                "the reason must be plain words, without brackets and without the value",
            );
        }
        Ok(secret::waived(text, scope, &reason))
    }
}

/// A day, a time to the second, or words that name days as questions do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Moment {
    /// A day.
    Day(Date),
    /// A time.
    Time(Timestamp),
    /// Words such as `yesterday` or `last week`; what they mean depends on the day of the call.
    Words(String),
}

impl Moment {
    /// What it looks like for programs, which write no words.
    pub(crate) const PATTERN: &'static str = r"^\d{4}-\d{2}-\d{2}(T.+)?$";

    /// Returns when it begins, in a time zone.
    pub fn start(&self, zone: &TimeZone, today: Date) -> Timestamp {
        match self {
            Self::Time(time) => *time,
            _ => day_start(self.days(today).0, zone),
        }
    }

    /// Returns when an option such as `--until` ends: at the beginning of a day or time, which is left
    /// out, and after the last day that words name (`--until yesterday` has all of yesterday).
    pub fn until(&self, zone: &TimeZone, today: Date) -> Timestamp {
        match self {
            Self::Words(_) => day_start(self.days(today).1, zone),
            _ => self.start(zone, today),
        }
    }

    /// Returns when it begins (UTC).
    pub fn begin(&self, today: Date) -> Timestamp {
        self.start(&TimeZone::UTC, today)
    }

    /// Returns the last second of it (UTC): what was true then.
    pub fn end(&self, today: Date) -> Timestamp {
        let last = match self {
            Self::Time(time) => return *time,
            _ => midnight(self.days(today).1).as_second() - 1,
        };
        Timestamp::from_second(last).unwrap_or_else(|_| self.begin(today))
    }

    /// Returns the first day, and the day after the last.
    fn days(&self, today: Date) -> (Date, Date) {
        let one = |day: Date| (day, day.tomorrow().unwrap_or(day));
        match self {
            Self::Day(day) => one(*day),
            Self::Time(time) => one(time.to_zoned(TimeZone::UTC).date()),
            Self::Words(words) => named_days(words, today).unwrap_or_else(|| one(today)),
        }
    }

    /// Reads what a program writes: a day or a time.
    pub(crate) fn exact(text: &str) -> Result<Self, String> {
        if let Ok(day) = text.parse() {
            return Ok(Self::Day(day));
        }
        text.parse().map(Self::Time).map_err(|_| {
            "expected a day such as 2026-04-20, or a time such as 2026-04-20T10:00:00Z".to_owned()
        })
    }
}

fn day_start(day: Date, zone: &TimeZone) -> Timestamp {
    day.to_zoned(zone.clone()).map(|zoned| zoned.timestamp()).unwrap_or_default()
}

impl FromStr for Moment {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        // Whether words name days does not depend on the day: any will do to check them.
        let is_named = named_days(text, Date::constant(2026, 6, 15)).is_some();
        Self::exact(text).or_else(|_| {
            if is_named { Ok(Self::Words(text.to_owned())) } else { Err(NOT_A_TIME.to_owned()) }
        })
    }
}

/// What to write for a time, for a person who wrote something else.
const NOT_A_TIME: &str = "expected a day (2026-04-20), a time (2026-04-20T10:00:00Z), or words: \
    today, yesterday, tomorrow, monday, 3 days ago, two weeks ago, a month ago, this week, \
    last week, last month, last 10 days, last friday, march, march 2026, last summer, 2026";

impl<'de> Deserialize<'de> for Moment {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::exact(&String::deserialize(deserializer)?).map_err(serde::de::Error::custom)
    }
}

impl JsonSchema for Moment {
    fn schema_name() -> Cow<'static, str> {
        "Moment".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        schemars::json_schema!({ "type": "string", "pattern": Self::PATTERN })
    }
}
