//! Where operations are found in the REST API. Whatever is not in this table is reached by its name:
//! `POST /commands/{operation}`.

use quipu_engine::operation::registry::Entry;
use quipu_engine::operations;

/// A place where an operation is found.
#[derive(Debug)]
pub(in crate::served) struct Route {
    pub(super) method: &'static str,
    /// The parts of the path, of which `{name}` stands for a value.
    pub(super) path: &'static str,
    /// The operation.
    pub(super) operation: &'static str,
    /// Arguments that the operation calls something else: what they are here, and there.
    pub(super) names: &'static [(&'static str, &'static str)],
    /// Flags that are always set.
    pub(super) flags: &'static [&'static str],
    /// How an answer that is a list becomes a page.
    pub(super) list: Option<List>,
    /// Whether it makes something, and where that is found.
    pub(super) makes: Option<&'static str>,
    /// Whether the answer has a version.
    pub(super) has_version: bool,
}

/// How an answer becomes a page.
#[derive(Clone, Copy, Debug)]
pub(super) enum List {
    /// The operation makes pages itself: it takes `limit` and `after`, and answers `items` and `next`.
    Native,
    /// The operation answers everything: this field is the list.
    Field(&'static str),
    /// The same, and this argument says how many to answer.
    Limited(&'static str, &'static str),
}

impl Route {
    pub(super) const fn new(
        method: &'static str,
        path: &'static str,
        operation: &'static str,
    ) -> Self {
        let (names, flags) = (&[], &[]);
        Self { method, path, operation, names, flags, list: None, makes: None, has_version: false }
    }

    const fn named(mut self, names: &'static [(&'static str, &'static str)]) -> Self {
        self.names = names;
        self
    }

    const fn set(mut self, flags: &'static [&'static str]) -> Self {
        self.flags = flags;
        self
    }

    const fn list(mut self, list: List) -> Self {
        self.list = Some(list);
        self
    }

    const fn makes(mut self, place: &'static str) -> Self {
        self.makes = Some(place);
        self
    }

    const fn version(mut self) -> Self {
        self.has_version = true;
        self
    }

    /// Returns the operation.
    pub(super) fn entry(&self) -> Option<&'static Entry> {
        operations::named(self.operation)
    }

    /// Returns the values in a path, where it is one of these.
    pub(super) fn matches(&self, path: &[String]) -> Option<Vec<(&'static str, String)>> {
        let parts: Vec<&'static str> = self.path.split('/').skip(1).collect();
        if parts.len() != path.len() {
            return None;
        }
        let mut values = Vec::new();
        for (part, said) in parts.into_iter().zip(path) {
            match name_of(part) {
                Some(_) if said.is_empty() => return None,
                Some(name) => values.push((name, said.clone())),
                None if part == said => {}
                None => return None,
            }
        }
        Some(values)
    }

    /// Returns the names of the values in the path.
    pub(super) fn values(&self) -> impl Iterator<Item = &'static str> {
        self.path.split('/').filter_map(name_of)
    }

    /// Tells whether a caller may say what an argument of the operation is: the path and the place say others, and
    /// how many items a page has is said in another way.
    pub(super) fn is_free(&self, field: &str) -> bool {
        let is_in_path = self.values().any(|value| self.field(value) == field);
        let is_count = matches!(self.list, Some(List::Limited(_, count)) if count == field);
        !is_in_path && !is_count && !self.flags.contains(&field)
    }

    /// Returns what an argument is called here.
    pub(super) fn said<'a>(&'a self, field: &'a str) -> &'a str {
        self.names.iter().find(|(_, there)| *there == field).map_or(field, |(here, _)| *here)
    }

    /// Returns what the operation calls an argument.
    pub(super) fn field<'a>(&self, said: &'a str) -> &'a str {
        self.names.iter().find(|(here, _)| *here == said).map_or(said, |(_, there)| *there)
    }
}

fn name_of(part: &'static str) -> Option<&'static str> {
    part.strip_prefix('{')?.strip_suffix('}')
}

const fn get(path: &'static str, operation: &'static str) -> Route {
    Route::new("GET", path, operation)
}

const fn post(path: &'static str, operation: &'static str) -> Route {
    Route::new("POST", path, operation)
}

const fn put(path: &'static str, operation: &'static str) -> Route {
    Route::new("PUT", path, operation)
}

const fn patch(path: &'static str, operation: &'static str) -> Route {
    Route::new("PATCH", path, operation)
}

const fn delete(path: &'static str, operation: &'static str) -> Route {
    Route::new("DELETE", path, operation)
}

use List::{Field, Limited, Native};

/// Every place, in the order of the reference. The first that fits counts.
pub(in crate::served) static ROUTES: &[Route] = &[
    get("/status", "status"),
    get("/stats", "stats"),
    get("/lint", "lint").list(Field("findings")),
    get("/brief", "brief"),
    get("/user", "user.show").version(),
    put("/user", "user.edit"),
    get("/recall", "recall").named(&[("q", "query"), ("limit", "count"), ("tag", "tags")]),
    post("/recall", "recall").named(&[("q", "query"), ("limit", "count"), ("tag", "tags")]),
    get("/memories", "memory.list").list(Native),
    post("/memories", "remember").makes("/memories"),
    get("/memories/{id}", "show").version(),
    patch("/memories/{id}", "edit"),
    delete("/memories/{id}", "forget"),
    get("/memories/{id}/why", "why"),
    get("/memories/{id}/curve", "curve"),
    get("/memories/{id}/history", "history").list(Field("entries")),
    get("/memories/{id}/similar", "memory.similar").list(Limited("results", "count")),
    post("/memories/{id}/uses", "memory.use"),
    post("/memories/{id}/status", "memory.status"),
    post("/memories/{id}/promote", "memory.promote"),
    post("/memories/{id}/demote", "memory.demote"),
    post("/memories/{id}/pin", "memory.pin"),
    post("/memories/{id}/unpin", "memory.unpin"),
    post("/memories/{id}/confirm", "memory.confirm"),
    post("/memories/{id}/challenge", "memory.challenge"),
    post("/memories/{id}/invalidate", "memory.invalidate"),
    post("/memories/{id}/restore", "restore"),
    post("/memories/{id}/tag", "memory.tag"),
    post("/memories/{id}/link", "memory.link"),
    post("/memories/{id}/annotate", "memory.annotate"),
    post("/memories/{id}/merge", "memory.merge").named(&[("id", "ids")]),
    post("/memories/{id}/unmerge", "memory.unmerge"),
    post("/memories/{id}/share", "share"),
    post("/memories/{id}/unshare", "unshare"),
    post("/memories/{id}/purge", "purge"),
    get("/facts", "fact.list").named(&[("q", "words")]).list(Field("facts")),
    post("/facts", "fact.add").makes("/memories"),
    post("/facts/{id}/supersede", "fact.supersede").named(&[("id", "old"), ("by", "new")]),
    post("/facts/{id}/core", "fact.core"),
    post("/facts/{id}/tier", "fact.tier"),
    post("/facts/{id}/archive", "fact.archive").named(&[("id", "ids")]),
    post("/facts/{id}/reactivate", "fact.reactivate").named(&[("id", "ids")]),
    get("/cords", "fact.cords").named(&[("q", "words")]),
    get("/threads", "thread.list").named(&[("q", "words")]).list(Field("threads")),
    post("/threads", "thread.open").makes("/memories"),
    post("/threads/{id}/close", "thread.close"),
    post("/threads/{id}/reopen", "thread.close").set(&["reopen"]),
    get("/sessions", "session.list").list(Limited("logs", "limit")),
    post("/sessions", "session.start").makes("/sessions"),
    get("/sessions/{id}", "session.show"),
    post("/sessions/{session}/notes", "session.note"),
    post("/sessions/{session}/end", "session.end"),
    get("/questions", "questions").list(Field("questions")),
    post("/questions/{id}/answer", "answer"),
    delete("/questions/{id}/answer", "answer").set(&["undo"]),
    get("/review", "review").set(&["dry_run"]),
    post("/review", "review"),
    get("/invariants", "verify").list(Field("invariants")),
    post("/invariants/confirm", "verify"),
    get("/dreams", "dream").set(&["list"]).list(Field("dreams")),
    post("/dreams", "dream"),
    get("/dreams/plan", "dream").set(&["dry_run"]),
    delete("/dreams/{run}", "dream").named(&[("run", "undo")]),
    post("/scan", "scan"),
    post("/replay", "replay"),
    get("/drift", "drift").list(Field("findings")),
    post("/drift/fix", "drift").set(&["fix"]),
    get("/entities", "entity.list").named(&[("q", "words")]).list(Limited("entities", "count")),
    get("/entities/{name}", "entity.show").list(Limited("items", "count")),
    get("/entities/{name}/timeline", "entity.timeline").list(Limited("items", "count")),
    get("/entities/{name}/graph", "entity.graph"),
    post("/entities/{name}/aliases", "entity.alias"),
    delete("/entities/{name}/aliases/{alias}", "entity.alias").set(&["remove"]),
    post("/entities/{name}/merge", "entity.merge").named(&[("name", "from")]),
    get("/graph", "entity.map").named(&[("limit", "count")]),
    get("/journal", "journal.list").list(Field("records")),
    get("/journal/{id}", "journal.show"),
    get("/experiences", "experiences.list").list(Limited("experiences", "limit")),
    get("/timeline", "timeline").list(Native),
    get("/changes", "undo").set(&["list"]).list(Limited("history", "limit")),
    post("/changes/{id}/undo", "undo").named(&[("id", "change")]),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_place_is_of_an_operation_that_takes_what_it_names() {
        for route in ROUTES {
            let entry = route.entry().unwrap_or_else(|| panic!("{}", route.operation));
            let takes = |field: &str| entry.input["properties"].get(field).is_some();
            for value in route.values().filter(|value| *value != "session") {
                assert!(takes(route.field(value)), "{} {} {value}", route.path, route.operation);
            }
            for flag in route.flags {
                assert!(takes(flag), "{} {} {flag}", route.path, route.operation);
            }
            if let Some(Limited(_, limit)) = route.list {
                assert!(takes(limit), "{} {limit}", route.path);
            }
        }
    }

    #[test]
    fn no_place_is_there_twice() {
        for (at, route) in ROUTES.iter().enumerate() {
            let is_same = |other: &&Route| {
                other.method == route.method
                    && other.path.split('/').map(name_of).eq(route.path.split('/').map(name_of))
                    && other
                        .path
                        .split('/')
                        .zip(route.path.split('/'))
                        .all(|(a, b)| a == b || (name_of(a).is_some() && name_of(b).is_some()))
            };
            let twin = ROUTES[at + 1..].iter().find(is_same);
            assert!(twin.is_none(), "{} {}", route.method, route.path);
        }
    }

    #[test]
    fn a_path_is_matched_part_by_part() {
        let route = &get("/entities/{name}/graph", "entity.graph");
        let path = |text: &str| text.split('/').map(str::to_owned).collect::<Vec<_>>();
        assert_eq!(
            route.matches(&path("entities/ada/graph")),
            Some(vec![("name", "ada".to_owned())])
        );
        for other in ["entities", "entities/ada", "entities//graph", "entities/ada/graph/"] {
            assert_eq!(route.matches(&path(other)), None, "{other}");
        }
    }
}
