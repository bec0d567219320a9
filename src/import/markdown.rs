//! Reads Markdown: fenced code in a language that can be run becomes a block, everything else is prose.

use super::ImportedParts;
use crate::domain::Languages;
use pulldown_cmark::{CodeBlockKind, Event, Options, Parser, Tag, TagEnd};

pub(super) fn read(text: &str, languages: &Languages, file: &mut ImportedParts) {
    let mut told = 0;
    let mut code: Option<(crate::domain::Language, String)> = None;
    for (event, range) in Parser::new_ext(text, Options::ENABLE_TABLES).into_offset_iter() {
        match event {
            Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(info))) => {
                let word = info.split([' ', ',', '{', '}']).find(|word| !word.is_empty()).unwrap_or_default();
                if let Some(entry) = languages.find(word) {
                    file.add_prose(text.get(told..range.start).unwrap_or_default());
                    told = range.end;
                    code = Some((entry.name.clone(), String::new()));
                }
            }
            Event::Text(piece) => {
                if let Some((_, source)) = &mut code {
                    source.push_str(&piece);
                }
            }
            Event::End(TagEnd::CodeBlock) => {
                if let Some((language, source)) = code.take() {
                    let line = text.get(..range.start).unwrap_or_default().matches('\n').count() + 1;
                    file.add_code(&language, &source, &format!("line {line}"));
                }
            }
            _ => {}
        }
    }
    file.add_prose(text.get(told..).unwrap_or_default());
}
