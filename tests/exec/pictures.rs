//! A process of its own decodes pictures, and returns pixels or nothing.

use crate::support::Shop;
use base64::Engine as _;
use sayso::domain::UndrawnReason;

/// A red pixel.
const RED: &str =
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4z8AAAAMBAQDJ/pLvAAAAAElFTkSuQmCC";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_picture_comes_back_as_pixels_with_a_sandbox_and_without() {
    let png = base64::engine::general_purpose::STANDARD.decode(RED).unwrap();
    for shop in [
        Shop::new(),
        Shop::with(|setup| setup.without.bwrap = true),
        Shop::with(|setup| {
            setup.without.bwrap = true;
            setup.without.landlock = true;
        }),
    ] {
        let pixels = shop.executor.pixels(png.clone(), 80, 40).await.unwrap();
        assert_eq!((pixels.width(), pixels.height(), pixels.at(0, 0)), (1, 1, Some([255, 0, 0, 255])));
        let svg = "<svg xmlns='http://www.w3.org/2000/svg' width='2' height='1'><rect width='2' height='1' fill='red'/></svg>";
        let pixels = shop.executor.pixels(svg.into(), 80, 40).await.unwrap();
        assert_eq!((pixels.width(), pixels.height(), pixels.at(1, 0)), (2, 1, Some([255, 0, 0, 255])));
        for broken in [&b""[..], b"<svg onload='x'/>", &png[..30], &[0xff; 4096]] {
            assert!(shop.executor.pixels(broken.to_vec(), 80, 40).await.is_err());
        }
        shop.executor.close().await;
    }
}

/// The process reports why it made no pixels, and if it does not end, that is reported too.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn why_there_are_no_pixels_comes_back() {
    let shop = Shop::new();
    let svg = |size: &str, inside: &str| {
        format!("<svg xmlns='http://www.w3.org/2000/svg' width='{size}' height='90'>{inside}</svg>")
            .into_bytes()
    };
    let noise = "<filter id='f'><feTurbulence baseFrequency='.1' numOctaves='900000000'/></filter>\
                 <rect width='90' height='90' filter='url(#f)'/>";
    for (bytes, reason) in [
        (svg("90", "<rect width='9' height='9'/><text>North</text>"), UndrawnReason::MoreThanShapes),
        (svg("90000", "<rect width='9' height='9'/>"), UndrawnReason::TooLarge),
        (vec![b' '; 5 << 20], UndrawnReason::TooLarge),
        (b"<svg".to_vec(), UndrawnReason::Unknown),
        (svg("90", noise), UndrawnReason::TooSlow),
    ] {
        let shown = String::from_utf8_lossy(&bytes[..bytes.len().min(200)]).into_owned();
        assert_eq!(shop.executor.pixels(bytes, 80, 40).await.err(), Some(reason), "{shown}");
    }
    shop.executor.close().await;
}
