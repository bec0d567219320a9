//! `sayso completions` and `sayso man`: generated from the definition of the command line, so that they always agree
//! with it.

use super::Console;
use crate::cli::Cli;
use crate::report::Failure;
use clap::{Command, CommandFactory as _};
use clap_mangen::Man;
use std::io::{self, Write};

pub(super) fn completions(shell: clap_complete::Shell, console: &mut Console<'_>) -> Result<(), Failure> {
    let mut text = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "sayso", &mut text);
    Ok(console.out.write_all(&text)?)
}

/// Writes one page: the program's own sections, then one for each command with its options. The pages of commands that
/// such a page usually refers to would not exist.
pub(super) fn man(console: &mut Console<'_>) -> Result<(), Failure> {
    let mut command = Cli::command();
    command.build();
    let page = Man::new(command.clone());
    let mut text = Vec::new();
    page.render_title(&mut text)?;
    text.extend(section(|out| page.render_name_section(out))?);
    text.extend(section(|out| page.render_synopsis_section(out))?);
    text.extend(section(|out| page.render_description_section(out))?);
    text.extend(section(|out| page.render_options_section(out))?);
    write_commands(&command, "sayso", &mut text)?;
    text.extend(section(|out| page.render_extra_section(out))?);
    text.extend(section(|out| page.render_version_section(out))?);
    Ok(console.out.write_all(&text)?)
}

/// Writes a section for each command below this one, and for those below these.
fn write_commands(parent: &Command, path: &str, text: &mut Vec<u8>) -> io::Result<()> {
    for command in parent.get_subcommands().filter(|command| !command.is_hide_set()) {
        let path = format!("{path} {}", command.get_name());
        let page = Man::new(command.clone().bin_name(path.clone()));
        let parts = [
            section(|out| page.render_description_section(out))?,
            section(|out| page.render_synopsis_section(out))?,
            section(|out| page.render_options_section(out))?,
        ];
        writeln!(text, ".SH \"{path}\"")?;
        for line in parts.concat().split_inclusive(|byte| *byte == b'\n') {
            // Its parts are paragraphs of the one section.
            text.extend_from_slice(if line.starts_with(b".SH ") { b".PP\n" } else { line });
        }
        write_commands(command, &path, text)?;
    }
    Ok(())
}

/// A rendered section without the lines that belong to the beginning of a page only.
fn section(render: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<Vec<u8>> {
    let mut text = Vec::new();
    render(&mut text)?;
    let lines = text.split_inclusive(|byte| *byte == b'\n');
    Ok(lines
        .filter(|line| !line.starts_with(b".ie ") && !line.starts_with(b".el "))
        .flatten()
        .copied()
        .collect())
}
