//! What people say in a year: projects, facts in several wordings, happenings, preferences.

/// Projects are called like this.
pub(super) const PROJECTS: [&str; 14] = [
    "Kestrel", "Marlin", "Juniper", "Basalt", "Orchid", "Falcon", "Tundra", "Saffron", "Lantern",
    "Quarry", "Willow", "Cobalt", "Harbor", "Meadow",
];

/// People who speak, own things and are met.
pub(super) const PEOPLE: [&str; 10] =
    ["Ada", "Grace", "Linus", "Maria", "Otto", "Paul", "Rosa", "Vera", "Yuki", "Omar"];

/// A sort of fact that every project may have.
pub(super) struct FactKind {
    /// How it is told; `{p}` is the project, `{v}` the value.
    pub(super) told: &'static [&'static str],
    /// How it is asked for.
    pub(super) asked: &'static [&'static str],
    /// Its possible values.
    pub(super) values: &'static [&'static str],
    /// The category that a careful writer gives it.
    pub(super) category: &'static str,
}

/// The sorts of facts.
pub(super) const FACTS: [FactKind; 14] = [
    FactKind {
        told: &[
            "The {p} API listens on port {v}",
            "{p} answers on port {v} now",
            "Port {v} is where the API of {p} listens",
            "Use port {v} to reach the {p} API",
        ],
        asked: &["Which port does the {p} API listen on?", "what is the port of {p}"],
        values: &["8080", "9090", "7443", "8181", "5000", "6060", "8443", "3001"],
        category: "learned",
    },
    FactKind {
        told: &[
            "{v} owns {p}",
            "The owner of {p} is {v}",
            "{v} is responsible for {p} from now on",
            "Ask {v} about {p}, it is hers to decide",
        ],
        asked: &["Who owns {p}?", "who is responsible for {p}"],
        values: &PEOPLE,
        category: "learned",
    },
    FactKind {
        told: &[
            "The deadline of {p} is {v}",
            "{p} has to be delivered by {v}",
            "The customer expects {p} on {v}",
        ],
        asked: &["When is the deadline of {p}?", "by which day must {p} be delivered"],
        values: &[
            "14 March",
            "2 April",
            "30 May",
            "19 June",
            "7 August",
            "21 September",
            "3 November",
            "12 December",
        ],
        category: "learned",
    },
    FactKind {
        told: &[
            "{p} is built with Rust {v}",
            "The compiler of {p} is Rust {v}",
            "{p} went to Rust {v}",
            "For {p} we build on Rust {v}",
        ],
        asked: &["Which Rust version is {p} built with?", "what compiler version does {p} need"],
        values: &["1.81", "1.83", "1.85", "1.88", "1.90", "1.92", "1.95"],
        category: "learned",
    },
    FactKind {
        told: &[
            "Branches of {p} are named {v}",
            "In {p} a branch is called {v}",
            "Name a branch of {p} like {v}",
        ],
        asked: &["How are branches named in {p}?", "branch naming convention of {p}"],
        values: &["feature/topic", "user/topic", "ticket-number", "topic-date", "team/topic"],
        category: "convention",
    },
    FactKind {
        told: &[
            "{p} keeps its data in {v}",
            "The database of {p} is {v}",
            "{v} is the database behind {p}",
            "{p} stores everything in {v}",
        ],
        asked: &["Which database does {p} use?", "where does {p} keep its data"],
        values: &["PostgreSQL", "SQLite", "MySQL", "CockroachDB", "DynamoDB", "MongoDB"],
        category: "learned",
    },
    FactKind {
        told: &[
            "{p} runs in the region {v}",
            "The servers of {p} stand in {v}",
            "We host {p} in {v}",
        ],
        asked: &["In which region does {p} run?", "where is {p} hosted"],
        values: &["Frankfurt", "Dublin", "Stockholm", "Paris", "Zurich", "Milan"],
        category: "fact",
    },
    FactKind {
        told: &[
            "Requests of {p} time out after {v} seconds",
            "The request timeout of {p} is {v} seconds",
            "{p} gives up on a request after {v} seconds",
        ],
        asked: &["After how many seconds do requests of {p} time out?", "request timeout of {p}"],
        values: &["5", "10", "15", "20", "30", "45", "60", "90"],
        category: "learned",
    },
    FactKind {
        told: &[
            "A change to {p} needs {v} approvals",
            "Merging into {p} takes {v} approvals",
            "{p} wants {v} approvals before a merge",
        ],
        asked: &["How many approvals does a change to {p} need?", "approvals for merging into {p}"],
        values: &["1", "2", "3", "4"],
        category: "convention",
    },
    FactKind {
        told: &[
            "The nightly export of {p} starts at {v}",
            "{p} exports its data at {v} every night",
            "At {v} the export of {p} begins",
        ],
        asked: &["When does the nightly export of {p} start?", "what time is the {p} export"],
        values: &["01:00", "02:30", "03:15", "04:00", "05:45", "23:30"],
        category: "learned",
    },
    FactKind {
        told: &[
            "{p} is tested on {v}",
            "The tests of {p} run on {v}",
            "{v} runs the continuous integration of {p}",
        ],
        asked: &["Which service runs the tests of {p}?", "continuous integration of {p}"],
        values: &["Buildkite", "Jenkins", "CircleCI", "Woodpecker", "Drone", "Travis"],
        category: "learned",
    },
    FactKind {
        told: &[
            "Questions about {p} go to the channel {v}",
            "The chat channel of {p} is {v}",
            "People of {p} talk in {v}",
        ],
        asked: &["Which chat channel is for {p}?", "where to ask questions about {p}"],
        values: &["#core", "#platform", "#delivery", "#backstage", "#workshop", "#bridge"],
        category: "learned",
    },
    FactKind {
        told: &[
            "Logs of {p} are kept for {v} days",
            "{p} deletes its logs after {v} days",
            "The log retention of {p} is {v} days",
        ],
        asked: &["How long are the logs of {p} kept?", "log retention of {p}"],
        values: &["7", "14", "30", "60", "90", "180"],
        category: "decision",
    },
    FactKind {
        told: &[
            "{p} releases every {v}",
            "The release day of {p} is {v}",
            "A release of {p} goes out each {v}",
        ],
        asked: &["On which day is {p} released?", "release day of {p}"],
        values: &["Monday", "Tuesday", "Wednesday", "Thursday"],
        category: "convention",
    },
];

/// What happens and nobody needs again; `{p}` is a project, `{n}` a number, `{w}` somebody, `{t}` a
/// thing.
pub(super) const HAPPENINGS: [&str; 16] = [
    "Deployed {p} build {n} to staging",
    "Deployed {p} build {n} to production",
    "The nightly build of {p} failed in run {n}",
    "Met {w} about {p}, we talked about the {t}",
    "{w} looked at the {t} of {p} and found nothing",
    "Restarted the {t} of {p} after it hung",
    "Ticket {n} of {p} was closed by {w}",
    "Now working on ticket {n} of {p}",
    "{w} asked when the {t} of {p} is done",
    "The {t} of {p} was slow this morning",
    "Reviewed the change of {w} to the {t} of {p}",
    "Rebased the branch for ticket {n} of {p}",
    "A customer wrote about the {t} of {p}",
    "{p} standup was short, {w} was away",
    "Tried another approach for the {t} of {p} and dropped it",
    "Wrote a test for the {t} of {p}",
];

/// What happens in a bad week.
pub(super) const TROUBLE: [&str; 6] = [
    "The {t} of {p} is down, {w} is looking into it",
    "{p} lost its connection to the {t} again",
    "Alert {n}: error rate of {p} above five percent",
    "Rolled {p} back to build {n}",
    "{w} restarted the {t} of {p}, errors went on",
    "Alert {n} of {p} was resolved by {w}",
];

/// Parts of a project.
pub(super) const THINGS: [&str; 10] = [
    "importer",
    "search page",
    "billing run",
    "login",
    "mobile app",
    "queue",
    "cache",
    "report generator",
    "scheduler",
    "webhook handler",
];

/// What the user prefers, in two wordings.
pub(super) const PREFERENCES: [[&str; 2]; 12] = [
    ["I prefer short answers without introduction", "Keep answers short, no introductions please"],
    ["I like tabs better than spaces in my own scripts", "In my scripts please use tabs"],
    ["Write commit messages in the imperative", "Commit messages should be in the imperative mood"],
    ["I read mail only in the morning", "Mail is something that I read in the morning only"],
    [
        "Never schedule meetings for me on Friday afternoon",
        "No meetings on Friday afternoons for me",
    ],
    ["I want diffs, not whole files, when code changes", "Show me diffs instead of whole files"],
    ["Dates are to be written day first", "Write the day first in dates"],
    ["I am vegetarian, think of it when you order lunch", "When ordering lunch: I eat no meat"],
    [
        "Please explain shell commands before you run them",
        "Explain a shell command before running it",
    ],
    ["I work from Lisbon, so use that time zone", "My time zone is that of Lisbon"],
    ["Call me Sam, not Samuel", "My name is Sam, nobody calls me Samuel"],
    ["Dark themes hurt my eyes, use light ones", "Please use light themes, dark ones hurt my eyes"],
];

/// What was pinned.
pub(super) const PINS: [&str; 4] = [
    "Never push to a main branch without asking",
    "Customer data must not leave the production network",
    "The emergency number of the hosting company is in the blue folder",
    "Invoices are sent by accounting and by nobody else",
];

/// How the preferences are asked for, in their order.
pub(super) const ASKED_PREFERENCES: [&str; 12] = [
    "How long should answers be?",
    "tabs or spaces in scripts",
    "how to write commit messages",
    "when is mail read",
    "when must no meetings be scheduled",
    "diffs or whole files",
    "how to write dates",
    "what to order for lunch",
    "should shell commands be explained",
    "which time zone does the user work in",
    "what is the user called",
    "light or dark theme",
];
