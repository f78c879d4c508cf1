//! Who runs a command or an operation.

use quipu_engine::caller::{self, Actor, Caller, Channel, Permission};

use crate::output;

/// Who runs a command. Found out once: by the terminal and the environment of this process, or by the door of a
/// server. No argument of a command changes it.
#[derive(Clone, Debug)]
pub(crate) struct Identity {
    permission: Permission,
    channel: Channel,
    is_person: bool,
    /// The agent's name, or the person's where it is known.
    name: Option<String>,
}

impl Identity {
    /// Returns who started this process.
    pub(crate) fn local() -> Self {
        let variable = |name: &str| std::env::var(name).ok();
        let agent = caller::started_by_agent(output::is_terminal(), variable);
        let is_person = agent.is_none();
        let name = agent.or_else(|| variable("QUIPU_USER").filter(|name| !name.trim().is_empty()));
        Self { permission: Permission::Admin, channel: Channel::Main, is_person, name }
    }

    /// Returns who calls through a server.
    pub(crate) fn remote(caller: &quipu_server::Caller) -> Self {
        let (permission, channel) = (permission(caller), channel(caller));
        let said = caller.agent.as_deref();
        // A person need not have a name, an agent does.
        let said = if caller.is_person { said } else { said.or(Some("agent")) };
        let name = said.map(caller::agent_name);
        Self { permission, channel, is_person: caller.is_person, name }
    }

    /// Returns the same as who comes through a server, for whom a browser of theirs signs in.
    pub(crate) fn at_the_door(&self) -> quipu_server::Caller {
        // A page has nowhere to ask who confirmed something, so the name of the account has to do.
        let account = || ["USER", "USERNAME"].iter().find_map(|name| std::env::var(name).ok());
        quipu_server::Caller {
            // What a person may do by a command, they may do on the page.
            scope: if self.is_person {
                quipu_server::Scope::Admin
            } else {
                quipu_server::Scope::Write
            },
            channel: quipu_server::Channel::Main,
            agent: self.name.clone().or_else(account),
            is_local: true,
            is_person: self.is_person,
            space: None,
        }
    }

    /// Returns the same for the engine.
    pub(crate) fn caller(&self) -> Caller<'_> {
        let actor = match (self.is_person, self.name.as_deref()) {
            (true, name) => Actor::Person(name),
            (false, name) => Actor::Agent(name.unwrap_or("agent")),
        };
        Caller { permission: self.permission, channel: self.channel, actor }
    }
}

/// What somebody who calls through a server may do.
pub(crate) fn permission(caller: &quipu_server::Caller) -> Permission {
    match caller.scope {
        quipu_server::Scope::Read => Permission::Read,
        quipu_server::Scope::Write => Permission::Write,
        quipu_server::Scope::Admin => Permission::Admin,
    }
}

/// Where somebody who calls through a server speaks from.
pub(crate) fn channel(caller: &quipu_server::Caller) -> Channel {
    match caller.channel {
        quipu_server::Channel::Main => Channel::Main,
        quipu_server::Channel::Heartbeat => Channel::Heartbeat,
        quipu_server::Channel::Other => Channel::Other,
    }
}
