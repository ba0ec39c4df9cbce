//! Harder data than the paper's: other designs of anchors, mixtures and noise.

use anyhow::Result;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;
use xray_nmf::synth::{Design, Noise, Planted, Synthetic};
use xray_nmf::{DenseMatrix, Matrix};
use xray_report::{Cell, Column, Table};

use super::Settings;
use super::verdict::Estimate;
use crate::method::{Found, Job, METHODS, Method, Procedure};
use crate::page::Page;
use crate::part::Part;
use crate::watch::Watch;

const RANK: usize = 20;

/// Methods that take seconds for each data set, or are exact without noise only.
const LEFT_OUT: [&str; 6] =
    ["esser", "esser-merged", "esser-l12", "arora", "clarkson", "hottopixx-converged"];

/// Mixtures that are replaced by columns that have nothing to do with the anchors.
const OUTLIERS: usize = 5;

/// One kind of data.
struct Setting {
    name: &'static str,
    design: Design,
    noise: f64,
    kind: Noise,
    outliers: usize,
}

impl Setting {
    const fn new(name: &'static str, design: Design, noise: f64, kind: Noise) -> Self {
        Self { name, design, noise, kind, outliers: 0 }
    }
}

const ILL: f64 = 1e3;

const SETTINGS: [Setting; 9] = [
    Setting::new("the paper's, noise 0.3", Design::Dirichlet, 0.3, Noise::Gaussian),
    Setting::new("middle points, noise 0.3", Design::MiddlePoints, 0.3, Noise::Gaussian),
    Setting::new("middle points, outward 0.1", Design::MiddlePoints, 0.1, Noise::Outward),
    Setting::new("middle points, outward 0.5", Design::MiddlePoints, 0.5, Noise::Outward),
    Setting::new(
        "ill-conditioned, noise 0.001",
        Design::IllConditioned { condition: ILL },
        0.001,
        Noise::Gaussian,
    ),
    Setting::new(
        "ill-conditioned middle points, outward 0.1",
        Design::IllConditionedMiddlePoints { condition: ILL },
        0.1,
        Noise::Outward,
    ),
    Setting::new(
        "scaled columns, noise 0.1",
        Design::ScaledColumns { sigma: 1.0 },
        0.1,
        Noise::Gaussian,
    ),
    Setting::new(
        "rank-deficient, no noise",
        Design::RankDeficient { dimension: 3 },
        0.0,
        Noise::Gaussian,
    ),
    Setting {
        name: "outliers, noise 0.1",
        design: Design::Dirichlet,
        noise: 0.1,
        kind: Noise::Gaussian,
        outliers: OUTLIERS,
    },
];

/// Recovery of one method with each setting.
struct Line {
    method: Method,
    recoveries: Vec<Vec<f64>>,
}

pub(super) fn run(settings: &Settings, watch: &mut dyn Watch) -> Result<Page> {
    let runs = if settings.quick { 2 } else { 10 };
    let methods: Vec<Method> = METHODS
        .iter()
        .filter(|method| !matches!(method.procedure, Procedure::Factors(_)))
        .filter(|method| !LEFT_OUT.contains(&method.name))
        .copied()
        .collect();
    watch.begin("designs", methods.len() * SETTINGS.len());
    let mut lines = Vec::new();
    for method in methods {
        let mut recoveries = Vec::new();
        for setting in &SETTINGS {
            let seeds = (0..runs as u64).into_par_iter();
            let found: Result<Vec<f64>> =
                seeds.map(|k| recovery(&method, setting, settings.seed + k)).collect();
            recoveries.push(found?);
            watch.advance()?;
        }
        lines.push(Line { method, recoveries });
    }
    Ok(page(settings, &lines, runs))
}

fn recovery(method: &Method, setting: &Setting, seed: u64) -> Result<f64> {
    let data = drawn(setting, method.needs_nonnegative, seed)?;
    let rank = RANK + setting.outliers;
    let job = Job { seed, ..Job::new(rank) };
    match method.run(Part::whole(&data.matrix), &job)? {
        Found::Anchors(anchors) => Ok(data.recovery(&anchors)),
        Found::Factors(_) => Ok(0.0),
    }
}

/// The data, with some mixtures replaced by columns of independent uniform entries.
fn drawn(setting: &Setting, clip: bool, seed: u64) -> Result<Planted> {
    let &Setting { design, noise, kind, outliers, .. } = setting;
    let drawn = Synthetic {
        design,
        rank: RANK,
        noise,
        noise_kind: kind,
        seed,
        clip,
        ..Synthetic::default()
    };
    let data = drawn.generate()?;
    if outliers == 0 {
        return Ok(data);
    }
    let (m, n) = (data.matrix.n_rows(), data.matrix.n_columns());
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    random.set_stream(2);
    let mixtures = (0..n).filter(|j| !data.anchors.contains(j)).take(outliers);
    let replaced: Vec<usize> = mixtures.collect();
    let mut values = Vec::with_capacity(m * n);
    for j in 0..n {
        if replaced.contains(&j) {
            values.extend((0..m).map(|_| random.random::<f64>()));
        } else {
            values.extend(data.matrix.column(j).to_dense(m));
        }
    }
    Ok(Planted { matrix: DenseMatrix::from_column_major(m, n, values)?, anchors: data.anchors })
}

fn page(settings: &Settings, lines: &[Line], runs: usize) -> Page {
    let mut page = settings.page("designs", "Harder data: other designs of anchors and noise");
    page.paragraph(format!(
        "Beyond the paper: the part of {RANK} anchors that is recovered, mean of {runs} data sets of 200 x 210 with its \
         standard error; the best of each column, and what ties with it, is bold. Middle points are all midpoints of \
         two anchors; outward noise pushes them out of the cone. Ill-conditioned anchors have singular values down to \
         {ILL} times below the largest. Scaled columns have a log-normal scale each, so that small columns are \
         noisier. Rank-deficient data has {RANK} extreme rays in three dimensions: more than any method that projects \
         on the orthogonal complement can find. Outliers: {OUTLIERS} mixtures are replaced by columns of independent uniform \
         entries, which are extreme rays themselves, and {} anchors are asked for. Left out are methods that take seconds for each \
         data set or are for data without noise (Esser, Arora, Clarkson/Dula, Hottopixx converged). `xray synth` makes such data.",
        RANK + OUTLIERS
    ));
    page.table(&table(lines));
    page.csv("", &csv(lines));
    page
}

fn table(lines: &[Line]) -> Table {
    let headers = SETTINGS.iter().map(|setting| Column::right(setting.name));
    let mut table = Table::new([Column::left("method")].into_iter().chain(headers));
    let best = |k: usize| {
        let estimates = lines.iter().map(|line| Estimate::of(&line.recoveries[k]));
        estimates.max_by(|a, b| a.mean.total_cmp(&b.mean))
    };
    for line in lines {
        let cells = line.recoveries.iter().enumerate().map(|(k, runs)| {
            let found = Estimate::of(runs);
            let cell = Cell::from(found.shown(1.0, 2));
            let margin = |best: Estimate| 2.0 * best.error.hypot(found.error);
            let ties = best(k).is_some_and(|best| found.mean >= best.mean - margin(best));
            if ties { cell.bold() } else { cell }
        });
        table.row([Cell::from(line.method.label)].into_iter().chain(cells));
    }
    table
}

fn csv(lines: &[Line]) -> Table {
    let headers = ["design", "noise", "method", "recovery_mean", "standard_error", "runs"];
    let mut table = Table::new(headers.map(Column::left));
    for line in lines {
        for (setting, runs) in SETTINGS.iter().zip(&line.recoveries) {
            let Estimate { mean, error } = Estimate::of(runs);
            table.row([
                setting.name.to_owned(),
                setting.noise.to_string(),
                line.method.name.to_owned(),
                mean.to_string(),
                error.to_string(),
                runs.len().to_string(),
            ]);
        }
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outliers_take_the_place_of_mixtures() {
        let setting = &SETTINGS[SETTINGS.len() - 1];
        let plain = Setting { outliers: 0, ..*setting };
        let [with, without] = [setting, &plain].map(|s| drawn(s, false, 4).expect("data"));
        assert_eq!(with.anchors, without.anchors);
        let differs = |j: &usize| {
            with.matrix.column(*j).to_dense(200) != without.matrix.column(*j).to_dense(200)
        };
        let changed: Vec<usize> = (0..210).filter(differs).collect();
        assert_eq!(changed.len(), OUTLIERS);
        assert!(changed.iter().all(|j| !with.anchors.contains(j)));
    }
}
