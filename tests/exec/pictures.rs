//! Pictures are decoded by a process of their own, and what comes back is pixels or nothing.

use crate::support::Shop;
use base64::Engine as _;

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
            assert!(shop.executor.pixels(broken.to_vec(), 80, 40).await.is_none());
        }
        shop.executor.close().await;
    }
}
