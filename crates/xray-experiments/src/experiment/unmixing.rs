//! Hyperspectral unmixing: real and drawn scenes, beside methods that take single pixels. Not in the paper.
//!
//! Rivals get pixels as they are, and pixels that are averaged with their neighbours and projected as ours are: the second is the
//! fair comparison, since single pixels have their noise.

use anyhow::Result;
use rayon::prelude::*;
use xray_data::cube::{Cube, CubeOptions, Spectra, read_spectra};
use xray_nmf::rivals::{NfindrParams, SnpaParams, SpaParams, VcaParams, nfindr, snpa, spa, vca};
use xray_nmf::synth::{Scene, scene_designs};
use xray_nmf::unmix::{AbundanceRule, Moments, Neighbours, Subspace};
use xray_nmf::{DenseMatrix, Matrix, Normalize, Params, fit, nnls};
use xray_pipeline::ignore;
use xray_pipeline::unmix::{Truth, UnmixOptions, Unmixed, find_abundances, find_endmembers};
use xray_report::{Cell, Column, Table};

use super::Settings;
use crate::page::Page;
use crate::watch::Watch;

/// Seeds of these experiments begin here: no constant was chosen by looking at them.
const FIRST_SEED: u64 = 90_000;
/// Seeds of VCA.
const VCA_SEEDS: u64 = 20;

/// Who competes with the recipe.
const RIVALS: [&str; 7] =
    ["N-FINDR", "VCA, mean of 20", "SPA", "SNPA", "SNPA (l1)", "SMACC-like", "XRAY(max)"];

/// A scene whose endmembers are known.
struct Known {
    name: String,
    cube: Cube,
    truth: Spectra,
}

/// Mean angle in degrees, and error of the abundances if they are known.
#[derive(Debug, Clone, Copy, Default)]
struct Score {
    angle: f64,
    error: Option<f64>,
}

pub(super) fn run(settings: &Settings, watch: &mut dyn Watch) -> Result<Page> {
    let mut page = settings.page("unmixing", "Unmixing: endmembers of real and drawn scenes");
    let seeds = if settings.quick { 1 } else { 3 };
    let designs: Vec<(&str, Scene)> = if settings.quick {
        vec![("small", Scene { rows: 24, columns: 24, bands: 40, rank: 3, ..Scene::default() })]
    } else {
        scene_designs()
    };
    let real = real_scenes(settings)?;
    watch.begin("unmixing", real.len() + designs.len());
    if !real.is_empty() {
        told_real(&mut page, real, watch)?;
    }
    told_drawn(&mut page, settings, &designs, seeds, watch)?;
    Ok(page)
}

/// Samson and Jasper Ridge, if their folder is there.
fn real_scenes(settings: &Settings) -> Result<Vec<Known>> {
    if settings.quick {
        return Ok(Vec::new());
    }
    settings.folder()?;
    let Some(folder) = &settings.data else { return Ok(Vec::new()) };
    let files = [
        ("Samson", "samson/samson_1.mat", "samson/Samson_GT.mat"),
        ("Jasper Ridge", "jasper/jasperRidge2_R198.mat", "jasper/Jasper_GT.mat"),
    ];
    let known = |(name, cube, truth): (&str, &str, &str)| -> Result<Known> {
        let options = CubeOptions::default();
        let cube = Cube::open(&folder.join(cube), &options)?;
        Ok(Known {
            name: name.to_owned(),
            cube,
            truth: read_spectra(&folder.join(truth), &options)?,
        })
    };
    files.into_iter().map(known).collect()
}

/// How near spectra are to the truth.
fn score(known: &mut Known, found: &Unmixed) -> Result<Score> {
    let mut truth = Truth::new(known.truth.clone(), &known.cube, found)?;
    find_abundances(&mut known.cube, found, AbundanceRule::Scaled, &mut ignore, |block| {
        truth.compare(block);
        Ok(())
    })?;
    let facts = truth.facts();
    Ok(Score { angle: facts.mean_angle, error: facts.abundance_rmse })
}

/// The pixels as a matrix: as they are, or averaged with their neighbours and projected on r directions.
fn pixels(cube: &mut Cube, found: &Unmixed, averaged: bool) -> Result<DenseMatrix<'static, f64>> {
    let (m, r) = (cube.bands().len(), found.spectra.len());
    let mut all = Vec::new();
    cube.read_lines(0..cube.rows(), &mut all)?;
    let n = all.len() / m;
    if !averaged {
        return Ok(DenseMatrix::from_column_major(m, n, all)?);
    }
    let mut moments = Moments::new(m);
    moments.add(&all);
    let subspace = Subspace::new(&moments, &found.bands, r);
    let mut neighbours = Neighbours::new(r);
    let places = subspace.places(&all);
    places.chunks(cube.columns() * (r + 1)).for_each(|line| neighbours.push(line));
    let points = neighbours.finish();
    let wide = |j: usize| points.place(j).iter().map(|&v| f64::from(v)).collect::<Vec<f64>>();
    let values: Vec<f64> = (0..n).flat_map(|j| subspace.spectrum(&wide(j))).collect();
    Ok(DenseMatrix::from_column_major(m, n, values)?)
}

/// The pixels that a rival chooses.
fn chosen(x: &DenseMatrix<'static, f64>, rival: &str, r: usize, seed: u64) -> Result<Vec<usize>> {
    Ok(match rival {
        "N-FINDR" => nfindr(x, &NfindrParams::new(r))?.anchors,
        "SPA" => spa(x, &SpaParams { normalize: Normalize::None, ..SpaParams::new(r) })?.anchors,
        "SNPA" => {
            snpa(x, &SnpaParams { normalize: Normalize::None, ..SnpaParams::new(r) })?.anchors
        }
        "SNPA (l1)" => snpa(x, &SnpaParams::new(r))?.anchors,
        "SMACC-like" => smacc(x, r)?,
        "XRAY(max)" => fit(x, &Params { allow_negative: true, ..Params::new(r) })?.anchors(),
        _ => vca(x, &VcaParams { seed, ..VcaParams::new(r) })?.anchors,
    })
}

/// The column with the largest residual of the projection on the cone so far, again and again.
fn smacc(x: &DenseMatrix<'static, f64>, r: usize) -> Result<Vec<usize>> {
    let mut chosen: Vec<usize> = Vec::new();
    let mut residuals: Vec<f64> = x.squared_norms().iter().map(|v| v.sqrt()).collect();
    while chosen.len() < r {
        let largest = (0..residuals.len())
            .fold(0, |best, j| if residuals[j] > residuals[best] { j } else { best });
        chosen.push(largest);
        let rays: Vec<f64> = chosen.iter().flat_map(|&j| x.column(j).values).collect();
        residuals = nnls(&DenseMatrix::from_column_major(x.n_rows(), chosen.len(), rays)?, x)?
            .residual_norms;
    }
    Ok(chosen)
}

/// The score of a rival, of VCA the mean over its seeds.
fn rival_score(
    known: &mut Known,
    x: &DenseMatrix<'static, f64>,
    found: &Unmixed,
    rival: &str,
) -> Result<Score> {
    let r = found.spectra.len();
    let seeds = if rival.starts_with("VCA") { VCA_SEEDS } else { 1 };
    let mut scores = Vec::new();
    for seed in 0..seeds {
        let mut spectra: Vec<Vec<f64>> =
            chosen(x, rival, r, seed)?.iter().map(|&j| x.column(j).values).collect();
        // A rival that finds too few repeats its last.
        while spectra.len() < r {
            spectra.push(spectra.last().cloned().unwrap_or_else(|| vec![1.0; x.n_rows()]));
        }
        let members = vec![Vec::new(); r];
        scores.push(score(known, &Unmixed { spectra, members, ..found.clone() })?);
    }
    let n = scores.len() as f64;
    let error: Option<f64> = scores.iter().map(|score| score.error).sum();
    Ok(Score {
        angle: scores.iter().map(|score| score.angle).sum::<f64>() / n,
        error: error.map(|sum| sum / n),
    })
}

/// The recipe, and all rivals on raw and on averaged pixels.
fn all_scores(known: &mut Known, count: usize) -> Result<(Score, Vec<[Score; 2]>)> {
    let options = UnmixOptions { count: Some(count), ..UnmixOptions::default() };
    let found = find_endmembers(&mut known.cube, &options, &mut ignore)?;
    let own = score(known, &found)?;
    let matrices =
        [pixels(&mut known.cube, &found, false)?, pixels(&mut known.cube, &found, true)?];
    let mut rivals = Vec::new();
    for rival in RIVALS {
        let mut pair = [Score::default(); 2];
        for (score, x) in pair.iter_mut().zip(&matrices) {
            *score = rival_score(known, x, &found, rival)?;
        }
        rivals.push(pair);
    }
    Ok((own, rivals))
}

fn told_real(page: &mut Page, scenes: Vec<Known>, watch: &mut dyn Watch) -> Result<()> {
    page.paragraph(
        "Mean angle to the reference spectra in degrees, and error (rmse) of the abundances (nonnegative least squares, scaled to sum 1). *raw*: pixels as they are; \
         *averaged*: pixels averaged with their neighbours and projected, as ours are: the fair comparison. The number that is suggested without `-r` stands with the name.",
    );
    let mut columns = vec![Column::left("method")];
    let mut rows: Vec<Vec<Cell>> =
        ["unmix"].into_iter().chain(RIVALS).map(|name| vec![Cell::from(name)]).collect();
    for mut known in scenes {
        let free = find_endmembers(&mut known.cube, &UnmixOptions::default(), &mut ignore)?;
        let count = known.truth.values.len();
        let (own, rivals) = all_scores(&mut known, count)?;
        let name = format!("{} (suggested {})", known.name, free.spectra.len());
        columns.extend(
            ["raw", "error", "averaged", "error"]
                .map(|what| Column::right(format!("{name}, {what}"))),
        );
        let cells = |score: Score| [Cell::fixed(score.angle, 2), super::optional(score.error, 3)];
        rows[0].extend(cells(own).into_iter().chain([Cell::missing(), Cell::missing()]));
        for (row, pair) in rows[1..].iter_mut().zip(rivals) {
            row.extend(pair.into_iter().flat_map(cells));
        }
        watch.advance()?;
    }
    let mut table = Table::new(columns);
    rows.into_iter().for_each(|row| {
        table.row(row);
    });
    page.table(&table).csv("real", &table);
    Ok(())
}

/// One drawn scene, in memory.
fn drawn(name: &str, scene: &Scene) -> Result<Known> {
    let drawn = scene.draw()?;
    let cube = Cube::from_values(name, [scene.rows, scene.columns, scene.bands], drawn.pixels())?;
    let names = (1..=scene.rank).map(|k| k.to_string()).collect();
    // As .mat files have it: pixels go down the columns.
    let place = |j: usize| j % scene.rows * scene.columns + j / scene.rows;
    let n = scene.rows * scene.columns;
    let map = |k: usize| (0..n).map(|j| drawn.abundances(place(j))[k]).collect();
    let abundances = Some((0..scene.rank).map(map).collect());
    let truth =
        Spectra { names, values: drawn.spectra().to_vec(), abundances, ..Spectra::default() };
    Ok(Known { name: name.to_owned(), cube, truth })
}

fn told_drawn(
    page: &mut Page,
    settings: &Settings,
    designs: &[(&str, Scene)],
    seeds: u64,
    watch: &mut dyn Watch,
) -> Result<()> {
    page.paragraph(format!(
        "Drawn scenes ({seeds} for each design; spectra are drawn, too): the mean angle of the recipe, of the two strongest rivals on averaged pixels, and of N-FINDR on \
         raw ones; and how often the suggested number is the true one."
    ));
    let headers = [
        "design",
        "unmix",
        "N-FINDR, averaged",
        "XRAY(max), averaged",
        "N-FINDR, raw",
        "error of unmix",
        "number right",
    ];
    let mut table = Table::new(
        headers
            .iter()
            .enumerate()
            .map(|(k, name)| if k == 0 { Column::left(*name) } else { Column::right(*name) }),
    );
    let mut total = [0.0; 6];
    for (name, scene) in designs {
        let one = |seed: u64| -> Result<Vec<f64>> {
            let scene = Scene { seed, ..scene.clone() };
            let mut known = drawn(name, &scene)?;
            let free = find_endmembers(&mut known.cube, &UnmixOptions::default(), &mut ignore)?;
            let options = UnmixOptions { count: Some(scene.rank), ..UnmixOptions::default() };
            let found = find_endmembers(&mut known.cube, &options, &mut ignore)?;
            let own = score(&mut known, &found)?;
            let averaged = pixels(&mut known.cube, &found, true)?;
            let raw = pixels(&mut known.cube, &found, false)?;
            let nfindr = rival_score(&mut known, &averaged, &found, "N-FINDR")?;
            let max = rival_score(&mut known, &averaged, &found, "XRAY(max)")?;
            let nfindr_raw = rival_score(&mut known, &raw, &found, "N-FINDR")?;
            let right = f64::from(u8::from(free.spectra.len() == scene.rank));
            Ok(vec![
                own.angle,
                nfindr.angle,
                max.angle,
                nfindr_raw.angle,
                own.error.unwrap_or(0.0),
                right,
            ])
        };
        let first = settings.seed + FIRST_SEED;
        let found: Result<Vec<Vec<f64>>> =
            (first..first + seeds).into_par_iter().map(one).collect();
        let found = found?;
        let means: Vec<f64> = (0..6)
            .map(|k| found.iter().map(|run| run[k]).sum::<f64>() / found.len() as f64)
            .collect();
        total.iter_mut().zip(&means).for_each(|(sum, mean)| *sum += mean / designs.len() as f64);
        table.row(
            [Cell::from(*name)].into_iter().chain(means.iter().map(|&mean| Cell::fixed(mean, 2))),
        );
        watch.advance()?;
    }
    table.row(
        [Cell::from("mean")].into_iter().chain(total.iter().map(|&mean| Cell::fixed(mean, 2))),
    );
    page.table(&table).csv("drawn", &table);
    Ok(())
}
