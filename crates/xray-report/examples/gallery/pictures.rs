//! One picture of each kind, with invented numbers. The tests look at them too.

use xray_report::{
    BarChart, Bars, Chart, ColourMap, Image, ImageGrid, Panel, Picture, Scale, Series,
};

/// All pictures, with the names of their files.
pub fn pictures() -> Vec<(&'static str, Box<dyn Picture>)> {
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
        ("bars", Box::new(bars())),
        ("bars_signed", Box::new(signed_bars())),
        ("bars_many", Box::new(many_bars())),
        ("parts", Box::new(parts())),
        ("maps", Box::new(maps())),
        ("differences", Box::new(differences())),
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

/// Grouped bars with error bars and values.
fn bars() -> BarChart {
    BarChart::new("Agreement with the true topics", ["BBC", "Reuters 10", "TDT2", "20 Newsgroups"])
        .y_label("normalised mutual information")
        .bars(
            Bars::new("greedy", [0.812, 0.551, 0.744, 0.402]).error_bars([0.02, 0.03, 0.01, 0.04]),
        )
        .bars(Bars::new("dist", [0.779, 0.572, 0.801, 0.391]).error_bars([0.03, 0.02, 0.02, 0.03]))
        .bars(Bars::new("coordinate descent", [0.7, 0.48, f64::NAN, 0.35]))
        .values(2)
        .horizontal(0.9, "supervised")
}

/// Bars on both sides of zero.
fn signed_bars() -> BarChart {
    let words = ["match", "government", "film", "mobile phone", "growth", "award"];
    BarChart::new("Change of weight after refinement", words)
        .y_label("change")
        .bars(Bars::new("", [0.12, -0.31, 0.25, -0.04, 0.0, 0.4]))
        .values(2)
}

/// More names than fit beside each other.
fn many_bars() -> BarChart {
    let names = (1..=40).map(|k| format!("topic number {k}"));
    let heights = |shift: i32| (1..=40).map(move |k| f64::from((k * 37 + shift) % 41) * 1e4);
    BarChart::new("Documents in each topic", names)
        .y_label("documents")
        .bars(Bars::new("train", heights(0)))
        .bars(Bars::new("test", heights(5)))
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
    let caption = |k: usize| {
        let side = ["left arm", "right arm", "left leg", "right leg"][k / 4];
        format!("{side} {}", k % 4 + 1)
    };
    let limbs = (0..16).map(|k| image(11, 20, limb(k)).caption(caption(k)));
    let torso =
        (0..220).map(|i| f64::from(u8::from(i % 11 == 5 && (60..150).contains(&i)))).collect();
    ImageGrid::new("The 17 parts of the swimmers")
        .images(limbs)
        .image(image(11, 20, torso).caption("torso"))
}

/// Maps of abundance with a common scale and missing values.
fn maps() -> ImageGrid {
    let centres = [(20.0, 30.0), (70.0, 25.0), (50.0, 75.0), (85.0, 85.0)];
    let near = |x: usize, y: usize, (cx, cy): (f64, f64)| {
        (-((x as f64 - cx).powi(2) + (y as f64 - cy).powi(2)) / 900.0).exp()
    };
    let map = |k: usize| {
        let value = |i: usize| {
            let (x, y) = (i % 95, i / 95);
            let total: f64 = centres.iter().map(|&centre| near(x, y, centre)).sum();
            if x < 6 && y > 88 { f64::NAN } else { near(x, y, centres[k]) / total }
        };
        image(95, 95, (0..95 * 95).map(value).collect())
    };
    let names = ["tree", "water", "soil", "road"];
    ImageGrid::new("Abundance of four materials")
        .images(names.iter().enumerate().map(|(k, &name)| map(k).caption(name)))
        .colours(ColourMap::Heat)
        .colour_bar("abundance")
}

/// Signed values around zero, and images of other shapes.
fn differences() -> ImageGrid {
    let wave = |i: usize| (i as f64 * 0.11).sin() * (i as f64 / 300.0);
    ImageGrid::new("Differences")
        .image(image(30, 10, (0..300).map(wave).collect()).caption("wide"))
        .image(image(10, 30, (0..300).map(wave).collect()).caption("high"))
        .image(image(1, 1, vec![-1.0]).caption("one value"))
        .colours(ColourMap::Diverging)
        .colour_bar("found − true")
        .columns(3)
}

fn image(width: usize, height: usize, values: Vec<f64>) -> Image {
    Image::new(width, height, values).expect("as many values as pixels")
}
