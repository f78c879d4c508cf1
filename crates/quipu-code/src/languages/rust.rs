//! Rust: items, `impl` blocks, modules, macros.

use tree_sitter::Node;

use super::{child_of_kind, header_end};
use crate::symbol::SymbolKind;
use crate::walk::{Found, Place, Step, Walk};

/// Notes what an item declares.
pub(super) fn visit<'t>(walk: &mut Walk<'t>, step: &Step<'t>) {
    let node = step.node;
    let kind = match node.kind() {
        "use_declaration" => return import(walk, node),
        "extern_crate_declaration" => {
            if let Some(name) = walk.field(node, "name") {
                walk.import(name);
            }
            return;
        }
        "impl_item" => return implementation(walk, step),
        "foreign_mod_item" => {
            if let Some(body) = node.child_by_field_name("body") {
                walk.enter(body, &step.scope);
            }
            return;
        }
        "function_item" | "function_signature_item" if step.scope.place == Place::Module => {
            SymbolKind::Function
        }
        "function_item" | "function_signature_item" => SymbolKind::Method,
        "struct_item" | "union_item" => SymbolKind::Struct,
        "enum_item" => SymbolKind::Enum,
        "trait_item" => SymbolKind::Trait,
        "type_item" | "associated_type" => SymbolKind::Type,
        "const_item" | "static_item" => SymbolKind::Constant,
        "macro_definition" => SymbolKind::Macro,
        "mod_item" => SymbolKind::Module,
        _ => return,
    };
    let Some(name) = walk.field(node, "name") else { return };
    // What a trait's implementation names is the trait's.
    if step.scope.place == Place::Implementation && kind != SymbolKind::Method {
        return;
    }
    let end = end_of_header(walk, node, kind);
    let is_public = match kind {
        SymbolKind::Macro => has_attribute(walk, step, "macro_export"),
        _ => step.scope.is_open || is_public(walk, node),
    };
    walk.add(step, Found::new(name, kind, end, is_public));
    if let Some(body) = node.child_by_field_name("body") {
        match kind {
            SymbolKind::Trait => {
                let scope = walk.inside(&step.scope, name, Place::Type, true);
                walk.enter_scope(body, scope);
            }
            SymbolKind::Module if !has_attribute(walk, step, "cfg(test)") => {
                let scope = walk.inside(&step.scope, name, Place::Module, false);
                walk.enter_scope(body, scope);
            }
            _ => {}
        }
    }
}

/// Returns where an item's header ends.
fn end_of_header(walk: &Walk<'_>, node: Node<'_>, kind: SymbolKind) -> usize {
    match kind {
        SymbolKind::Constant => walk.end_of_constant(node, node.child_by_field_name("value")),
        SymbolKind::Macro => {
            node.child_by_field_name("name").map_or(node.end_byte(), |name| name.end_byte())
        }
        SymbolKind::Struct => {
            let fields = child_of_kind(node, "field_declaration_list");
            fields.map_or(node.end_byte(), |fields| fields.start_byte())
        }
        _ => header_end(node),
    }
}

/// Enters an `impl` block: its functions are the type's methods.
fn implementation<'t>(walk: &mut Walk<'t>, step: &Step<'t>) {
    let node = step.node;
    let Some(body) = node.child_by_field_name("body") else { return };
    let Some(mut of) = node.child_by_field_name("type") else { return };
    while let Some(inner) = of.child_by_field_name("type") {
        of = inner;
    }
    let is_of_trait = node.child_by_field_name("trait").is_some();
    let place = if is_of_trait { Place::Implementation } else { Place::Type };
    let scope = walk.inside(&step.scope, walk.text_of(of), place, false);
    walk.enter_scope(body, scope);
}

/// Tells whether other files can use an item.
fn is_public(walk: &Walk<'_>, node: Node<'_>) -> bool {
    child_of_kind(node, "visibility_modifier")
        .is_some_and(|visibility| walk.text_of(visibility) != "pub(self)")
}

/// Tells whether an attribute stands before an item.
fn has_attribute(walk: &Walk<'_>, step: &Step<'_>, name: &str) -> bool {
    step.lead.attributes.iter().any(|attribute| {
        walk.text_of(*attribute).trim_start_matches(['#', '[', ' ']).starts_with(name)
    })
}

/// Notes the modules of a `use`: each path without its list.
fn import(walk: &mut Walk<'_>, node: Node<'_>) {
    let Some(argument) = node.child_by_field_name("argument") else { return };
    if argument.kind() == "use_list" {
        let mut cursor = argument.walk();
        let paths: Vec<Node<'_>> = argument.named_children(&mut cursor).collect();
        for path in paths {
            import_path(walk, path);
        }
    } else {
        import_path(walk, argument);
    }
}

/// Notes one path of a `use`.
fn import_path(walk: &mut Walk<'_>, path: Node<'_>) {
    let path = match path.kind() {
        "scoped_use_list" | "use_as_clause" => path.child_by_field_name("path"),
        "use_wildcard" => path.named_child(0),
        "line_comment" | "block_comment" => None,
        _ => Some(path),
    };
    if let Some(path) = path {
        walk.import(walk.text_of(path));
    }
}
