//! Swimmers: are the parts found? The experiment that the paper's source describes.

use anyhow::Result;
use xray_data::LoadedMatrix;
use xray_nmf::comm::OneRank;
use xray_report::{Cell, Column, Image, ImageGrid, Table, number};

use super::verdict::{Estimate, Runs, Verdict, all_above, judge};
use super::{Settings, swimmers};
use crate::method::{Found, Job, Method};
use crate::page::Page;
use crate::part::Part;
use crate::watch::Watch;

const METHODS: [&str; 10] = [
    "xray-max",
    "xray-dist",
    "xray-greedy",
    "xray-agg",
    "xray-joint",
    "xray-robust",
    "spa-l1",
    "vca",
    "hottopixx",
    "nmf-hals",
];

/// Draws of the noise.
const DRAWS: usize = 3;

/// A topic shows a limb if the cosine of the two, outside the torso, is at least this.
const SHOWN: f64 = 0.9;

/// Parts of an image's pixels that are disturbed; topics of the first two are shown as pictures.
const LEVELS: [f64; 5] = [0.0, 0.02, 0.01, 0.05, 0.1];
const PICTURES: usize = 2;

/// Topics without and with noise: 16 limbs and the torso, and three more for noise.
const CLEAN_RANK: usize = 17;
const NOISY_RANK: usize = 20;

/// Limbs of a swimmer, in all positions.
const LIMBS_DRAWN: f64 = 16.0;

/// Height of the images in the file of real ones; they are stored column after column.
const FILE_HEIGHT: usize = 20;

/// Images to factor, and how to show a topic.
struct Images {
    name: &'static str,
    clean: LoadedMatrix,
    width: usize,
    height: usize,
    /// Whether pixels are stored column after column.
    by_column: bool,
}

/// What one method found.
struct Outcome {
    images: &'static str,
    noise: f64,
    method: Method,
    /// Limbs found, and the mean cosine, for each draw of the noise.
    limbs: Vec<f64>,
    mean_cosine: Vec<f64>,
    /// H, topic by topic, of the first draw.
    topics: Vec<Vec<f64>>,
}

pub(super) fn run(settings: &Settings, watch: &mut dyn Watch) -> Result<Page> {
    let side = swimmers::SIDE;
    let drawn = Images {
        name: "drawn",
        clean: swimmers::draw()?,
        width: side,
        height: side,
        by_column: false,
    };
    let mut kinds = vec![drawn];
    if let (false, Ok(folder)) = (settings.quick, settings.folder()) {
        let clean = folder.swimmer()?;
        let width = clean.n_columns() / FILE_HEIGHT;
        let name = "from file";
        kinds.push(Images { name, clean, width, height: FILE_HEIGHT, by_column: true });
    }
    watch.begin("swimmer", kinds.len() * LEVELS.len() * METHODS.len());
    let mut page = settings.page("swimmer", "Swimmers: parts of images");
    page.paragraph(format!(
        "256 images of a swimmer with four limbs, each in one of four positions; rows are images, columns are \
         pixels, anchors are pixels and the rows of H are topics to look at. Without noise r = {CLEAN_RANK}: 16 limbs \
         and the torso, which is on in all images, so that the factorization is not unique. With noise r = \
         {NOISY_RANK}: a part of each image's pixels, chosen at random, get the largest value added. A limb counts as found \
         if a topic has a cosine of at least {SHOWN} with it outside the torso. Figures are means of {DRAWS} draws of the \
         noise. Swimmers are drawn by the program; the classic file of 220 pixels is used as well where it is there. \
         Hottopixx makes 50 epochs of steps. In the pictures each topic has its own grey scale, from 0 (black) to its largest value (white); a black tile is a \
         topic of zeros, or none at all."
    ));
    let mut outcomes = Vec::new();
    for images in &kinds {
        for (k, noise) in LEVELS.into_iter().enumerate() {
            let found = study(images, noise, settings, watch)?;
            if k < PICTURES {
                let kind = if noise > 0.0 { "noisy" } else { "clean" };
                let part = format!("{}-{kind}", images.name.replace(' ', "-"));
                let noise = number::percent(noise, 0);
                let caption = format!("Topics of swimmers, {}, noise {noise}", images.name);
                page.picture(&part, &caption, &picture(images, &found, &title(&caption, &found))?)?;
            }
            outcomes.extend(found);
        }
    }
    page.paragraph("Limbs found of 16, and in brackets the mean over limbs of the largest cosine with a topic:");
    page.table(&table(&outcomes));
    judge(&mut page, &verdicts(&outcomes));
    page.csv("", &csv(&outcomes));
    Ok(page)
}

fn study(
    images: &Images,
    noise: f64,
    settings: &Settings,
    watch: &mut dyn Watch,
) -> Result<Vec<Outcome>> {
    let rank = if noise > 0.0 { NOISY_RANK } else { CLEAN_RANK };
    let n_draws = if noise > 0.0 { DRAWS } else { 1 };
    let draws: xray_nmf::Result<Vec<LoadedMatrix>> = (0..n_draws as u64)
        .map(|k| swimmers::with_noise(&images.clean, noise, settings.seed + k))
        .collect();
    let draws = draws?;
    let parts = swimmers::parts(&images.clean);
    let limb_pixels: Vec<usize> = parts.iter().flatten().copied().collect();
    let mut outcomes = Vec::new();
    for name in METHODS {
        let method = Method::named(name)?;
        let (images, topics) = (images.name, Vec::new());
        let (limbs, mean_cosine) = (Vec::new(), Vec::new());
        let mut outcome = Outcome { images, noise, method, limbs, mean_cosine, topics };
        for data in &draws {
            let topics = topics_of(&method, data, rank, settings.seed)?;
            let best: Vec<f64> =
                parts.iter().map(|part| best_cosine(part, &limb_pixels, &topics)).collect();
            let found = best.iter().filter(|cosine| **cosine >= SHOWN).count();
            outcome.limbs.push(found as f64);
            outcome.mean_cosine.push(best.iter().sum::<f64>() / best.len().max(1) as f64);
            if outcome.topics.is_empty() {
                outcome.topics = topics;
            }
        }
        outcomes.push(outcome);
        watch.advance()?;
    }
    Ok(outcomes)
}

/// The rows of H that a method finds.
fn topics_of(
    method: &Method,
    data: &LoadedMatrix,
    rank: usize,
    seed: u64,
) -> Result<Vec<Vec<f64>>> {
    let part = Part::whole(data.as_matrix());
    let factors = match method.run(part, &Job { seed, ..Job::new(rank) })? {
        Found::Anchors(anchors) if anchors.is_empty() => return Ok(Vec::new()),
        Found::Anchors(anchors) => part.with_anchors(&anchors)?.factors(&OneRank)?,
        Found::Factors(factors) => factors,
    };
    let topic = |k: usize| factors.h.iter().skip(k).step_by(factors.rank).copied().collect();
    Ok((0..factors.rank).map(topic).collect())
}

/// The largest cosine of a limb with a topic, over the pixels of all limbs.
fn best_cosine(part: &[usize], limb_pixels: &[usize], topics: &[Vec<f64>]) -> f64 {
    let cosine = |topic: &Vec<f64>| {
        let product: f64 = part.iter().map(|&pixel| topic[pixel]).sum();
        let square: f64 = limb_pixels.iter().map(|&pixel| topic[pixel] * topic[pixel]).sum();
        if square > 0.0 { product / (square * part.len() as f64).sqrt() } else { 0.0 }
    };
    topics.iter().map(cosine).fold(0.0, f64::max)
}

/// What the picture shows, and who finds the limbs.
fn title(caption: &str, outcomes: &[Outcome]) -> String {
    let all = |outcome: &&Outcome| outcome.limbs[0] == LIMBS_DRAWN;
    let found: Vec<&str> = outcomes.iter().filter(all).map(|o| o.method.label).collect();
    match found[..] {
        [] => format!("{caption}: nobody finds all limbs"),
        [one] => format!("{caption}: {one} alone finds all limbs"),
        _ => format!("{caption}: {} find all limbs", found.join(", ")),
    }
}

fn picture(images: &Images, outcomes: &[Outcome], title: &str) -> Result<ImageGrid> {
    let Images { width, height, by_column, .. } = *images;
    let columns = outcomes.iter().map(|outcome| outcome.topics.len()).max().unwrap_or(1);
    let labels = outcomes
        .iter()
        .map(|outcome| format!("{}: {} limbs of 16", outcome.method.label, outcome.limbs[0]));
    let mut grid = ImageGrid::new(title).columns(columns).row_labels(labels).width(1800);
    for outcome in outcomes {
        for k in 0..columns {
            let mut topic =
                outcome.topics.get(k).cloned().unwrap_or_else(|| vec![0.0; width * height]);
            if by_column {
                let rows = (0..height).flat_map(|y| (0..width).map(move |x| x * height + y));
                topic = rows.map(|pixel| topic[pixel]).collect();
            }
            grid = grid.image(Image::new(width, height, topic)?);
        }
    }
    Ok(grid)
}

const LIMBS: &str = "\"In summary, the topics obtained by the proposed methods of NNOMP and Conic outperform other methods \
    in terms of recovering the parts (limbs).\" (the paper's source; Conic is max or dist, NNOMP is greedy; limbs found, \
    against SPA (l1) and Hottopixx, over images, levels of noise and draws)";

/// Each XRAY rule against SPA and Hottopixx, over all images, levels and draws.
fn verdicts(outcomes: &[Outcome]) -> Vec<Verdict> {
    let limbs = |name: &str, noisy: bool| -> Vec<f64> {
        let same = |o: &&Outcome| o.method.name == name && (o.noise > 0.0) == noisy;
        outcomes.iter().filter(same).flat_map(|outcome| outcome.limbs.clone()).collect()
    };
    let mut verdicts = Vec::new();
    for (noisy, noise) in [(false, "without noise"), (true, "with noise")] {
        for (name, label) in [("xray-max", "max"), ("xray-dist", "dist"), ("xray-greedy", "greedy")]
        {
            let values = [name, "spa-l1", "hottopixx"].map(|name| limbs(name, noisy));
            let labels = [label, "SPA (l1)", "Hottopixx"];
            let runs = [0, 1, 2].map(|k| Runs { label: labels[k], values: &values[k] });
            let judged = all_above(&runs[..1], &runs[1..], None);
            let shown = runs
                .map(|runs| format!("{} {}", runs.label, Estimate::of(runs.values).shown(1.0, 1)));
            let verdict = Verdict::new(LIMBS, format!("{label} {noise}"), judged);
            let verdict = verdict.figures(shown.join(", "));
            let held = !noisy || name == "xray-greedy";
            verdicts.push(if held { verdict.held_before() } else { verdict });
        }
    }
    verdicts
}

/// Limbs found and mean cosine, a row for each method and kind of images.
fn table(outcomes: &[Outcome]) -> Table {
    let mut levels = LEVELS;
    levels.sort_by(f64::total_cmp);
    let headers = levels.map(|noise| Column::right(format!("noise {}", number::percent(noise, 0))));
    let first = [Column::left("images"), Column::left("method")];
    let mut table = Table::new(first.into_iter().chain(headers));
    for start in outcomes.iter().filter(|outcome| outcome.noise == 0.0) {
        let cell = |noise: f64| {
            let same = |o: &&Outcome| {
                o.noise == noise && o.images == start.images && o.method == start.method
            };
            outcomes.iter().find(same).map_or_else(Cell::missing, |outcome| {
                let [limbs, cosine] =
                    [&outcome.limbs, &outcome.mean_cosine].map(|v| Estimate::of(v).mean);
                Cell::from(format!("{limbs:.1} ({cosine:.2})"))
            })
        };
        let names = [Cell::from(start.images), Cell::from(start.method.label)];
        table.row(names.into_iter().chain(levels.map(cell)));
    }
    table
}

fn csv(outcomes: &[Outcome]) -> Table {
    let headers = [
        "images",
        "noise",
        "method",
        "topics",
        "draws",
        "limbs_found",
        "limbs_error",
        "mean_cosine",
    ];
    let mut table = Table::new(headers.map(Column::left));
    for outcome in outcomes {
        table.row([
            outcome.images.to_owned(),
            outcome.noise.to_string(),
            outcome.method.name.to_owned(),
            outcome.topics.len().to_string(),
            outcome.limbs.len().to_string(),
            Estimate::of(&outcome.limbs).mean.to_string(),
            Estimate::of(&outcome.limbs).error.to_string(),
            Estimate::of(&outcome.mean_cosine).mean.to_string(),
        ]);
    }
    table
}
