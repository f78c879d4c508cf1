//! `quipu memory list`.

use quipu_core::text;
use quipu_engine::listing::MemoryPage;
use quipu_engine::operations::MemoryList;

use crate::context::Context;
use crate::reply::{self, Reply};
use crate::spoken::Spoken;

impl Spoken for MemoryList {
    fn say(&self, page: &MemoryPage, _: &Context) -> Reply {
        if page.items.is_empty() {
            let advice = "`--status` and `--kind` list what else there is";
            return Reply::words("nothing matches\n").advise(advice);
        }
        let row = |row: &quipu_engine::listing::MemoryRow| {
            vec![
                row.id.clone(),
                row.time.strftime("%Y-%m-%d").to_string(),
                row.kind.to_string(),
                row.layer.to_string(),
                if row.pinned { "pinned".to_owned() } else { row.status.to_string() },
                text::headline(&row.text),
            ]
        };
        let header = ["id", "day", "kind", "layer", "status", "text"];
        let table = reply::table(&header, page.items.iter().map(row).collect());
        let advice = match &page.next {
            Some(next) => format!("{} in all; `--after '{next}'` goes on", page.total),
            None => format!("{} in all", page.total),
        };
        Reply::words(table).advise(advice)
    }
}
