//! Which nodes run in a shell of their own, and which the grammar takes for such ones although they are arithmetic.

use crate::review::syntax::text;
use tree_sitter::Node;

/// Whether a node runs in a shell of its own, so that nothing outside of it changes.
pub(in crate::review::shell) fn is_subshell(node: Node<'_>, source: &str) -> bool {
    match node.kind() {
        "process_substitution" => true,
        "subshell" => !is_arithmetic_statement(node, source),
        "command_substitution" => !is_arithmetic(node),
        "command"
        | "list"
        | "pipeline"
        | "compound_statement"
        | "redirected_statement"
        | "negated_command"
        | "variable_assignment"
        | "variable_assignments"
        | "declaration_command"
        | "unset_command"
        | "if_statement"
        | "case_statement"
        | "for_statement"
        | "while_statement"
        | "c_style_for_statement" => {
            let rest = source.get(node.end_byte()..).unwrap_or_default().trim_start_matches([' ', '\t']);
            rest.starts_with('&') && !rest.starts_with("&&") && !rest.starts_with("&>")
        }
        _ => false,
    }
}

/// Whether a substitution is arithmetic: in here-documents and expansions, the grammar takes `$((…))` for a subshell in
/// a substitution.
pub(in crate::review::shell) fn is_arithmetic(substitution: Node<'_>) -> bool {
    let whole = substitution.byte_range();
    let inner = substitution.named_child(0).filter(|_| substitution.named_child_count() == 1);
    substitution.kind() == "command_substitution"
        && inner.is_some_and(|inner| {
            inner.kind() == "subshell" && inner.byte_range() == (whole.start + 2..whole.end.saturating_sub(1))
        })
}

/// Whether a subshell in a subshell is arithmetic: behind `!`, the grammar takes `((…))` for them.
pub(super) fn is_arithmetic_statement(node: Node<'_>, source: &str) -> bool {
    let whole = node.byte_range();
    let inner = node.named_child(0).filter(|_| node.named_child_count() == 1);
    text(node, source).starts_with("((")
        && inner.is_some_and(|inner| {
            inner.kind() == "subshell" && inner.byte_range() == (whole.start + 1..whole.end.saturating_sub(1))
        })
}
