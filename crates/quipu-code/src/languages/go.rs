//! Go: functions, methods with their receivers, types, constants and variables.

use tree_sitter::Node;

use super::{child_of_kind, header_end};
use crate::symbol::SymbolKind;
use crate::walk::{Found, Place, Step, Walk, children};

/// Notes what a declaration declares.
pub(super) fn visit<'t>(walk: &mut Walk<'t>, step: &Step<'t>) {
    let node = step.node;
    match node.kind() {
        "import_declaration" | "import_spec_list" | "var_spec_list" => {
            walk.enter(node, &step.scope);
        }
        "import_spec" => {
            if let Some(path) = walk.field(node, "path") {
                walk.import(path.trim_matches(['"', '`']));
            }
        }
        "const_declaration" | "var_declaration" | "type_declaration" => group(walk, step),
        "function_declaration" => note(walk, step, SymbolKind::Function, header_end(node), None),
        "method_declaration" => {
            let receiver = receiver(walk, node);
            note(walk, step, SymbolKind::Method, header_end(node), receiver);
        }
        "method_elem" => note(walk, step, SymbolKind::Method, node.end_byte(), None),
        "type_spec" | "type_alias" => declare_type(walk, step),
        "const_spec" | "var_spec" => declare_values(walk, step),
        _ => {}
    }
}

/// Enters a declaration. One with a single name is one statement, so its keyword is shown.
fn group<'t>(walk: &mut Walk<'t>, step: &Step<'t>) {
    let children = children(step.node);
    let is_list = walk.text_of(step.node).contains('(')
        && step.node.child(1).is_some_and(|child| matches!(child.kind(), "(" | "var_spec_list"));
    match children.first() {
        Some((only, _)) if !is_list => walk.unwrap(step, *only, false),
        _ => walk.enter(step.node, &step.scope),
    }
}

/// Notes a type, and the methods of an interface.
fn declare_type<'t>(walk: &mut Walk<'t>, step: &Step<'t>) {
    let node = step.node;
    let Some(of) = node.child_by_field_name("type") else { return };
    let (kind, end) = match of.kind() {
        "struct_type" => (SymbolKind::Struct, start_of_body(of, "field_declaration_list")),
        "interface_type" => (SymbolKind::Interface, of.start_byte() + "interface".len()),
        _ => (SymbolKind::Type, of.end_byte()),
    };
    note(walk, step, kind, end, None);
    if kind == SymbolKind::Interface
        && let Some(name) = walk.field(node, "name")
    {
        let scope = walk.inside(&step.scope, name, Place::Type, false);
        walk.enter_scope(of, scope);
    }
}

/// Notes constants or variables: `A, B = 1, 2` declares two.
fn declare_values<'t>(walk: &mut Walk<'t>, step: &Step<'t>) {
    let node = step.node;
    let end = walk.end_of_constant(node, node.child_by_field_name("value"));
    let mut cursor = node.walk();
    let names: Vec<&str> =
        node.children_by_field_name("name", &mut cursor).map(|name| walk.text_of(name)).collect();
    for name in names.into_iter().filter(|name| !matches!(*name, "_" | ",")) {
        add(walk, step, name, SymbolKind::Constant, end, None);
    }
}

/// Notes a declaration by its name.
fn note<'t>(
    walk: &mut Walk<'t>,
    step: &Step<'t>,
    kind: SymbolKind,
    end: usize,
    parent: Option<String>,
) {
    if let Some(name) = walk.field(step.node, "name") {
        add(walk, step, name, kind, end, parent);
    }
}

/// Notes a symbol. A capital makes it public.
fn add<'t>(
    walk: &mut Walk<'t>,
    step: &Step<'t>,
    name: &str,
    kind: SymbolKind,
    end: usize,
    parent: Option<String>,
) {
    let is_public = name.starts_with(char::is_uppercase);
    walk.add(step, Found { parent, ..Found::new(name, kind, end, is_public) });
}

/// Returns the type that a method belongs to.
fn receiver(walk: &Walk<'_>, node: Node<'_>) -> Option<String> {
    let list = node.child_by_field_name("receiver")?;
    let mut of = child_of_kind(list, "parameter_declaration")?.child_by_field_name("type")?;
    loop {
        let inner = match of.kind() {
            "pointer_type" | "parenthesized_type" => of.named_child(0),
            "generic_type" => of.child_by_field_name("type"),
            _ => return Some(walk.text_of(of).to_owned()),
        };
        of = inner?;
    }
}

/// Returns where the body of a type begins.
fn start_of_body(of: Node<'_>, kind: &str) -> usize {
    child_of_kind(of, kind).map_or(of.end_byte(), |body| body.start_byte())
}
