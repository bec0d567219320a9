//! Options that make an editor ignore settings embedded in a text, such as vim's modelines and Emacs' local variables,
//! because a model wrote the text. Pure, except that it resolves the link of a program.

use std::path::Path;

/// The options, as words for a shell, to put before the file for this editor.
pub(crate) fn quiet_options(program: &Path) -> &'static str {
    let real = std::fs::canonicalize(program).unwrap_or_else(|_| program.into());
    let name =
        |path: &Path| path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let (called, real) = (name(program), name(&real));
    let is =
        |starts: &[&str]| starts.iter().any(|start| called.starts_with(start) || real.starts_with(start));
    if is(&["emacsclient"]) {
        // The settings of the server apply, and it asks before it evaluates a local variable.
        ""
    } else if is(&["vim", "nvim", "gvim", "mvim", "vimx"]) {
        // Set before each file is read, so that the person's own settings do not switch modelines on again.
        " --cmd 'set nomodeline' --cmd 'autocmd BufReadPre * setlocal nomodeline'"
    } else if is(&["emacs"]) {
        " --eval '(setq enable-local-variables nil enable-dir-local-variables nil)'"
    } else {
        ""
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_editor_is_known_by_its_name_or_by_where_its_link_leads() {
        let folder = tempfile::tempdir().unwrap();
        let vim = folder.path().join("vim.basic");
        std::fs::write(&vim, "").unwrap();
        let vi = folder.path().join("vi");
        std::os::unix::fs::symlink(&vim, &vi).unwrap();
        for vim in [vi.as_path(), Path::new("/usr/bin/nvim"), Path::new("gvim")] {
            assert!(quiet_options(vim).contains("nomodeline"), "{vim:?}");
        }
        assert!(quiet_options(Path::new("/usr/bin/emacs-nox")).contains("enable-local-variables nil"));
        for other in ["/usr/bin/nano", "/usr/bin/emacsclient", "/usr/bin/code"] {
            assert_eq!(quiet_options(Path::new(other)), "");
        }
    }
}
