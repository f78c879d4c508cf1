//! Lists, a page at a time: `{"items": […], "next": CURSOR or null}` beside what else an answer says.

use serde_json::{Map, Value, json};

use super::routes::List;
use crate::error::CommandError;

/// So many items have a page that does not say.
const USUAL: usize = 50;

/// So many items has a page at most.
const MOST: usize = 200;

/// A page has no more bytes than this, as long as it has two items.
const LARGEST: usize = 150_000;

/// A longer text is cut in a list.
const LONGEST_TEXT: usize = 4000;

/// What a caller wants of a list.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Wanted {
    limit: usize,
    after: Option<Cursor>,
}

/// Where a page ended: the place of the next item, and what the last one was.
#[derive(Debug, PartialEq, Eq)]
struct Cursor {
    place: usize,
    last: String,
}

impl Wanted {
    /// Reads `limit` and `after`.
    pub(super) fn read(limit: Option<&str>, after: Option<&str>) -> Result<Self, CommandError> {
        let limit = match limit.map(str::parse) {
            None => USUAL,
            Some(Ok(limit)) if (1..=MOST).contains(&limit) => limit,
            Some(_) => {
                let why = format!("`limit` is a number from 1 to {MOST}");
                return Err(CommandError::input("arguments", why));
            }
        };
        let cursor = |text: &str| {
            let (place, last) = text.split_once('~')?;
            Some(Cursor { place: place.parse().ok()?, last: last.to_owned() })
        };
        let after = match after {
            Some(text) => Some(cursor(text).ok_or_else(|| {
                CommandError::input("cursor", format!("`{text}` is not a cursor"))
                    .hint("give `after` what the page before has in `next`, as it is")
            })?),
            None => None,
        };
        Ok(Self { limit, after })
    }

    /// Returns how many items an operation has to answer with, for this page and to know whether there is another.
    pub(super) fn needed(&self) -> usize {
        self.after.as_ref().map_or(0, |cursor| cursor.place) + self.limit + 1
    }

    /// Makes a page of an answer.
    pub(super) fn page(&self, list: List, answer: Value) -> Value {
        let (List::Field(field) | List::Limited(field, _)) = list else { return answer };
        let Value::Object(mut answer) = answer else { return answer };
        let Some(Value::Array(all)) = answer.remove(field) else {
            // Nothing of that kind: another form of the answer.
            return Value::Object(answer);
        };
        let begin = self.begin(&all);
        let count = all.len();
        let mut items = Vec::new();
        let mut bytes = 0;
        for mut item in all.into_iter().skip(begin).take(self.limit) {
            cut(&mut item);
            bytes += item.to_string().len();
            if bytes > LARGEST && !items.is_empty() {
                break;
            }
            items.push(item);
        }
        let end = begin + items.len();
        let next = items.last().filter(|_| end < count);
        let next = next.map(|last| json!(format!("{end}~{}", name(last))));
        let mut page = Map::new();
        page.insert("items".to_owned(), Value::Array(items));
        page.insert("next".to_owned(), next.unwrap_or_default());
        // Some answers have an `items` of their own.
        let rest = answer.into_iter().map(|(key, value)| match key.as_str() {
            "items" | "next" => (format!("all_{key}"), value),
            _ => (key, value),
        });
        page.extend(rest);
        Value::Object(page)
    }

    /// Returns where the page begins: after the item that the one before ended with, wherever that is by now.
    fn begin(&self, all: &[Value]) -> usize {
        let Some(cursor) = &self.after else { return 0 };
        let known = all.iter().position(|item| name(item) == cursor.last);
        known.map_or(cursor.place, |at| at + 1)
    }
}

/// Returns what tells an item from the others of its list.
fn name(item: &Value) -> String {
    let names = ["id", "run", "name"];
    let name = names.iter().find_map(|key| item[*key].as_str());
    name.map_or_else(|| fingerprint(item), str::to_owned)
}

fn fingerprint(item: &Value) -> String {
    quipu_engine::digest::sha256(item.to_string().as_bytes()).chars().take(16).collect()
}

/// Cuts long texts in an item; whoever wants them whole asks for the item.
fn cut(value: &mut Value) {
    match value {
        Value::String(text) if text.len() > LONGEST_TEXT => {
            *text = quipu_core::text::ellipsis(text, LONGEST_TEXT);
        }
        Value::Array(items) => items.iter_mut().for_each(cut),
        Value::Object(fields) => fields.values_mut().for_each(cut),
        _ => {}
    }
}

/// Leaves the last answers of a question out where all of them would be more than a page may be.
pub(super) fn shorten_answers(data: &mut Value) {
    let sizes: Vec<usize> = match data["results"].as_array() {
        Some(results) => results.iter().map(|one| one.to_string().len()).collect(),
        None => return,
    };
    let mut size = 0;
    let fits = sizes.iter().take_while(|one| {
        size += **one;
        size <= LARGEST
    });
    let kept = fits.count().max(1);
    let dropped = sizes.len().saturating_sub(kept);
    if dropped > 0 {
        let before = data["left_out"].as_u64().unwrap_or(0);
        data["left_out"] = json!(before + dropped as u64);
        if let Some(results) = data["results"].as_array_mut() {
            results.truncate(kept);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pages(wanted: &str, all: &Value) -> Vec<Vec<String>> {
        let (mut pages, mut after) = (Vec::new(), None::<String>);
        loop {
            let page = Wanted::read(Some(wanted), after.as_deref()).unwrap();
            let page = page.page(List::Field("all"), all.clone());
            pages.push(page["items"].as_array().unwrap().iter().map(name).collect());
            match page["next"].as_str() {
                Some(next) => after = Some(next.to_owned()),
                None => return pages,
            }
        }
    }

    #[test]
    fn pages_together_are_the_list() {
        let all = json!({ "all": [{ "id": "a" }, { "id": "b" }, { "id": "c" }] });
        assert_eq!(pages("2", &all), [vec!["a", "b"], vec!["c"]]);
        assert_eq!(pages("3", &all), [vec!["a", "b", "c"]]);
        assert_eq!(pages("1", &json!({ "all": [] })), [Vec::<String>::new()]);
    }

    #[test]
    fn what_is_added_or_removed_meanwhile_moves_no_page() {
        let wanted = Wanted::read(Some("1"), Some("1~a")).unwrap();
        let ids = |all: Value| wanted.page(List::Field("all"), all)["items"][0]["id"].clone();
        assert_eq!(ids(json!({ "all": [{ "id": "new" }, { "id": "a" }, { "id": "b" }] })), "b");
        assert_eq!(ids(json!({ "all": [{ "id": "z" }, { "id": "b" }] })), "b");
    }

    #[test]
    fn a_page_stays_small() {
        let long = "x".repeat(1_000_000);
        let all: Vec<Value> =
            (0..200).map(|n| json!({ "id": n.to_string(), "text": long })).collect();
        let all = json!({ "all": all });
        let page = Wanted::read(Some("200"), None).unwrap().page(List::Field("all"), all);
        assert!(page.to_string().len() < 200_000);
        assert!(page["next"].is_string());
    }

    #[test]
    fn answers_stay_small_and_say_how_many_are_left_out() {
        let answers = |count: usize| {
            let one = json!({ "id": "a", "text": "x".repeat(3000) });
            json!({ "results": vec![one; count], "left_out": 2 })
        };
        let mut data = answers(200);
        shorten_answers(&mut data);
        assert!(data.to_string().len() < 200_000);
        let kept = data["results"].as_array().unwrap().len();
        assert_eq!(data["left_out"], json!(202 - kept));
        let mut data = answers(20);
        shorten_answers(&mut data);
        assert_eq!(data, answers(20));
    }

    #[test]
    fn a_limit_that_is_none_is_refused() {
        for limit in ["0", "201", "x", "-1"] {
            assert!(Wanted::read(Some(limit), None).is_err(), "{limit}");
        }
        assert!(Wanted::read(None, Some("x")).is_err());
    }
}
