//! One picture of each kind, with invented numbers. The tests look at them too.

use xray_report::{Chart, Image, ImageGrid, Panel, Picture, Scale, Series};

/// All pictures, with the names of their files.
pub(crate) fn pictures() -> Vec<(&'static str, Box<dyn Picture>)> {
    vec![
        ("rank", Box::new(rank())),
        ("noise", Box::new(noise())),
        ("scaling", Box::new(scaling())),
        ("many", Box::new(many())),
        ("labels", Box::new(labels())),
        ("empty", Box::new(Chart::new("Nothing to show").x_label("rank"))),
        ("constant", Box::new(constant())),
        ("window", Box::new(window())),
        ("small", Box::new(small())),
        ("parts", Box::new(parts())),
        ("shapes", Box::new(shapes())),
    ]
}

/// The chart of a suggested rank: error above, gain below.
fn rank() -> Chart {
    let error = |r: i32| 0.28 + 0.7 * (-0.45 * f64::from(r)).exp();
    let curve = |shift: f64| (1..=20).map(move |r| (f64::from(r), error(r) + shift));
    let gain = (2..=20).map(|r| (f64::from(r), error(r - 1) - error(r)));
    Chart::new("Error against rank: BBC news, 9,635 words, 2,225 documents")
        .x_label("rank")
        .panel(
            Panel::new("relative error")
                .series(Series::new("fitted", curve(0.0)))
                .series(Series::new("held out", curve(0.03)))
                .horizontal(0.25, "all features"),
        )
        .panel(
            Panel::new("gain").y_scale(Scale::Log).series(Series::new("fitted", gain)).height(0.55),
        )
        .vertical(5.0, "suggested rank 5")
}

/// Recovery against noise, with bands and error bars.
fn noise() -> Chart {
    let levels = || (0..=10).map(|i| f64::from(i) * 0.15);
    let curve = |name: &str, strength: f64| {
        let points = levels().map(|s| (s, 1.0 / (1.0 + (strength * s).powi(3))));
        Series::new(name, points)
    };
    let bounds = |strength: f64| {
        levels().map(move |s| {
            let y = 1.0 / (1.0 + (strength * s).powi(3));
            let d = 0.15 * y * (1.0 - y) + 0.01;
            (y - d, y + d)
        })
    };
    Chart::new("Recovered anchors against noise").x_label("noise level δ").panel(
        Panel::new("fraction of anchors recovered")
            .series(curve("greedy", 0.8).band(bounds(0.8)))
            .series(curve("dist", 1.0).band(bounds(1.0)))
            .series(curve("max", 1.4).error_bars(levels().map(|s| 0.05 * s)))
            .series(curve("SPA", 1.9).dashed()),
    )
}

/// Both axes logarithmic, with a point that has no place on them.
fn scaling() -> Chart {
    let sizes = || (0..=8).map(|i| 10f64.powf(2.0 + 0.5 * f64::from(i)));
    let curve = |name: &str, factor: f64, power: f64| {
        Series::new(name, sizes().map(move |n| (n, factor * n.powf(power))))
    };
    let short = Series::new("1 thread, cached", [(0.0, 1.0), (1e3, 2e-3), (1e4, 1.6e-2)]);
    Chart::new("Time against the number of columns").x_label("columns").x_scale(Scale::Log).panel(
        Panel::new("seconds")
            .y_scale(Scale::Log)
            .series(curve("1 thread", 1e-5, 1.1))
            .series(curve("2 threads", 0.55e-5, 1.1))
            .series(curve("direct engine", 2e-7, 1.9))
            .series(short)
            .horizontal(60.0, "one minute")
            .horizontal(40.0, "coffee")
            .horizontal(3600.0, "one hour"),
    )
}

/// Many curves: colours, dashes and markers repeat, the legend is in columns.
fn many() -> Chart {
    let panel = (0..24).fold(Panel::new("weight"), |panel, k| {
        let wave =
            move |i: i32| (f64::from(i), (f64::from(i) * 0.3 + f64::from(k)).sin() + f64::from(k));
        panel.series(Series::new(format!("topic {}", k + 1), (0..25).map(wave)))
    });
    Chart::new("Topics over time").x_label("week").panel(panel)
}

/// Long labels, crowded lines, and characters that need care.
fn labels() -> Chart {
    let title = "A title that is so long that it cannot be set on one line, with <angles> & \
                 \"quotes\", and goes on";
    let big = (0..12).map(|i| (f64::from(i) * 1e6, -3e8 + 1e8 * f64::from(i % 7)));
    Chart::new(title)
        .x_label("an x axis with a unit (µs · 10⁶)")
        .panel(
            Panel::new(
                "a long name of a y axis that does not fit into the height of its panel (unit)",
            )
            .series(Series::new("Größe, ширина, μέγεθος", big.clone()))
            .series(Series::new("主题模型", big.map(|(x, y)| (x, 0.8 * y + 5e7))).scattered()),
        )
        .vertical(3e6, "suggested rank")
        .vertical(3.3e6, "true rank")
        .vertical(1.1e7, "the largest rank that was tried")
        .size(560, 420)
}

/// Nothing varies, and one point is missing.
fn constant() -> Chart {
    let points = [(1.0, 0.5), (2.0, 0.5), (3.0, f64::NAN), (4.0, 0.5)];
    Chart::new("Constant").panel(Panel::new("y").series(Series::new("flat", points)))
}

/// A part of the data, and lines too dense for markers.
fn window() -> Chart {
    let wave = |i: i32| (f64::from(i) * 0.002, 1.5 * (f64::from(i) * 0.003).sin());
    let steps = |i: i32| (f64::from(i), 1.2 * (f64::from(i) * 0.5).cos());
    Chart::new("From 5 to 20").x_label("time (s)").x_range(5.0, 20.0).panel(
        Panel::new("signal")
            .y_range(-1.0, 1.0)
            .series(Series::new("measured", (0..20_000).map(wave)))
            .series(Series::new("sampled", (0..40).map(steps)).markers(true)),
    )
}

/// Smaller than its parts: it grows.
fn small() -> Chart {
    let line = |name: &str, slope: f64| Series::new(name, [(1.0, 0.0), (9.0, slope)]);
    let panel =
        Panel::new("y").series(line("first series", 1.0)).series(line("second series", 2.0));
    Chart::new("A small picture").x_label("x").panel(panel).vertical(3.0, "here").size(10, 10)
}

/// The parts of a swimmer: 17 small images in grey.
fn parts() -> ImageGrid {
    let limb = |k: usize| {
        let (side, angle) = (k / 4, k % 4);
        let mut values = vec![0.0; 20 * 11];
        for step in 0..4 {
            let x = if side % 2 == 0 { 4 - step.min(angle + 1) } else { 6 + step.min(angle + 1) };
            let y = if side < 2 { 6 + step * angle / 3 } else { 12 + step * (3 - angle) / 2 };
            values[y * 11 + x] = 1.0;
        }
        values
    };
    let torso =
        (0..220).map(|i| f64::from(u8::from(i % 11 == 5 && (60..150).contains(&i)))).collect();
    let limbs = (0..16).fold(ImageGrid::new("The 17 parts of the swimmers"), |grid, k| {
        grid.image(image(11, 20, limb(k)))
    });
    limbs
        .image(image(11, 20, torso))
        .columns(4)
        .row_labels(["left arm", "right arm", "left leg", "right leg", "torso"])
        .width(400)
}

/// Signed and missing values, and images of other shapes.
fn shapes() -> ImageGrid {
    let wave = |i: usize| (i as f64 * 0.11).sin() * (i as f64 / 300.0);
    let holes = |i: usize| if i % 30 < 4 { f64::NAN } else { wave(i) };
    ImageGrid::new("Shapes")
        .image(image(30, 10, (0..300).map(wave).collect()))
        .image(image(10, 30, (0..300).map(holes).collect()))
        .image(image(1, 1, vec![-1.0]))
}

fn image(width: usize, height: usize, values: Vec<f64>) -> Image {
    Image::new(width, height, values).expect("as many values as pixels")
}
