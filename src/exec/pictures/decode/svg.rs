//! Draws an SVG that consists of shapes only. It is drawn completely or not at all: a chart without its text or an
//! embedded picture would be misleading. Nothing that it refers to is loaded, and no script is run. Pure.

use super::MAX_SOURCE_SIDE;
use crate::domain::{Pixels, UndrawnReason};
use resvg::tiny_skia::{Pixmap, PremultipliedColorU8, Transform};
use resvg::usvg::{self, ImageHrefResolver, Options, Tree, roxmltree};

/// Elements that can't be drawn here: there are no fonts, and no other pictures.
const UNDRAWN_ELEMENTS: [&str; 4] = ["text", "image", "feImage", "foreignObject"];
const MAX_NODES: u32 = 100_000;

/// Draws it with at most this many pixels, and never larger than its own size.
///
/// # Errors
/// Why it can't be drawn.
pub(super) fn pixels(bytes: &[u8], width: u32, height: u32) -> Result<Pixels, UndrawnReason> {
    let text = std::str::from_utf8(bytes).map_err(|_| UndrawnReason::Unknown)?;
    let parsing = roxmltree::ParsingOptions { allow_dtd: true, nodes_limit: MAX_NODES, ..Default::default() };
    let document = roxmltree::Document::parse_with_options(text, parsing).map_err(|error| match error {
        roxmltree::Error::NodesLimitReached => UndrawnReason::TooLarge,
        _ => UndrawnReason::Unknown,
    })?;
    if document.descendants().any(|node| is_not_drawn(&node)) {
        return Err(UndrawnReason::MoreThanShapes);
    }
    let options = Options { image_href_resolver: nothing(), ..Options::default() };
    let tree = Tree::from_xmltree(&document, &options).map_err(|error| match error {
        usvg::Error::ElementsLimitReached => UndrawnReason::TooLarge,
        _ => UndrawnReason::Unknown,
    })?;
    let (own_width, own_height) = (tree.size().width(), tree.size().height());
    if own_width.max(own_height) > MAX_SOURCE_SIDE as f32 {
        return Err(UndrawnReason::TooLarge);
    }
    if tree.root().children().is_empty() {
        return Err(UndrawnReason::Unknown);
    }
    let scale = (width as f32 / own_width).min(height as f32 / own_height).min(1.0);
    let side = |pixels: f32, most: u32| ((pixels * scale).round() as u32).clamp(1, most);
    let (width, height) = (side(own_width, width), side(own_height, height));
    let mut drawn = Pixmap::new(width, height).ok_or(UndrawnReason::TooLarge)?;
    let fit = Transform::from_scale(width as f32 / own_width, height as f32 / own_height);
    resvg::render(&tree, fit, &mut drawn.as_mut());
    let rgba = drawn.pixels().iter().flat_map(|pixel: &PremultipliedColorU8| {
        let pixel = pixel.demultiply();
        [pixel.red(), pixel.green(), pixel.blue(), pixel.alpha()]
    });
    Pixels::new(width, height, rgba.collect()).ok_or(UndrawnReason::Unknown)
}

/// Whether a node shows or refers to something that can't be drawn here.
fn is_not_drawn(node: &roxmltree::Node<'_, '_>) -> bool {
    let name = node.tag_name().name();
    // The target of a hyperlink is not shown, so it does not matter.
    let names_another = |attribute: roxmltree::Attribute<'_, '_>| match attribute.name() {
        "href" => name != "a" && !attribute.value().trim_start().starts_with('#'),
        "style" => is_style_of_more(attribute.value()),
        _ => names_a_file(attribute.value()),
    };
    UNDRAWN_ELEMENTS.contains(&name)
        || node.attributes().any(names_another)
        || node.pi().is_some_and(|pi| pi.target == "xml-stylesheet")
        || (name == "style" && node.descendants().filter_map(|inner| inner.text()).any(is_style_of_more))
}

/// Whether style rules refer to something outside of the file. An escape could hide that, so rules with one count as
/// such.
fn is_style_of_more(style: &str) -> bool {
    style.contains('\\') || style.to_ascii_lowercase().contains("@import") || names_a_file(style)
}

/// Whether a value refers to something outside of the file, such as `url(other.svg#a)`.
fn names_a_file(value: &str) -> bool {
    let value = value.to_ascii_lowercase();
    let blank = |c: char| c.is_whitespace() || matches!(c, '"' | '\'');
    value.split("url(").skip(1).any(|named| !named.trim_start_matches(blank).starts_with('#'))
}

/// A resolver that loads nothing, whether it is referred to or embedded.
fn nothing() -> ImageHrefResolver<'static> {
    ImageHrefResolver { resolve_data: Box::new(|_, _, _| None), resolve_string: Box::new(|_, _| None) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn svg(inside: &str) -> String {
        format!(
            "<?xml version='1.0'?>\n<svg xmlns='http://www.w3.org/2000/svg' \
             xmlns:xlink='http://www.w3.org/1999/xlink' width='80' height='40'>{inside}</svg>"
        )
    }

    fn drawn(inside: &str) -> Result<Pixels, UndrawnReason> {
        pixels(svg(inside).as_bytes(), 40, 40)
    }

    const RED: &str = "<rect width='40' height='40' fill='red'/>";

    #[test]
    fn shapes_are_drawn_in_proportion_and_the_rest_is_clear() {
        let pixels = drawn(RED).unwrap();
        assert_eq!((pixels.width(), pixels.height()), (40, 20));
        assert_eq!(pixels.at(5, 5), Some([255, 0, 0, 255]));
        assert_eq!(pixels.at(35, 5), Some([0, 0, 0, 0]));
        let half = drawn("<rect width='80' height='40' fill='#00f' opacity='.5'/>").unwrap();
        assert!(
            half.at(3, 3).is_some_and(|[r, g, b, a]| (r, g, b) == (0, 0, 255) && (120..136).contains(&a))
        );
        let large = super::pixels(svg(RED).as_bytes(), 4000, 4000).unwrap();
        assert_eq!((large.width(), large.height()), (80, 40), "it is not made larger");
    }

    #[test]
    fn what_could_be_drawn_in_part_alone_is_not_drawn() {
        let file =
            format!("<image xlink:href='{}/assets/x.png' width='9' height='9'/>", env!("CARGO_MANIFEST_DIR"));
        let filled = |filter: &str| {
            format!("<filter id='f'>{filter}</filter><rect width='9' height='9' filter='url(#f)'/>")
        };
        for part in [
            "<text x='3' y='9'>North</text>",
            &file,
            "<foreignObject/>",
            "<g><text/></g>",
            &filled("<feImage xlink:href='#x'/>"),
            &filled("<feImage href='data:image/png;base64,AAAA'/>"),
            "<use href='other.svg#a'/>",
            "<use xlink:href=' other.svg#a'/>",
            "<use href=''/>",
            "<linearGradient id='g' xlink:href='other.svg#g'/>",
            "<rect width='9' height='9' fill='url(other.svg#g)'/>",
            "<rect width='9' height='9' style='fill:URL( \"other.svg#g\" )'/>",
            "<rect width='9' height='9' style='fill:u\\72l(other.svg#g)'/>",
            "<style>@import 'other.css';</style>",
            "<style><![CDATA[rect { fill: url('other.svg#g') }]]></style>",
            "<?xml-stylesheet href='other.css'?>",
        ] {
            let drawn = drawn(&format!("{RED}{part}"));
            assert_eq!(drawn, Err(UndrawnReason::MoreThanShapes), "{part}");
        }
    }

    #[test]
    fn what_names_a_part_of_its_own_is_drawn() {
        let own = "<style>rect { stroke: url(#g) }</style>\
            <linearGradient id='g'><stop stop-color='red'/></linearGradient><linearGradient id='h' xlink:href='#g'/>\
            <clipPath id='c'><path d='M0 0h80v40h-80z'/></clipPath>\
            <a href='https://example.org/'><rect id='r' width='40' height='40' fill='url(\"#h\")'/></a>\
            <use href='#r' x='40' clip-path='url(#c)' style='opacity:1;fill:url( #g )'/>";
        let drawn = drawn(own).unwrap();
        assert_eq!((drawn.at(5, 5), drawn.at(35, 5)), (Some([255, 0, 0, 255]), Some([255, 0, 0, 255])));
    }

    #[test]
    fn hostile_files_give_nothing_or_pixels() {
        let bomb = "<!DOCTYPE svg [<!ENTITY a 'aaaaaaaaaa'><!ENTITY b '&a;&a;&a;&a;&a;&a;&a;&a;'>\
            <!ENTITY c '&b;&b;&b;&b;&b;&b;&b;&b;'><!ENTITY d '&c;&c;&c;&c;&c;&c;&c;&c;'>\
            <!ENTITY e '&d;&d;&d;&d;&d;&d;&d;&d;'><!ENTITY f '&e;&e;&e;&e;&e;&e;&e;&e;'>\
            <!ENTITY g '&f;&f;&f;&f;&f;&f;&f;&f;'><!ENTITY h '&g;&g;&g;&g;&g;&g;&g;&g;'>]>\
            <svg xmlns='http://www.w3.org/2000/svg' width='9' height='9'><desc>&h;</desc></svg>";
        let own = "<g id='a'><use xlink:href='#a'/></g>";
        for text in
            [bomb.to_owned(), svg(own), "<svg".into(), "<svg xmlns='http://www.w3.org/2000/svg'/>".into()]
        {
            let _ = pixels(text.as_bytes(), 40, 40);
        }
        let huge = "<svg xmlns='http://www.w3.org/2000/svg' width='1e9' height='1e9'/>";
        assert_eq!(pixels(huge.as_bytes(), 40, 40), Err(UndrawnReason::TooLarge));
        let many = "<g/>".repeat(MAX_NODES as usize);
        assert_eq!(drawn(&many), Err(UndrawnReason::TooLarge));
        assert_eq!(pixels(b"<svg \xff/>", 40, 40), Err(UndrawnReason::Unknown));
        for nothing in ["", "<script>1</script>"] {
            assert_eq!(drawn(nothing), Err(UndrawnReason::Unknown), "there is nothing to see");
        }
    }
}
