//! One list of a project's memory and the user's own.

use std::cmp::Ordering;

use quipu_core::item::{ListOrder, Scope};

use super::{DEFAULT_KINDS, MemoryPage, MemoryQuery, MemoryRow, memories};
use crate::error::Error;
use crate::recall::scope_of;
use crate::workspace::Workspace;

/// A cursor that has not begun, and one that has ended.
const START: &str = "-";
const END: &str = ".";

/// Lists a project's memory and, unless a scope is named, the user's own beside it.
///
/// # Errors
/// When an index cannot be used, or the cursor is none of ours.
pub fn memories_of_scopes(
    workspace: &Workspace,
    query: &MemoryQuery,
    scope: Option<Scope>,
) -> Result<MemoryPage, Error> {
    if workspace.is_user_scope() {
        return memories_of(workspace, query, Scope::User);
    }
    if let Some(scope) = scope {
        let mut query = query.clone();
        if query.kinds.is_empty() {
            query.kinds.extend(DEFAULT_KINDS);
        }
        query.kinds.retain(|kind| scope_of(*kind) == scope);
        let is_empty = query.kinds.is_empty();
        let none = MemoryPage { items: Vec::new(), total: 0, next: None };
        return if is_empty { Ok(none) } else { memories(workspace, &query) };
    }
    let Some(user) = workspace.user_scope()? else { return memories(workspace, query) };
    let after = query.after.as_deref().unwrap_or("-|-");
    // A cursor of a project alone goes on in the project alone.
    let (here, own) = after.split_once('|').unwrap_or((after, END));
    let mut here = Part::begin(workspace, query, here, Scope::Project)?;
    let mut own = Part::begin(user, query, own, Scope::User)?;
    let mut items = Vec::new();
    while items.len() < query.limit {
        let next = match (here.rest.first(), own.rest.first()) {
            (Some(a), Some(b)) if order(a, b, query.order) == Ordering::Greater => own.take(),
            (Some(_), _) => here.take(),
            (None, _) => own.take(),
        };
        let Some(next) = next else { break };
        items.push(next);
    }
    let total = here.total + own.total;
    let (here, own) = (here.cursor(query)?, own.cursor(query)?);
    let next = (here != END || own != END).then(|| format!("{here}|{own}"));
    Ok(MemoryPage { items, total, next })
}

fn memories_of(
    workspace: &Workspace,
    query: &MemoryQuery,
    scope: Scope,
) -> Result<MemoryPage, Error> {
    let mut page = memories(workspace, query)?;
    if scope == Scope::User {
        page.items.iter_mut().for_each(|row| row.scope = scope);
    }
    Ok(page)
}

fn order(a: &MemoryRow, b: &MemoryRow, order: ListOrder) -> Ordering {
    match order {
        ListOrder::Newest => b.time.cmp(&a.time),
        ListOrder::Oldest => a.time.cmp(&b.time),
        ListOrder::Important => b.importance.total_cmp(&a.importance),
    }
}

/// What one memory gives to a page of two.
struct Part<'w> {
    workspace: &'w Workspace,
    /// Where its own page begins.
    after: String,
    rest: Vec<MemoryRow>,
    taken: usize,
    total: usize,
    /// Where its own page ended.
    next: Option<String>,
}

impl<'w> Part<'w> {
    fn begin(
        workspace: &'w Workspace,
        query: &MemoryQuery,
        after: &str,
        scope: Scope,
    ) -> Result<Self, Error> {
        // How many there are is asked for even where all of them were listed.
        let page = memories_of(workspace, &from(query, after, query.limit), scope)?;
        let rest = if after == END { Vec::new() } else { page.items };
        let (after, total, next) = (after.to_owned(), page.total, page.next);
        Ok(Self { workspace, after, rest, taken: 0, total, next })
    }

    fn take(&mut self) -> Option<MemoryRow> {
        if self.rest.is_empty() {
            return None;
        }
        self.taken += 1;
        Some(self.rest.remove(0))
    }

    /// Returns where the next page of it begins.
    fn cursor(self, query: &MemoryQuery) -> Result<String, Error> {
        if self.after == END {
            return Ok(self.after);
        }
        let next = match (self.taken, self.rest.len()) {
            (0, 1..) => return Ok(self.after),
            (_, 0) => self.next,
            (taken, _) => memories(self.workspace, &from(query, &self.after, taken))?.next,
        };
        Ok(next.unwrap_or_else(|| END.to_owned()))
    }
}

fn from(query: &MemoryQuery, after: &str, limit: usize) -> MemoryQuery {
    let is_place = after != START && after != END;
    MemoryQuery { after: is_place.then(|| after.to_owned()), limit, ..query.clone() }
}
