//! Java: types with their members, records, enums, annotations.

use tree_sitter::Node;

use super::{child_of_kind, header_end};
use crate::symbol::SymbolKind;
use crate::walk::{Found, Place, Step, Walk};

/// Notes what a declaration declares.
pub(super) fn visit<'t>(walk: &mut Walk<'t>, step: &Step<'t>) {
    let node = step.node;
    match node.kind() {
        "import_declaration" => import(walk, node),
        "class_declaration" | "record_declaration" => declare_type(walk, step, SymbolKind::Class),
        "enum_declaration" => declare_type(walk, step, SymbolKind::Enum),
        "interface_declaration" | "annotation_type_declaration" => {
            declare_type(walk, step, SymbolKind::Interface);
        }
        "enum_body_declarations" => walk.enter(node, &step.scope),
        "method_declaration"
        | "constructor_declaration"
        | "compact_constructor_declaration"
        | "annotation_type_element_declaration" => {
            if let Some(name) = walk.field(node, "name") {
                note(walk, step, name, SymbolKind::Method, header_end(node));
            }
        }
        "field_declaration" | "constant_declaration" => constants(walk, step),
        _ => {}
    }
}

/// Notes a type and enters it.
fn declare_type<'t>(walk: &mut Walk<'t>, step: &Step<'t>, kind: SymbolKind) {
    let Some(name) = walk.field(step.node, "name") else { return };
    note(walk, step, name, kind, header_end(step.node));
    if let Some(body) = step.node.child_by_field_name("body") {
        let is_open = kind == SymbolKind::Interface;
        let scope = walk.inside(&step.scope, name, Place::Type, is_open);
        walk.enter_scope(body, scope);
    }
}

/// Notes a symbol. The members of an interface are public unless they say otherwise.
fn note<'t>(walk: &mut Walk<'t>, step: &Step<'t>, name: &str, kind: SymbolKind, end: usize) {
    let is_public = has_modifier(walk, step.node, "public")
        || (step.scope.is_open && !has_modifier(walk, step.node, "private"));
    let found = Found::new(name, kind, end, is_public);
    let Some(start) = after_annotations(step.node) else { return walk.add(step, found) };
    let mut step = step.clone();
    step.lead.decorated = Some(step.node.start_byte());
    step.lead.bare = Some(start);
    walk.add(&step, found);
}

/// Notes the constants of a field: what is static and final, or stands in an interface.
fn constants<'t>(walk: &mut Walk<'t>, step: &Step<'t>) {
    let node = step.node;
    let is_fixed = has_modifier(walk, node, "static") && has_modifier(walk, node, "final");
    if !is_fixed && node.kind() != "constant_declaration" {
        return;
    }
    let mut cursor = node.walk();
    let declarators: Vec<Node<'t>> =
        node.children_by_field_name("declarator", &mut cursor).collect();
    for declarator in declarators {
        let value = declarator.child_by_field_name("value");
        let end = walk.end_of_constant(node, value);
        if let Some(name) = walk.field(declarator, "name") {
            note(walk, step, name, SymbolKind::Constant, end);
        }
    }
}

/// Tells whether a declaration has a modifier.
fn has_modifier(walk: &Walk<'_>, node: Node<'_>, name: &str) -> bool {
    let Some(modifiers) = child_of_kind(node, "modifiers") else { return false };
    let mut cursor = modifiers.walk();
    modifiers.children(&mut cursor).any(|modifier| walk.text_of(modifier) == name)
}

/// Returns where a declaration goes on after its annotations.
fn after_annotations(node: Node<'_>) -> Option<usize> {
    let modifiers = child_of_kind(node, "modifiers")?;
    let mut cursor = modifiers.walk();
    let is_annotation = |child: &Node<'_>| child.kind().ends_with("annotation");
    let mut children = modifiers.children(&mut cursor).peekable();
    children.peek().filter(|first| is_annotation(first))?;
    let rest = children.find(|child| !is_annotation(child));
    rest.or_else(|| modifiers.next_sibling()).map(|next| next.start_byte())
}

/// Notes an import, with its star.
fn import(walk: &mut Walk<'_>, node: Node<'_>) {
    let Some(path) = node.named_child(0) else { return };
    let star = if child_of_kind(node, "asterisk").is_some() { ".*" } else { "" };
    walk.import(&format!("{}{star}", walk.text_of(path)));
}
