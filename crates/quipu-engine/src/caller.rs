//! Who acts. Each way into Quipu (command line, MCP, HTTP, hooks) works out who the caller is, once, by what it
//! is and not by what it says; operations receive the [`Caller`] with their request.
//!
//! On the command line this keeps honest agents honest: a program that runs as the user can pretend to be the
//! user. For callers with a token of the channel `other` it is a boundary (`tests/twins.rs` in `quipu-cli`).

use quipu_core::secret::{self, Scope};
use quipu_core::text;

pub use quipu_core::item::Channel;

use crate::refusal::Refusal;

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
    pub fn signature(&self, said: Option<&str>) -> Result<String, Refusal> {
        let said = said.filter(|name| !name.trim().is_empty());
        match (self.actor, said) {
            (Actor::Person(name), said) => Ok(said.or(name).unwrap_or(OPERATOR).to_owned()),
            (Actor::Agent(name), None) => Ok(name.to_owned()),
            (Actor::Agent(name), Some(said)) if said == name => Ok(name.to_owned()),
            (Actor::Agent(name), Some(said)) => {
                let said = secret::redacted(said, Scope::Credentials);
                Err(Refusal::NotThem { said, agent: name.to_owned() })
            }
        }
    }

    /// Refuses what only a person can do.
    ///
    /// # Errors
    /// When an agent asks for it.
    pub fn must_be_person(&self, what: &'static str) -> Result<(), Refusal> {
        match self.actor {
            Actor::Person(_) => Ok(()),
            Actor::Agent(agent) => Err(Refusal::NotAPerson { what, agent: agent.to_owned() }),
        }
    }

    /// Returns the channel that a record or decision came through, where that is not the user's terminal.
    pub(crate) fn recorded_as(&self) -> Option<&'a str> {
        match self.actor {
            Actor::Person(_) => None,
            Actor::Agent(name) => Some(name),
        }
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
}
