//! Every kind of picture: well-formed, the same every time, and with all text readable.

#[path = "../examples/gallery/pictures.rs"]
mod gallery;

use proptest::prelude::*;
use roxmltree::Document;
use xray_report::*;

/// Where a text stands: left, top, right, bottom.
type Box = [f64; 4];

/// The picture's size and the boxes of its texts, from its SVG.
fn texts(svg: &str) -> (f64, f64, Vec<(String, Box)>) {
    let document = Document::parse(svg).expect("well-formed XML");
    let root = document.root_element();
    let number = |node: roxmltree::Node<'_, '_>, name| -> f64 {
        node.attribute(name).expect(name).parse().expect("a number")
    };
    let boxes = root.descendants().filter(|node| node.has_tag_name("text")).map(|node| {
        let (x, y) = (number(node, "x"), number(node, "y"));
        let (width, size) = (number(node, "textLength"), number(node, "font-size"));
        let start = match node.attribute("text-anchor") {
            None => 0.0,
            Some("middle") => -width / 2.0,
            Some("end") => -width,
            other => panic!("{other:?}"),
        };
        // Letters are about so high above and below the base line.
        let (up, down) = (0.72 * size, 0.2 * size);
        let place = if node.attribute("transform").is_some() {
            [x - up, y - start - width, x + down, y - start]
        } else {
            [x + start, y - up, x + start + width, y + down]
        };
        (node.text().unwrap_or_default().to_owned(), place)
    });
    (number(root, "width"), number(root, "height"), boxes.collect())
}

/// All text lies inside the picture, and no two texts overlap.
fn assert_readable(name: &str, picture: &dyn Picture) {
    let (width, height, texts) = texts(&picture.svg());
    for (i, (text, [left, top, right, bottom])) in texts.iter().enumerate() {
        let inside = *left >= 0.0 && *top >= 0.0 && *right <= width && *bottom <= height;
        assert!(inside, "{name}: {text:?} leaves the picture of {width} x {height}");
        for (other, place) in &texts[..i] {
            let apart =
                right <= &place[0] || &place[2] <= left || bottom <= &place[1] || &place[3] <= top;
            assert!(apart, "{name}: {text:?} overlaps {other:?}");
        }
    }
}

fn decoded_size(png: &[u8]) -> (u32, u32) {
    let mut reader =
        png::Decoder::new(std::io::Cursor::new(png)).read_info().expect("a PNG header");
    let mut pixels = vec![0; reader.output_buffer_size().expect("a size")];
    let info = reader.next_frame(&mut pixels).expect("all pixels");
    (info.width, info.height)
}

fn line(points: impl IntoIterator<Item = (f64, f64)>) -> Chart {
    Chart::new("t").x_label("x").panel(Panel::new("y").series(Series::new("a", points)))
}

#[test]
fn the_gallery_is_readable() {
    for (name, picture) in gallery::pictures() {
        assert_readable(name, picture.as_ref());
    }
}

#[test]
fn bytes_never_change() {
    for ((name, first), (_, second)) in gallery::pictures().into_iter().zip(gallery::pictures()) {
        assert_eq!(first.svg(), second.svg(), "{name}");
        assert!(first.png(0.5).unwrap() == second.png(0.5).unwrap(), "{name}");
    }
}

#[test]
fn bitmaps_have_the_size_of_the_drawing() {
    for (name, picture) in gallery::pictures() {
        let (width, height, _) = texts(&picture.svg());
        for scale in [0.5, 1.0, 1.5] {
            let expected = ((width * scale).round() as u32, (height * scale).round() as u32);
            assert_eq!(decoded_size(&picture.png(scale).unwrap()), expected, "{name} {scale}");
        }
    }
}

#[test]
fn impossible_scales_are_refused() {
    for scale in [0.0, -1.0, 1e-9, 1e9, f64::NAN, f64::INFINITY] {
        let error = Chart::new("t").png(scale).unwrap_err();
        assert!(matches!(error, Error::Scale { max: 20_000, .. }), "{error}");
    }
}

#[test]
fn any_title_is_well_formed() {
    let title = "<b> & \"quoted\" 'single' ]]> \u{0} \u{1b}[1m \u{ffff} \n new";
    let chart = line([(0.0, 1.0)]).vertical(0.0, title).x_label(title);
    let image = Image::new(1, 1, vec![1.0]).unwrap();
    let images = ImageGrid::new(title).image(image).columns(1).row_labels([title]);
    for picture in [&chart as &dyn Picture, &images] {
        let svg = picture.svg();
        let document = Document::parse(&svg).expect("well-formed XML");
        let text: String = document.descendants().filter_map(|node| node.text()).collect();
        assert!(text.contains("<b> & \"quoted\" 'single' ]]>"), "{text}");
        picture.png(1.0).unwrap();
    }
}

#[test]
fn curves_of_any_kind_of_numbers() {
    let (nan, infinity) = (f64::NAN, f64::INFINITY);
    let cases: &[&[(f64, f64)]] = &[
        &[],
        &[(1.0, 2.0)],
        &[(nan, nan)],
        &[(infinity, 1.0), (1.0, -infinity)],
        &[(0.0, 5.0), (1.0, 5.0)],
        &[(3.0, 1.0), (3.0, 2.0)],
        &[(1.0, 0.0), (2.0, -0.0)],
        &[(1.0, 1.0), (2.0, nan), (3.0, 2.0)],
        &[(1e300, -1e300), (-1e300, 1e300)],
        &[(f64::MAX, f64::MIN), (0.0, 0.0)],
        &[(f64::MIN_POSITIVE, 5e-324), (0.0, 0.0)],
        &[(1e-12, 1e12), (1e12, 1e-12)],
        &[(1.0, 1.0), (1.0 + f64::EPSILON, 1.0 + f64::EPSILON)],
        &[(123_456_789.0, -0.000_012_345), (123_456_790.0, -0.000_012_346)],
    ];
    for points in cases {
        for x in [Scale::Linear, Scale::Log] {
            for y in [Scale::Linear, Scale::Log] {
                let curve = || Series::new("a", points.iter().copied());
                let bounds = points.iter().map(|&(_, y)| (y - 1.0, y + infinity));
                let panel = Panel::new("y").y_scale(y).series(curve().error_bars([0.1, nan]));
                let panel =
                    panel.series(curve().band(bounds)).horizontal(nan, "h").horizontal(1.0, "i");
                let chart = Chart::new("t").x_scale(x).panel(panel).vertical(1.0, "v");
                assert_readable(&format!("{points:?} {x:?} {y:?}"), &chart);
                chart.png(0.5).unwrap();
            }
        }
    }
}

#[test]
fn values_without_a_place_are_counted() {
    let points = [(1.0, 0.0), (2.0, -3.0), (3.0, 4.0), (4.0, f64::NAN)];
    let panel = Panel::new("y").y_scale(Scale::Log).series(Series::new("a", points));
    let svg = Chart::new("t").panel(panel).svg();
    assert!(svg.contains("Not shown: 2 of 3 points"), "{svg}");
    assert!(!line([(1.0, 0.0), (2.0, f64::NAN)]).svg().contains("Not shown"));
    assert!(line([(f64::NAN, 1.0)]).svg().contains("no data"));
}

#[test]
fn any_number_of_series() {
    for n in [1, 2, 8, 9, 40, 200] {
        let panel = (0..n).fold(Panel::new("y"), |panel, k| {
            panel.series(Series::new(format!("series {k}"), [(0.0, f64::from(k)), (1.0, 0.0)]))
        });
        let chart = Chart::new("t").panel(panel);
        assert_readable(&format!("{n} series"), &chart);
        let n_keys = chart.svg().matches(">series ").count();
        assert!(n_keys == n as usize || chart.svg().contains("more</text>"), "{n}");
    }
}

#[test]
fn any_number_of_lines() {
    let panel =
        (0..60).fold(Panel::new("y"), |panel, i| panel.horizontal(f64::from(i % 7), "line"));
    let chart = (0..60).fold(Chart::new("t").panel(panel), |chart, i| {
        chart.vertical(f64::from(i % 11) * 0.01, format!("line number {i}"))
    });
    assert_readable("60 lines each way", &chart.clone().panel(Panel::new("z").height(0.2)));
    assert_readable("60 lines each way, small", &chart.size(300, 200));
}

#[test]
fn curves_of_one_name_look_alike() {
    let curve = |name| Series::new(name, [(0.0, 1.0), (1.0, 2.0)]);
    let upper = Panel::new("y").series(curve("a")).series(curve("b"));
    let svg = Chart::new("t").panel(upper).panel(Panel::new("z").series(curve("b"))).svg();
    assert_eq!(svg.matches(">b</text>").count(), 1);
    assert!(!svg.contains(&format!("#{:06x}", 0x009e73)), "a third colour");
}

#[test]
fn images_of_any_kind() {
    let error = Image::new(2, 3, vec![0.0; 5]).unwrap_err();
    assert_eq!(error, Error::Shape { width: 2, height: 3, found: 5 });
    assert!(Image::new(usize::MAX, 2, vec![]).is_err());
    let cases = [(0, 0), (1, 1), (0, 4), (300, 1), (1, 300), (1000, 3)];
    for (width, height) in cases {
        for value in [0.0, -2.5, f64::NAN, f64::INFINITY, 1e308] {
            let image = Image::new(width, height, vec![value; width * height]).unwrap();
            let grid = ImageGrid::new("t").image(image.clone()).image(image);
            assert_readable(&format!("{width} x {height} of {value}"), &grid);
            grid.png(0.5).unwrap();
        }
    }
    assert!(ImageGrid::new("t").svg().contains("no data"));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Whatever the labels, sizes and numbers: no text is cut off or covered.
    #[test]
    fn charts_are_readable(
        names in prop::collection::vec("\\PC{0,40}", 1..6),
        points in prop::collection::vec((-1e6..1e6f64, -1e9..1e9f64), 0..20),
        marks in prop::collection::vec((-1e6..1e6f64, "[a-z ]{0,30}"), 0..12),
        size in (10u32..900, 10u32..900),
    ) {
        let height = points.len() as f64;
        let panel = |name: &String| Panel::new(name.clone()).horizontal(height, name.clone());
        let curve = |name: &String| Series::new(name.clone(), points.clone());
        let add = |panel: Panel, name: &String| panel.series(curve(name));
        let first = names.iter().fold(panel(&names[0]), add);
        let chart = Chart::new(names.join(" ")).x_label(names.concat()).panel(first);
        let chart = marks.into_iter().fold(chart, |chart, (x, label)| chart.vertical(x, label));
        let chart = chart.panel(add(panel(&names[0]), &names[0])).size(size.0, size.1);
        assert_readable("generated", &chart);
    }
}
