//! `quipu list`: everything that is remembered.

use jiff::civil::Date;
use jiff::tz::TimeZone;
use quipu_core::item::{Kind, Scope, Status};
use quipu_core::text::{self, counted};
use quipu_engine::listing::{MemoryPage, MemoryRow};
use quipu_engine::operations::MemoryList;

use crate::context::Context;
use crate::layout;
use crate::reply::Reply;
use crate::spoken::Spoken;

/// A longer text is cut in a list; `show` has all of it.
const LONGEST: usize = 240;

impl Spoken for MemoryList {
    fn say(&self, page: &MemoryPage, context: &Context) -> Reply {
        if page.items.is_empty() {
            let advice = if self.status.is_empty() {
                "`quipu list --status archived` lists what was put away, `quipu remember` adds something"
            } else {
                "`quipu list` lists what holds"
            };
            return Reply::words("nothing matches\n").advise(advice);
        }
        let mut listed = String::new();
        for row in &page.items {
            layout::entry(&mut listed, &words(row), &standing(row, context.today()));
        }
        let all = counted(page.total, "memory");
        let advice = match &page.next {
            Some(next) => {
                format!("{} of {all}; `--after '{next}'` goes on", page.items.len())
            }
            None => format!("{all} in all"),
        };
        Reply::words(listed).advise(advice)
    }
}

fn words(row: &MemoryRow) -> String {
    let short = text::ellipsis(&text::collapse_whitespace(&row.text), LONGEST);
    if row.is_cut && !short.ends_with('…') { format!("{short} …") } else { short }
}

fn standing(row: &MemoryRow, today: Date) -> Vec<String> {
    let mut about = vec![row.id.clone()];
    // Most are records, and a fact has a tier.
    match (row.kind, &row.tier) {
        (Kind::Record, _) => {}
        (kind, Some(tier)) => about.push(format!("{kind}, {}", tier.as_str())),
        (kind, None) => about.push(kind.to_string()),
    }
    if row.scope == Scope::User {
        about.push("yours in every project".to_owned());
    }
    if !row.category.is_empty() {
        about.push(row.category.clone());
    }
    about.extend(row.tags.iter().map(|tag| format!("#{tag}")));
    if row.pinned {
        about.push("pinned".to_owned());
    }
    if row.status != Status::Active {
        about.push(row.status.to_string());
    }
    about.push(day(row.time.to_zoned(TimeZone::UTC).date(), today));
    about
}

/// Returns a day as people say it.
fn day(day: Date, today: Date) -> String {
    match today.since(day).map(|span| span.get_days()) {
        Ok(0) => "today".to_owned(),
        Ok(1) => "yesterday".to_owned(),
        _ => day.to_string(),
    }
}
