//! Brings the derived fields of footers up to date with the ledger.
//!
//! The bytes written are those of agent-memory (docs/spec/facts.md): a value is replaced where
//! the field exists and has the expected shape; no field is added, moved or removed.

use serde::Serialize;

use crate::fact::{Field, Footer, TierLabel};
use crate::memory::Memory;
use crate::text::Edit;
use crate::tier;

/// What a refresh changes in one footer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Refreshed {
    /// The fact.
    pub id: String,
    /// The tier before and after.
    pub tier: (Option<TierLabel>, Option<TierLabel>),
    /// The uses before and after.
    pub uses: (Option<String>, String),
    /// The date of last use before and after.
    pub last_used: (Option<String>, String),
    /// The edits in continuity.
    #[serde(skip)]
    pub edits: Vec<Edit>,
}

impl Refreshed {
    /// Tells whether the tier changes.
    pub fn changes_tier(&self) -> bool {
        self.tier.0 != self.tier.1
    }

    /// Says how the tier changes: `working→active`.
    pub fn tier_move(&self) -> String {
        let word = |tier| Option::map_or(tier, "none", TierLabel::as_str);
        let (from, to) = (word(self.tier.0.as_ref()), word(self.tier.1.as_ref()));
        format!("{from}→{to}")
    }

    /// Says what changes, in a few words.
    pub fn words(&self) -> String {
        let from = |value: &Option<String>| value.clone().unwrap_or_else(|| "none".to_owned());
        let mut parts = Vec::new();
        if self.changes_tier() {
            parts.push(format!("tier {}", self.tier_move()));
        }
        if self.uses.0.as_deref() != Some(&self.uses.1) {
            parts.push(format!("uses {}→{}", from(&self.uses.0), self.uses.1));
        }
        if self.last_used.0.as_deref() != Some(&self.last_used.1) {
            parts.push(format!("last_used {}→{}", from(&self.last_used.0), self.last_used.1));
        }
        parts.join(", ")
    }
}

/// Returns what a refresh changes, in file order.
pub fn refresh(memory: &Memory<'_>) -> Vec<Refreshed> {
    let mut result = Vec::new();
    for fact in &memory.continuity.facts {
        let footer = &fact.footer;
        if footer.is_core() || footer.is_superseded() {
            continue;
        }
        let Some(usage) = memory.ledger.usage(fact.id()) else {
            continue;
        };
        let tier = tier::tier(memory.rule(fact));
        let uses = usage.uses.to_string();
        let mut edits = Vec::new();
        edit_values(footer, "last_used", usage.last_used, is_date_byte, &mut edits);
        edit_values(footer, "uses", &uses, u8::is_ascii_digit, &mut edits);
        if let Some(tier) = tier {
            edit_values(footer, "tier", tier.as_str(), is_tier_byte, &mut edits);
        }
        if edits.is_empty() {
            continue;
        }
        let stored = |key| footer.get(key).map(str::to_owned);
        result.push(Refreshed {
            id: fact.id().to_owned(),
            tier: (footer.tier_label(), tier.map(TierLabel::from).or_else(|| footer.tier_label())),
            uses: (stored("uses"), uses),
            last_used: (stored("last_used"), usage.last_used.to_owned()),
            edits,
        });
    }
    result
}

/// Replaces the value of every field `key`, as far as it has the shape of such a value.
pub(crate) fn edit_values(
    footer: &Footer,
    key: &str,
    value: &str,
    is_value_byte: fn(&u8) -> bool,
    edits: &mut Vec<Edit>,
) {
    for field in footer.fields.iter().filter(|field| field.key == key) {
        let length = shape_length(field, is_value_byte);
        if length > 0 && field.value[..length] != *value {
            edits.push(Edit::replace(field.span.start..field.span.start + length, value));
        }
    }
}

fn shape_length(field: &Field, is_value_byte: fn(&u8) -> bool) -> usize {
    field.value.as_bytes().iter().take_while(|b| is_value_byte(b)).count()
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "the shape of `u8::is_ascii_digit`")]
pub(crate) fn is_date_byte(byte: &u8) -> bool {
    byte.is_ascii_digit() || *byte == b'-'
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "the shape of `u8::is_ascii_digit`")]
pub(crate) fn is_tier_byte(byte: &u8) -> bool {
    byte.is_ascii_lowercase() || *byte == b'-'
}
