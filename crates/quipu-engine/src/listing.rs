//! Everything that is remembered, a page at a time, for people who look through it.

mod scopes;

use jiff::Timestamp;
use quipu_core::fact::TierLabel;
use quipu_core::item::{
    Item, Kind, Layer, ListOrder, MemoryType, Place, Scope, Sensitivity, Source, Status,
};
use quipu_core::text::ellipsis;
use quipu_store::{Filter, Store, label};
use schemars::JsonSchema;
use serde::Serialize;

pub use self::scopes::memories_of_scopes;
use crate::error::{Error, Failure};
use crate::index;
use crate::recall::scope_of;
use crate::workspace::Workspace;

/// The kinds that are listed by default.
const DEFAULT_KINDS: [Kind; 4] = [Kind::Record, Kind::Fact, Kind::Thread, Kind::Archived];

/// A longer text is cut in a list; `show` has all of it.
const LONGEST_TEXT: usize = 600;

/// Which memories to list.
#[derive(Clone, Debug, Default)]
pub struct MemoryQuery {
    /// Only these kinds; records, facts and threads where empty.
    pub kinds: Vec<Kind>,
    /// Only these statuses; active ones where empty.
    pub statuses: Vec<Status>,
    /// Only these layers.
    pub layers: Vec<Layer>,
    /// Only these types.
    pub types: Vec<MemoryType>,
    /// With all of these tags.
    pub tags: Vec<String>,
    /// Only of this category, or of this section of the facts.
    pub category: Option<String>,
    /// Only of this session.
    pub session: Option<String>,
    /// Only what is pinned.
    pub pinned: bool,
    /// That mention this name, or another name of the same entity.
    pub entity: Option<String>,
    /// Learned then or later.
    pub since: Option<Timestamp>,
    /// Learned before then.
    pub until: Option<Timestamp>,
    /// The order.
    pub order: ListOrder,
    /// How many.
    pub limit: usize,
    /// The cursor that the page before ended with.
    pub after: Option<String>,
}

/// A page of memories.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct MemoryPage {
    /// The memories.
    pub items: Vec<MemoryRow>,
    /// How many match, on all pages together.
    pub total: usize,
    /// What `after` takes for the page that follows; none on the last one.
    pub next: Option<String>,
}

/// A memory in a list.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct MemoryRow {
    /// Its id.
    pub id: String,
    /// Where it lives.
    pub kind: Kind,
    /// Who sees it.
    pub scope: Scope,
    /// Its words; long ones are cut.
    pub text: String,
    /// Whether its words go on.
    pub is_cut: bool,
    /// The headings above it.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub title: String,
    /// Whether it still holds.
    pub status: Status,
    /// How long it is meant to last.
    pub layer: Layer,
    /// What sort of statement it makes.
    #[serde(rename = "type")]
    pub memory_type: MemoryType,
    /// Where it was learned.
    pub source: Source,
    /// Who may see it.
    pub sensitivity: Sensitivity,
    /// Base importance, 0 to 1.
    pub importance: f32,
    /// Whether it comes first in every briefing.
    pub pinned: bool,
    /// A word for the sort of record, or a fact's section.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub category: String,
    /// When it was learned.
    pub time: Timestamp,
    /// The session it belongs to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// Who said it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub speaker: Option<String>,
    /// Words to find it by.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
    /// The file it is in, and the line.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub place: Option<Place>,
    /// The tier of a fact.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tier: Option<TierLabel>,
    /// What replaced it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub superseded_by: Option<String>,
}

impl From<Item> for MemoryRow {
    fn from(item: Item) -> Self {
        let text = ellipsis(&item.text, LONGEST_TEXT);
        Self {
            is_cut: text.len() < item.text.len(),
            text,
            id: item.id,
            scope: scope_of(item.kind),
            kind: item.kind,
            title: item.title,
            status: item.status,
            layer: item.layer,
            memory_type: item.memory_type,
            source: item.source,
            sensitivity: item.sensitivity,
            importance: item.importance,
            pinned: item.pinned,
            category: item.category,
            time: item.time,
            session: item.session,
            speaker: item.speaker,
            tags: item.tags,
            place: item.place,
            tier: item.tier,
            superseded_by: item.superseded_by,
        }
    }
}

/// Lists what is remembered, secrets apart.
///
/// # Errors
/// When the index cannot be used, or the cursor is none of ours.
pub fn memories(workspace: &Workspace, query: &MemoryQuery) -> Result<MemoryPage, Error> {
    index::freshen(workspace)?;
    let store = index::store(workspace)?;
    let filter = query.filter(&*store)?;
    let after = query.after.as_deref().map(Cursor::read).transpose()?;
    let (_, total) = store.newest(&filter, 0)?;
    let (found, skipped) = match query.order {
        ListOrder::Newest => newest_after(&*store, filter, after.as_ref(), query.limit)?,
        order => (sorted(&*store, &filter, order)?, None),
    };
    // Where the item that the page before ended with has gone, its place has to do.
    let begin = match (&after, skipped) {
        (Some(_), Some(skipped)) => skipped,
        (Some(cursor), None) => {
            let known = found.iter().position(|item| item.id == cursor.id);
            known.map_or(cursor.place, |at| at + 1)
        }
        (None, _) => 0,
    };
    let mut items: Vec<Item> = found.into_iter().skip(begin).take(query.limit + 1).collect();
    let has_more = items.len() > query.limit;
    items.truncate(query.limit);
    let next = items.last().filter(|_| has_more).map(|last| {
        let second = last.time.as_second();
        let place = match query.order {
            ListOrder::Newest => {
                let goes_on = after.as_ref().is_some_and(|cursor| cursor.second == second);
                let here = items.iter().filter(|item| item.time.as_second() == second).count();
                if goes_on { begin + here } else { here }
            }
            _ => begin + items.len(),
        };
        Cursor { second, place, id: last.id.clone() }.text()
    });
    Ok(MemoryPage { items: items.into_iter().map(MemoryRow::from).collect(), total, next })
}

/// A text that is not the end of a page.
#[derive(Debug, thiserror::Error)]
#[error("`{text}` is not a cursor")]
pub struct CursorError {
    /// The text.
    pub text: String,
}

impl Failure for CursorError {
    fn code(&self) -> &'static str {
        "cursor"
    }

    fn hint(&self) -> Option<String> {
        Some("give `after` what the page before has in `next`, as it is".to_owned())
    }
}

/// Where a page ended.
struct Cursor {
    /// The time of its last item.
    second: i64,
    /// The place of the next item: among those of that second, or in the whole list.
    place: usize,
    /// Its last item.
    id: String,
}

impl Cursor {
    fn read(text: &str) -> Result<Self, CursorError> {
        let mut parts = text.splitn(3, '~');
        let mut part = || parts.next().unwrap_or_default();
        let (second, place, id) = (part().parse(), part().parse(), part().to_owned());
        match (second, place) {
            (Ok(second), Ok(place)) if !id.is_empty() => Ok(Self { second, place, id }),
            _ => Err(CursorError { text: text.to_owned() }),
        }
    }

    fn text(&self) -> String {
        format!("{}~{}~{}", self.second, self.place, self.id)
    }
}

/// Returns the newest items from the second on in which a page ended, and how many of them that page and
/// those before it had.
fn newest_after(
    store: &dyn Store,
    mut filter: Filter,
    after: Option<&Cursor>,
    limit: usize,
) -> Result<(Vec<Item>, Option<usize>), Error> {
    let Some(cursor) = after else {
        return Ok((store.newest(&filter, limit + 1)?.0, None));
    };
    let end = Timestamp::from_second(cursor.second.saturating_add(1)).ok();
    filter.until = match (filter.until, end) {
        (Some(until), Some(end)) => Some(until.min(end)),
        (until, end) => until.or(end),
    };
    let mut most = cursor.place + limit + 1;
    loop {
        let (found, count) = store.newest(&filter, most)?;
        let is_there = |item: &Item| item.time.as_second() == cursor.second;
        let known = found.iter().position(|item| item.id == cursor.id);
        let begin = known.map_or(cursor.place, |at| at + 1);
        // Others of that second may have come in before it.
        if known.is_some() && found.len() < count && found.len() < begin + limit + 1 {
            most = begin + limit + 1;
            continue;
        }
        if known.is_none() && found.len() < count && found.iter().all(is_there) {
            most *= 2;
            continue;
        }
        let there = found.iter().filter(|item| is_there(item)).count();
        return Ok((found, Some(if known.is_some() { begin } else { begin.min(there) })));
    }
}

/// Returns all items that a filter lets through, in an order other than the index's own.
fn sorted(store: &dyn Store, filter: &Filter, order: ListOrder) -> Result<Vec<Item>, Error> {
    let (mut found, _) = store.newest(filter, usize::MAX)?;
    match order {
        ListOrder::Newest => {}
        ListOrder::Oldest => found.reverse(),
        ListOrder::Important => found.sort_by(|a, b| b.importance.total_cmp(&a.importance)),
    }
    Ok(found)
}

impl MemoryQuery {
    fn filter(&self, store: &dyn Store) -> Result<Filter, Error> {
        let mut kinds = self.kinds.clone();
        if kinds.is_empty() {
            kinds.extend(DEFAULT_KINDS);
        }
        let mut statuses = self.statuses.clone();
        if statuses.is_empty() {
            statuses.push(Status::Active);
        }
        let mut labels = Vec::new();
        labels.extend(self.session.as_deref().map(|name| vec![label::session(name)]));
        labels.extend(self.category.as_deref().map(|name| vec![label::category(name)]));
        labels.extend(self.tags.iter().map(|tag| vec![label::tag(tag)]));
        labels.extend(self.pinned.then(|| vec![label::pinned()]));
        if let Some(name) = &self.entity {
            let names = store.aliases()?.group(name);
            labels.push(names.iter().map(|name| label::entity(name)).collect());
        }
        Ok(Filter {
            kinds,
            statuses,
            layers: self.layers.clone(),
            types: self.types.clone(),
            since: self.since,
            until: self.until,
            labels,
            ..Filter::default()
        })
    }
}
