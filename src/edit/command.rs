//! Recognises a patch written as a shell command, `apply_patch <<'EOF'`: the edit is meant, not a program of that name.

pub(super) const BEGIN_PATCH: &str = "*** Begin Patch";

/// The patch in a command `apply_patch <<'EOF'`, if the text is nothing but that command.
pub(crate) fn in_command(text: &str) -> Option<&str> {
    let text = text.trim_start();
    let (head, body) = text.split_once('\n')?;
    let last = delimiter(head)?;
    if body.lines().next()?.trim_end() != BEGIN_PATCH {
        return None;
    }
    let mut at = 0;
    for line in body.split_inclusive('\n') {
        if line.trim_end() == last {
            let behind = body.get(at + line.len()..)?;
            return behind.trim().is_empty().then_some(body.get(..at)?);
        }
        at += line.len();
    }
    Some(body)
}

/// The here-document delimiter of a line that calls `apply_patch`.
pub(super) fn delimiter(line: &str) -> Option<&str> {
    let line = line.trim();
    let line = line.strip_prefix("$ ").unwrap_or(line);
    let word = line.strip_prefix("apply_patch")?.trim_start().strip_prefix("<<")?;
    let word = word.trim_start_matches('-').trim().trim_matches(['"', '\'']);
    let is_word = !word.is_empty() && word.chars().all(|c| c.is_alphanumeric() || c == '_');
    is_word.then_some(word)
}

#[cfg(test)]
mod tests {
    use super::in_command;

    #[test]
    fn a_command_is_its_patch_where_it_is_nothing_else() {
        let patch = "*** Begin Patch\n*** Update File: x\n@@\n-a\n+b\n*** End Patch\n";
        let command = format!("\napply_patch <<'EOF'\n{patch}EOF\n\n");
        assert_eq!(in_command(&command), Some(patch));
        assert_eq!(in_command(&format!("{command}ls\n")), None);
        assert_eq!(in_command("apply_patch <<'EOF'\nx\nEOF\n"), None);
    }
}
