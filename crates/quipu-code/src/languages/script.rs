//! JavaScript and TypeScript: exports, classes, functions in all their forms, ambient declarations.

use tree_sitter::Node;

use super::{child_of_kind, header_end, is_constant_case};
use crate::symbol::SymbolKind;
use crate::walk::{Found, Place, Step, Walk};

/// Notes what a statement or a member declares.
pub(super) fn visit<'t>(walk: &mut Walk<'t>, step: &Step<'t>) {
    let node = step.node;
    match node.kind() {
        "import_statement" => import(walk, node),
        "export_statement" => export(walk, step),
        "ambient_declaration" => ambient(walk, step),
        "expression_statement" => expression(walk, step),
        "lexical_declaration" | "variable_declaration" => variables(walk, step),
        "function_declaration" | "generator_function_declaration" | "function_signature" => {
            note(walk, step, SymbolKind::Function, header_end(node));
        }
        "class_declaration" | "abstract_class_declaration" => {
            container(walk, &decorated(step), SymbolKind::Class, Place::Type);
        }
        "interface_declaration" => container(walk, step, SymbolKind::Interface, Place::Type),
        "enum_declaration" => note(walk, step, SymbolKind::Enum, header_end(node)),
        "type_alias_declaration" => note(walk, step, SymbolKind::Type, node.end_byte()),
        "internal_module" | "module" => {
            container(walk, step, SymbolKind::Module, Place::Module);
        }
        "method_definition" | "method_signature" | "abstract_method_signature" => {
            member(walk, step, SymbolKind::Method, header_end(node));
        }
        "field_definition" | "public_field_definition" => field(walk, step),
        _ => {}
    }
}

/// Notes a module that is imported, also by `import x = require("y")`.
fn import(walk: &mut Walk<'_>, node: Node<'_>) {
    let clause = child_of_kind(node, "import_require_clause").unwrap_or(node);
    if let Some(source) = clause.child_by_field_name("source") {
        walk.import(unquoted(walk.text_of(source)));
    }
}

/// Notes what a statement exports: a declaration, names declared elsewhere, or a value.
fn export<'t>(walk: &mut Walk<'t>, step: &Step<'t>) {
    let node = step.node;
    if node.child_by_field_name("source").is_some() {
        return import(walk, node);
    }
    let step = decorated(step);
    if let Some(declaration) = node.child_by_field_name("declaration") {
        return walk.unwrap(&step, declaration, true);
    }
    if let Some(clause) = child_of_kind(node, "export_clause") {
        let mut cursor = clause.walk();
        let names: Vec<&str> = clause
            .named_children(&mut cursor)
            .filter_map(|name| walk.field(name, "name"))
            .collect();
        return names.into_iter().for_each(|name| walk.export(name));
    }
    let value = node.child_by_field_name("value").or_else(|| child_of_kind(node, "identifier"));
    let Some(value) = value else { return };
    if value.kind() == "identifier" {
        return walk.export(walk.text_of(value));
    }
    let Some((kind, end)) = function_or_class(value) else { return };
    let name = walk.field(value, "name").unwrap_or("default");
    walk.add(&step, Found::new(name, kind, end, true));
    enter_class(walk, &step, value, name);
}

/// Queues what `declare` says exists elsewhere.
fn ambient<'t>(walk: &mut Walk<'t>, step: &Step<'t>) {
    let mut cursor = step.node.walk();
    let Some(inner) =
        step.node.named_children(&mut cursor).find(|child| !child.kind().contains("comment"))
    else {
        return;
    };
    if inner.kind() == "statement_block" {
        walk.enter(inner, &step.scope);
    } else {
        walk.unwrap(step, inner, true);
    }
}

/// Notes a type or a namespace and enters it.
fn container<'t>(walk: &mut Walk<'t>, step: &Step<'t>, kind: SymbolKind, place: Place) {
    note(walk, step, kind, header_end(step.node));
    let Some(name) = walk.field(step.node, "name").map(unquoted) else { return };
    if let Some(body) = step.node.child_by_field_name("body") {
        let scope = walk.inside(&step.scope, name, place, false);
        walk.enter_scope(body, scope);
    }
}

/// Notes a declaration at the top of a file or a namespace.
fn note<'t>(walk: &mut Walk<'t>, step: &Step<'t>, kind: SymbolKind, end: usize) {
    if let Some(name) = walk.field(step.node, "name").map(unquoted) {
        walk.add(step, Found::new(name, kind, end, step.lead.is_exported));
    }
}

/// Notes a member of a class or an interface.
fn member<'t>(walk: &mut Walk<'t>, step: &Step<'t>, kind: SymbolKind, end: usize) {
    let node = step.node;
    let name = node.child_by_field_name("name").or_else(|| node.child_by_field_name("property"));
    let Some(name) = name.map(|name| walk.text_of(name)) else { return };
    let is_hidden = child_of_kind(node, "accessibility_modifier")
        .is_some_and(|access| walk.text_of(access) != "public");
    let is_public = !is_hidden && !name.starts_with('#');
    walk.add(&decorated(step), Found::new(unquoted(name), kind, end, is_public));
}

/// Notes a field that is a function or a constant.
fn field<'t>(walk: &mut Walk<'t>, step: &Step<'t>) {
    let node = step.node;
    let Some(value) = node.child_by_field_name("value") else { return };
    if let Some((SymbolKind::Function, end)) = function_or_class(value) {
        return member(walk, step, SymbolKind::Method, end);
    }
    let name = walk.field(node, "name").or_else(|| walk.field(node, "property"));
    if name.is_some_and(is_constant_case) {
        member(walk, step, SymbolKind::Constant, walk.end_of_constant(node, Some(value)));
    }
}

/// Notes the functions, classes and constants among variables, and modules that are required.
fn variables<'t>(walk: &mut Walk<'t>, step: &Step<'t>) {
    let mut cursor = step.node.walk();
    let declarators: Vec<Node<'t>> = step
        .node
        .named_children(&mut cursor)
        .filter(|node| node.kind() == "variable_declarator")
        .collect();
    let is_one = declarators.len() == 1;
    for declarator in declarators {
        let value = declarator.child_by_field_name("value");
        if let Some(module) = value.and_then(|value| required(walk, value)) {
            walk.import(module);
            continue;
        }
        let Some(name) = declarator.child_by_field_name("name") else { continue };
        if name.kind() != "identifier" {
            continue;
        }
        let name = walk.text_of(name);
        let (kind, end) = match value.and_then(function_or_class) {
            Some(found) => found,
            None if step.lead.is_exported || is_constant_case(name) => {
                (SymbolKind::Constant, walk.end_of_constant(declarator, value))
            }
            None => continue,
        };
        // Of several on one line, each is shown without the others.
        let mut own = step.clone();
        if !is_one {
            (own.node, own.lead.outer) = (declarator, None);
        }
        walk.add(&own, Found::new(name, kind, end, step.lead.is_exported));
        if let Some(value) = value {
            enter_class(walk, step, value, name);
        }
    }
}

/// Notes what an expression at the top of a file declares: `exports.pay = function () {}`.
fn expression<'t>(walk: &mut Walk<'t>, step: &Step<'t>) {
    let Some(inner) = step.node.named_child(0) else { return };
    match inner.kind() {
        "internal_module" => walk.unwrap(step, inner, false),
        "assignment_expression" => assignment(walk, step, inner),
        _ => {
            if let Some(module) = required(walk, inner) {
                walk.import(module);
            }
        }
    }
}

/// Notes what an assignment to a member declares.
fn assignment<'t>(walk: &mut Walk<'t>, step: &Step<'t>, node: Node<'t>) {
    let (Some(left), Some(right)) =
        (node.child_by_field_name("left"), node.child_by_field_name("right"))
    else {
        return;
    };
    if left.kind() != "member_expression" {
        return;
    }
    let (Some(object), Some(name)) = (walk.field(left, "object"), walk.field(left, "property"))
    else {
        return;
    };
    let found = function_or_class(right);
    let is_export = matches!(object, "exports" | "module.exports");
    if object == "module" && name == "exports" {
        export_all(walk, right);
        if let Some((kind, end)) = found {
            let name = walk.field(right, "name").unwrap_or("module.exports");
            walk.add(step, Found::new(name, kind, end, true));
            enter_class(walk, step, right, name);
        }
    } else if let Some((kind, end)) = found {
        let parent = (!is_export).then(|| object.trim_end_matches(".prototype").to_owned());
        let is_method = parent.is_some() && kind == SymbolKind::Function;
        let kind = if is_method { SymbolKind::Method } else { kind };
        walk.add(step, Found { parent, ..Found::new(name, kind, end, true) });
    } else if is_export && right.kind() == "identifier" {
        walk.export(walk.text_of(right));
    } else if is_export {
        let end = walk.end_of_constant(step.node, Some(right));
        walk.add(step, Found::new(name, SymbolKind::Constant, end, true));
    }
}

/// Notes the names in `module.exports = { a, b: c }`.
fn export_all(walk: &mut Walk<'_>, value: Node<'_>) {
    let mut cursor = value.walk();
    let names: Vec<&str> = match value.kind() {
        "identifier" => vec![walk.text_of(value)],
        "object" => value
            .named_children(&mut cursor)
            .filter_map(|entry| match entry.kind() {
                "shorthand_property_identifier" => Some(walk.text_of(entry)),
                _ => walk.field(entry, "value"),
            })
            .collect(),
        _ => Vec::new(),
    };
    for name in names {
        walk.export(name);
    }
}

/// Enters a class that is a value.
fn enter_class<'t>(walk: &mut Walk<'t>, step: &Step<'t>, value: Node<'t>, name: &str) {
    if value.kind() == "class"
        && let Some(body) = value.child_by_field_name("body")
    {
        let scope = walk.inside(&step.scope, name, Place::Type, false);
        walk.enter_scope(body, scope);
    }
}

/// Returns what a value declares, and where its header ends.
fn function_or_class(value: Node<'_>) -> Option<(SymbolKind, usize)> {
    match value.kind() {
        "arrow_function" | "function_expression" | "generator_function" => {
            Some((SymbolKind::Function, header_end(value)))
        }
        "class" => Some((SymbolKind::Class, header_end(value))),
        _ => None,
    }
}

/// Returns the module of `require("x")` or `await import("x")`.
fn required<'t>(walk: &Walk<'t>, value: Node<'_>) -> Option<&'t str> {
    let call = if value.kind() == "await_expression" { value.named_child(0)? } else { value };
    let function = call.child_by_field_name("function").map(|function| walk.text_of(function))?;
    if !matches!(function, "require" | "import") {
        return None;
    }
    let argument = call.child_by_field_name("arguments")?.named_child(0)?;
    (argument.kind() == "string").then(|| unquoted(walk.text_of(argument)))
}

/// Returns a step that knows which decorators its node holds.
fn decorated<'t>(step: &Step<'t>) -> Step<'t> {
    let mut step = step.clone();
    let mut cursor = step.node.walk();
    let mut children = step.node.children(&mut cursor).peekable();
    if children.peek().is_some_and(|first| first.kind() == "decorator") {
        step.lead.decorated = Some(step.node.start_byte());
        let rest = children.find(|child| child.kind() != "decorator");
        step.lead.bare = rest.map(|child| child.start_byte());
    }
    step
}

/// Returns a text without quotes around it.
fn unquoted(text: &str) -> &str {
    text.trim_matches(['"', '\'', '`'])
}
