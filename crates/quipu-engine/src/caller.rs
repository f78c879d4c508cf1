//! Who acts. Each way into Quipu (command line, MCP, HTTP, hooks) works out who the caller is, once, by what it
//! is and not by what it says; operations receive the [`Caller`] with their request.
//!
//! On the command line this keeps honest agents honest: a program that runs as the user can pretend to be the
//! user. For callers with a token of the channel `other` it is a boundary (`tests/twins.rs` in `quipu-cli`).

use quipu_core::item::Source;
use quipu_core::secret::{self, Scope};
use quipu_core::text;

pub use quipu_core::item::Channel;

use crate::recall::RecallError;
use crate::remember::NewMemory;

/// What a caller may do. Each includes the ones before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Permission {
    /// Look.
    Read,
    /// Look and remember.
    Write,
    /// Everything, also what cannot be undone.
    Admin,
}

impl Permission {
    /// Returns its name.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Write => "write",
            Self::Admin => "admin",
        }
    }
}

/// A person, or a program that acts for one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Actor<'a> {
    /// Somebody at a terminal, or who submitted a form in their client; by name where they said it.
    Person(Option<&'a str>),
    /// Anything else, by the name of its client, token or script.
    Agent(&'a str),
}

/// Who asks for something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Caller<'a> {
    /// What they may do.
    pub permission: Permission,
    /// What they may see.
    pub channel: Channel,
    /// Who they are.
    pub actor: Actor<'a>,
}

/// The author of records that a person wrote without saying who they are.
pub const OPERATOR: &str = "operator";

/// Names that mean something in the log of decisions; no agent can have one.
const RESERVED: [&str; 3] = [OPERATOR, "dream", "judge"];

/// A longer name of an agent is cut.
const LONGEST_NAME: usize = 64;

/// Environment variables that agents set for the commands that they run, with the agent's name. Settings
/// that people keep in their shell's profile (`CODEX_HOME`, `AIDER_MODEL`) are not among them.
/// docs/callers.md lists them.
pub const AGENT_VARIABLES: [(&str, &str); 33] = [
    ("AI_AGENT", ""),
    ("AGENT", ""),
    ("CLAUDECODE", "claude-code"),
    ("CLAUDE_CODE", "claude-code"),
    ("CLAUDE_CODE_ENTRYPOINT", "claude-code"),
    ("CODEX_SANDBOX", "codex"),
    ("CODEX_SANDBOX_NETWORK_DISABLED", "codex"),
    ("CODEX_THREAD_ID", "codex"),
    ("CODEX_CI", "codex"),
    ("CURSOR_AGENT", "cursor"),
    ("CURSOR_TRACE_ID", "cursor"),
    ("GEMINI_CLI", "gemini-cli"),
    ("QWEN_CODE", "qwen-code"),
    ("OPENCODE", "opencode"),
    ("OPENCODE_CALLER", "opencode"),
    ("OPENCODE_CLIENT", "opencode"),
    ("GOOSE_TERMINAL", "goose"),
    ("AMP_CURRENT_THREAD_ID", "amp"),
    ("COPILOT_AGENT", "copilot"),
    ("COPILOT_CLI", "copilot"),
    ("AUGMENT_AGENT", "augment"),
    ("CLINE_ACTIVE", "cline"),
    ("ANTIGRAVITY_AGENT", "antigravity"),
    ("CI", "ci"),
    ("CONTINUOUS_INTEGRATION", "ci"),
    ("BUILDKITE", "ci"),
    ("CIRCLECI", "ci"),
    ("GITHUB_ACTIONS", "ci"),
    ("GITLAB_CI", "ci"),
    ("JENKINS_URL", "ci"),
    ("TEAMCITY_VERSION", "ci"),
    ("TF_BUILD", "ci"),
    ("TRAVIS", "ci"),
];

/// Returns the agent that a command was started by; nothing where it was a person: somebody whose terminal is
/// both stdin and stdout, and in whose environment no agent left its mark.
pub fn started_by_agent(
    has_terminal: bool,
    variable: impl Fn(&str) -> Option<String>,
) -> Option<String> {
    for (name, agent) in AGENT_VARIABLES {
        let value = variable(name).unwrap_or_default();
        let value = value.trim();
        if value.is_empty() || value == "0" || value.eq_ignore_ascii_case("false") {
            continue;
        }
        let is_switch = value == "1" || value.eq_ignore_ascii_case("true");
        return Some(match (agent, is_switch) {
            ("", true) => agent_name("agent"),
            ("", false) => agent_name(value),
            (agent, _) => agent.to_owned(),
        });
    }
    (!has_terminal).then(|| "script".to_owned())
}

/// Returns the name under which an agent's deeds are recorded, given the name that it goes by.
pub fn agent_name(said: &str) -> String {
    let name = text::collapse_whitespace(&secret::redacted(said, Scope::Credentials));
    let name: String = name.chars().filter(|c| !c.is_control()).take(LONGEST_NAME).collect();
    match name.trim() {
        "" => "agent".to_owned(),
        name if RESERVED.contains(&name.to_lowercase().as_str()) => format!("agent {name}"),
        name => name.to_owned(),
    }
}

impl Caller<'static> {
    /// The user, who may do everything.
    pub const PERSON: Self =
        Self { permission: Permission::Admin, channel: Channel::Main, actor: Actor::Person(None) };

    /// Quipu itself, when it does what is due.
    pub const QUIPU: Self = Self {
        permission: Permission::Admin,
        channel: Channel::Main,
        actor: Actor::Agent("quipu"),
    };
}

impl<'a> Caller<'a> {
    /// Returns a local agent of the user's.
    pub fn agent(name: &'a str) -> Self {
        let (permission, channel) = (Permission::Write, Channel::Main);
        Self { permission, channel, actor: Actor::Agent(name) }
    }

    /// Tells whether a person acts.
    pub fn is_person(&self) -> bool {
        matches!(self.actor, Actor::Person(_))
    }

    /// Returns the name that goes into the log; a person may have said another one (`--by`).
    ///
    /// # Errors
    /// When an agent gives a name that is not its own.
    pub fn signature(&self, said: Option<&str>) -> Result<String, RecallError> {
        let said = said.filter(|name| !name.trim().is_empty());
        match (self.actor, said) {
            (Actor::Person(name), said) => Ok(said.or(name).unwrap_or(OPERATOR).to_owned()),
            (Actor::Agent(name), None) => Ok(name.to_owned()),
            (Actor::Agent(name), Some(said)) if said == name => Ok(name.to_owned()),
            (Actor::Agent(name), Some(said)) => {
                let said = secret::redacted(said, Scope::Credentials);
                Err(RecallError::NotThem { said, agent: name.to_owned() })
            }
        }
    }

    /// Refuses what only a person can do.
    ///
    /// # Errors
    /// When an agent asks for it.
    pub fn must_be_person(&self, what: &'static str) -> Result<(), RecallError> {
        match self.actor {
            Actor::Person(_) => Ok(()),
            Actor::Agent(agent) => Err(RecallError::NotAPerson { what, agent: agent.to_owned() }),
        }
    }

    /// Returns the channel that a record or decision came through, where that is not the user's terminal.
    pub(crate) fn recorded_as(&self) -> Option<&'a str> {
        match self.actor {
            Actor::Person(_) => None,
            Actor::Agent(name) => Some(name),
        }
    }

    /// Returns something to remember with the provenance that its writer has, whatever it claims.
    ///
    /// An agent writes as an agent: what it says that a person said was said in a conversation. The channel
    /// `other` chooses nothing that decides where its words stand in somebody's briefing.
    ///
    /// # Errors
    /// When the channel `other` would replace a record.
    pub(crate) fn attributed(&self, new: &NewMemory) -> Result<NewMemory, RecallError> {
        let mut new = new.clone();
        let Actor::Agent(name) = self.actor else { return Ok(new) };
        new.source = match new.source {
            Some(Source::Human | Source::Interaction) => Some(Source::Interaction),
            Some(Source::Ingest) => Some(Source::Ingest),
            // The category says it.
            None if new.category == "turn-summary" => None,
            _ => Some(Source::Ai),
        };
        let is_said = new.channel.as_deref().is_some_and(|channel| channel != OPERATOR);
        if !is_said || self.channel != Channel::Main {
            new.channel = Some(name.to_owned());
        }
        if self.channel != Channel::Other {
            return Ok(new);
        }
        if new.supersedes.is_some() {
            return Err(RecallError::OnlyMain { what: "supersedes" });
        }
        Ok(NewMemory {
            text: new.text,
            category: "note".to_owned(),
            source: Some(Source::Ai),
            tags: new.tags,
            sensitivity: new.sensitivity,
            valid_from: new.valid_from,
            valid_to: new.valid_to,
            channel: new.channel,
            negative: new.negative,
            ..NewMemory::default()
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn variables(set: &[(&'static str, &'static str)]) -> impl Fn(&str) -> Option<String> {
        let set = set.to_vec();
        move |name| set.iter().find(|(one, _)| *one == name).map(|(_, value)| (*value).to_owned())
    }

    #[test]
    fn a_person_has_a_terminal_and_no_mark_of_an_agent() {
        type Variables = &'static [(&'static str, &'static str)];
        let table: [(bool, Variables, Option<&str>); 10] = [
            (true, &[], None),
            (false, &[], Some("script")),
            (true, &[("CLAUDECODE", "1")], Some("claude-code")),
            (false, &[("CURSOR_AGENT", "1")], Some("cursor")),
            (true, &[("CODEX_HOME", "/home/ada/.codex"), ("AIDER_MODEL", "x")], None),
            (true, &[("AGENT", "goose")], Some("goose")),
            (true, &[("AGENT", "1")], Some("agent")),
            (true, &[("CI", "false"), ("OPENCODE", "")], None),
            (true, &[("CI", "true")], Some("ci")),
            (true, &[("AI_AGENT", "dream")], Some("agent dream")),
        ];
        for (has_terminal, set, agent) in table {
            let found = started_by_agent(has_terminal, variables(set));
            assert_eq!(found.as_deref(), agent, "{has_terminal} {set:?}");
        }
    }

    #[test]
    fn an_agent_cannot_sign_for_another() {
        let agent = Caller::agent("codex");
        assert_eq!(agent.signature(None).unwrap(), "codex");
        assert_eq!(agent.signature(Some("codex")).unwrap(), "codex");
        assert!(agent.signature(Some("Ada")).is_err());
        assert_eq!(Caller::PERSON.signature(Some("Ada")).unwrap(), "Ada");
        assert_eq!(Caller::PERSON.signature(None).unwrap(), OPERATOR);
        assert!(agent.must_be_person("confirm invariants").is_err());
        assert!(Caller::PERSON.must_be_person("confirm invariants").is_ok());
    }

    #[test]
    fn an_agent_is_never_recorded_as_a_person() {
        let agent = Caller::agent("codex");
        let table = [
            (None, Source::Ai),
            (Some(Source::Human), Source::Interaction),
            (Some(Source::Interaction), Source::Interaction),
            (Some(Source::Ai), Source::Ai),
            (Some(Source::Ingest), Source::Ingest),
            (Some(Source::Dream), Source::Ai),
            (Some(Source::CodeScan), Source::Ai),
        ];
        for (claimed, recorded) in table {
            let new = NewMemory { source: claimed, ..NewMemory::default() };
            let made = agent.attributed(&new).unwrap();
            assert_eq!(made.source, Some(recorded), "{claimed:?}");
            assert_eq!(made.channel.as_deref(), Some("codex"));
            assert_eq!(Caller::PERSON.attributed(&new).unwrap(), new);
        }
    }

    #[test]
    fn another_channel_does_not_choose_where_its_words_stand() {
        let other = Caller { channel: Channel::Other, ..Caller::agent("bot") };
        let new = NewMemory {
            text: "words".to_owned(),
            category: "user-preference".to_owned(),
            source: Some(Source::Human),
            speaker: Some("user".to_owned()),
            importance: Some(1.0),
            pinned: true,
            confidence: Some(1.0),
            channel: Some("main".to_owned()),
            session: Some("theirs".to_owned()),
            allow_secret: true,
            ..NewMemory::default()
        };
        let expected = NewMemory {
            text: "words".to_owned(),
            category: "note".to_owned(),
            source: Some(Source::Ai),
            channel: Some("bot".to_owned()),
            ..NewMemory::default()
        };
        assert_eq!(other.attributed(&new).unwrap(), expected);
        let replaces = NewMemory { supersedes: Some("x".to_owned()), ..new };
        assert!(other.attributed(&replaces).is_err());
    }
}
