//! Python: functions, classes, constants, and what stands under `if` and `try`.

use tree_sitter::Node;

use super::{header_end, is_constant_case};
use crate::doc;
use crate::symbol::SymbolKind;
use crate::walk::{Found, Place, Step, Walk};

/// Notes what a statement declares.
pub(super) fn visit<'t>(walk: &mut Walk<'t>, step: &Step<'t>) {
    let node = step.node;
    match node.kind() {
        "import_statement" | "import_from_statement" | "future_import_statement" => {
            import(walk, node);
        }
        "if_statement" | "elif_clause" | "else_clause" | "try_statement" | "except_clause"
        | "finally_clause" | "with_statement" | "block" => walk.enter(node, &step.scope),
        "decorated_definition" => decorated(walk, step),
        "function_definition" => {
            let is_method = step.scope.place == Place::Type;
            let kind = if is_method { SymbolKind::Method } else { SymbolKind::Function };
            declare(walk, step, kind);
        }
        "class_definition" => {
            let Some(name) = declare(walk, step, SymbolKind::Class) else { return };
            if let Some(body) = node.child_by_field_name("body") {
                let scope = walk.inside(&step.scope, name, Place::Type, false);
                walk.enter_scope(body, scope);
            }
        }
        "type_alias_statement" => {
            let Some(left) = walk.field(node, "left") else { return };
            let name = left.split('[').next().unwrap_or(left).trim();
            note(walk, step, name, SymbolKind::Type, node.end_byte(), None);
        }
        "expression_statement" => constant(walk, step),
        _ => {}
    }
}

/// Queues the definition that decorators stand before.
fn decorated<'t>(walk: &mut Walk<'t>, step: &Step<'t>) {
    if let Some(definition) = step.node.child_by_field_name("definition") {
        let mut outer = step.clone();
        outer.lead.decorated = Some(step.node.start_byte());
        outer.lead.bare = Some(definition.start_byte());
        walk.unwrap(&outer, definition, false);
    }
}

/// Notes a function or a class.
fn declare<'t>(walk: &mut Walk<'t>, step: &Step<'t>, kind: SymbolKind) -> Option<&'t str> {
    let name = walk.field(step.node, "name")?;
    let doc = step
        .node
        .child_by_field_name("body")
        .and_then(|body| body.named_child(0))
        .filter(|first| first.kind() == "expression_statement")
        .and_then(|first| first.named_child(0))
        .filter(|string| string.kind() == "string")
        .and_then(|string| doc::of_docstring(walk.text_of(string)));
    note(walk, step, name, kind, header_end(step.node), doc);
    Some(name)
}

/// Notes a symbol. A name with an underscore before it is private, save `__init__` and its like.
fn note<'t>(
    walk: &mut Walk<'t>,
    step: &Step<'t>,
    name: &str,
    kind: SymbolKind,
    end: usize,
    doc: Option<String>,
) {
    let is_special = name.starts_with("__") && name.ends_with("__");
    let is_public = !name.starts_with('_') || is_special;
    walk.add(step, Found { doc, ..Found::new(name, kind, end, is_public) });
}

/// Notes an assignment to a name in capitals.
fn constant<'t>(walk: &mut Walk<'t>, step: &Step<'t>) {
    let Some(assignment) = step.node.named_child(0).filter(|child| child.kind() == "assignment")
    else {
        return;
    };
    let Some(left) = assignment.child_by_field_name("left") else { return };
    let name = walk.text_of(left);
    if left.kind() == "identifier" && is_constant_case(name) {
        let end = walk.end_of_constant(assignment, assignment.child_by_field_name("right"));
        note(walk, step, name, SymbolKind::Constant, end, None);
    }
}

/// Notes the modules of an import.
fn import(walk: &mut Walk<'_>, node: Node<'_>) {
    let mut cursor = node.walk();
    let names: Vec<&str> = node
        .children_by_field_name("name", &mut cursor)
        .map(|name| walk.field(name, "name").unwrap_or(walk.text_of(name)))
        .collect();
    let module = match node.kind() {
        "future_import_statement" => Some("__future__"),
        _ => walk.field(node, "module_name"),
    };
    match module {
        // `from . import sibling` imports the sibling.
        Some(dots) if dots.bytes().all(|letter| letter == b'.') => {
            for name in names {
                walk.import(&format!("{dots}{name}"));
            }
        }
        Some(module) => walk.import(module),
        None => names.into_iter().for_each(|name| walk.import(name)),
    }
}
