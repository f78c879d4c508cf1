//! How each language declares things.

mod c;
mod go;
mod java;
mod python;
mod rust;
mod script;

use tree_sitter::Node;

use crate::language::Language;
use crate::walk::{Step, Walk};

/// Notes what a node declares and queues what may declare more.
pub(crate) fn visit<'t>(walk: &mut Walk<'t>, step: &Step<'t>) {
    match walk.language {
        Language::C | Language::Cpp => c::visit(walk, step),
        Language::Go => go::visit(walk, step),
        Language::Java => java::visit(walk, step),
        Language::JavaScript | Language::Tsx | Language::TypeScript => script::visit(walk, step),
        Language::Python => python::visit(walk, step),
        Language::Rust => rust::visit(walk, step),
    }
}

/// Returns where a declaration's body begins, or where the declaration ends.
fn header_end(node: Node<'_>) -> usize {
    node.child_by_field_name("body").map_or(node.end_byte(), |body| body.start_byte())
}

/// Returns the first named child of a kind.
fn child_of_kind<'t>(node: Node<'t>, kind: &str) -> Option<Node<'t>> {
    let mut cursor = node.walk();
    node.named_children(&mut cursor).find(|child| child.kind() == kind)
}

/// Tells whether a name is written as constants are: in capitals.
fn is_constant_case(name: &str) -> bool {
    name.starts_with(|letter: char| letter.is_ascii_uppercase())
        && name.chars().all(|letter| letter.is_uppercase() || letter == '_' || letter.is_numeric())
}
