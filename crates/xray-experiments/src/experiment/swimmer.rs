//! Swimmers: are the parts found? The experiment that the paper's source describes.

use anyhow::Result;
use xray_data::LoadedMatrix;
use xray_nmf::Refined;
use xray_report::{Cell, ColourMap, Column, Image, ImageGrid, Table, number};

use super::{Settings, swimmers};
use crate::evaluate::with_anchors;
use crate::method::{Found, Job, Method};
use crate::page::Page;
use crate::watch::Watch;

const METHODS: [&str; 6] =
    ["xray-max", "xray-dist", "xray-greedy", "spa-l1", "hottopixx", "nmf-hals"];

/// A topic shows a limb if the cosine of the two, outside the torso, is at least this.
const SHOWN: f64 = 0.9;

/// The part of the pixels of a noisy image that are disturbed.
const NOISE: f64 = 0.05;

/// Topics without and with noise: 16 limbs and the torso, and three more for noise.
const RANKS: [usize; 2] = [17, 20];

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
    noisy: bool,
    method: Method,
    limbs: usize,
    mean_cosine: f64,
    /// H, topic by topic.
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
    watch.begin("swimmer", kinds.len() * RANKS.len() * METHODS.len());
    let mut page = settings.page("swimmer", "Swimmers: parts of images");
    page.paragraph(format!(
        "256 images of a swimmer with four limbs, each in one of four positions; rows are images, columns are \
         pixels, anchors are pixels and the rows of H are topics to look at. Without noise r = {}: 16 limbs \
         and the torso, which is on in all images, so that the factorization is not unique. With noise r = \
         {}: {} of each image's pixels, chosen at random, get the largest value added. A limb counts as found \
         if a topic has a cosine of at least {SHOWN} with it outside the torso. Swimmers are drawn by the \
         program; the classic file of 220 pixels is used as well where it is there. Hottopixx runs 50 epochs.",
        RANKS[0],
        RANKS[1],
        number::percent(NOISE, 0)
    ));
    let mut outcomes = Vec::new();
    for images in &kinds {
        for (noisy, rank) in [false, true].into_iter().zip(RANKS) {
            let found = study(images, noisy, rank, settings, watch)?;
            let level = if noisy { "noisy" } else { "clean" };
            let part = format!("{}-{level}", images.name.replace(' ', "-"));
            let caption = format!("Topics of swimmers, {}, {level}", images.name);
            page.picture(&part, &caption, &picture(images, &found, &caption)?)?;
            outcomes.extend(found);
        }
    }
    page.table(&table(&outcomes));
    page.paragraph(
        "The paper's source says that XRAY's topics show the limbs better than those of the other methods. \
         Its pictures are not part of it.",
    );
    page.csv("", &csv(&outcomes));
    Ok(page)
}

fn study(
    images: &Images,
    noisy: bool,
    rank: usize,
    settings: &Settings,
    watch: &mut dyn Watch,
) -> Result<Vec<Outcome>> {
    let data = match noisy {
        false => images.clean.clone(),
        true => swimmers::with_noise(&images.clean, NOISE, settings.seed)?,
    };
    let parts = swimmers::parts(&images.clean);
    let limb_pixels: Vec<usize> = parts.iter().flatten().copied().collect();
    let mut outcomes = Vec::new();
    for name in METHODS {
        let method = Method::named(name)?;
        let job = Job { seed: settings.seed, threads: settings.threads, ..Job::new(rank) };
        let factors = match (method.run)(&data, &job)? {
            Found::Anchors(anchors) => {
                Refined::from_factorization(&with_anchors(&data, &anchors, job.threads)?)
            }
            Found::Factors(factors) => factors,
        };
        let topics: Vec<Vec<f64>> = (0..factors.rank)
            .map(|k| factors.h.iter().skip(k).step_by(factors.rank).copied().collect())
            .collect();
        let best: Vec<f64> =
            parts.iter().map(|part| best_cosine(part, &limb_pixels, &topics)).collect();
        let limbs = best.iter().filter(|cosine| **cosine >= SHOWN).count();
        let mean_cosine = best.iter().sum::<f64>() / best.len().max(1) as f64;
        outcomes.push(Outcome { images: images.name, noisy, method, limbs, mean_cosine, topics });
        watch.advance()?;
    }
    Ok(outcomes)
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

fn picture(images: &Images, outcomes: &[Outcome], title: &str) -> Result<ImageGrid> {
    let Images { width, height, by_column, .. } = *images;
    let columns = outcomes.iter().map(|outcome| outcome.topics.len()).max().unwrap_or(1);
    let mut grid = ImageGrid::new(title).columns(columns).colours(ColourMap::Grey).width(1200);
    for outcome in outcomes {
        for k in 0..columns {
            let mut topic =
                outcome.topics.get(k).cloned().unwrap_or_else(|| vec![0.0; width * height]);
            if by_column {
                let rows = (0..height).flat_map(|y| (0..width).map(move |x| x * height + y));
                topic = rows.map(|pixel| topic[pixel]).collect();
            }
            let caption = if k == 0 { outcome.method.label } else { "" };
            grid = grid.image(Image::new(width, height, topic)?.caption(caption));
        }
    }
    Ok(grid)
}

fn table(outcomes: &[Outcome]) -> Table {
    let columns = [
        Column::left("images"),
        Column::left("noise"),
        Column::left("method"),
        Column::right("limbs of 16"),
        Column::right("mean cosine"),
    ];
    let mut table = Table::new(columns);
    for outcome in outcomes {
        table.row([
            Cell::from(outcome.images),
            Cell::from(if outcome.noisy { "yes" } else { "no" }),
            Cell::from(outcome.method.label),
            Cell::count(outcome.limbs as u64),
            Cell::fixed(outcome.mean_cosine, 3),
        ]);
    }
    table
}

fn csv(outcomes: &[Outcome]) -> Table {
    let headers = ["images", "noise", "method", "topics", "limbs_found", "mean_cosine"];
    let mut table = Table::new(headers.map(Column::left));
    for outcome in outcomes {
        table.row([
            outcome.images.to_owned(),
            if outcome.noisy { NOISE.to_string() } else { "0".to_owned() },
            outcome.method.name.to_owned(),
            outcome.topics.len().to_string(),
            outcome.limbs.to_string(),
            outcome.mean_cosine.to_string(),
        ]);
    }
    table
}
