//! Hyperspectral scenes with known endmembers, written line by line.

use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::Context;
use xray_data::cube::{About, EnviHeader};
use xray_data::{AtomicFile, Cells, csv_text};
use xray_nmf::synth::{DrawnScene, Scene};

use crate::args::SynthArgs;
use crate::outcome::{Outcome, UsageError};
use crate::session::Session;

/// The wavelengths of the first and the last band, in nanometres.
const WAVELENGTHS: (f64, f64) = (400.0, 2500.0);

pub(super) fn run(
    session: &mut Session,
    args: &SynthArgs,
    [rows, columns, bands]: [usize; 3],
) -> anyhow::Result<Outcome> {
    let header = args.output.clone();
    if header.extension().is_none_or(|ending| ending != "hdr") {
        let message =
            "--cube writes an ENVI file: end the name in .hdr (the numbers go to .img beside it)";
        return Err(UsageError(message.into()).into());
    }
    let numbers = header.with_extension("img");
    let truth = beside(&header, "-truth.csv");
    for path in [&header, &numbers, &truth] {
        AtomicFile::check(path)?;
    }
    let scene = Scene {
        rows,
        columns,
        bands,
        rank: args.rank,
        snr: args.snr,
        seed: args.common.seed,
        ..Scene::default()
    };
    let drawn = session.stage("draw", || scene.draw())?;
    let wavelengths: Vec<f64> = (0..bands)
        .map(|b| WAVELENGTHS.0 + (WAVELENGTHS.1 - WAVELENGTHS.0) * b as f64 / (bands - 1) as f64)
        .collect();
    session.stage("write", || -> anyhow::Result<()> {
        let file = written(&drawn, &numbers)?;
        let about = About {
            wavelengths: Some(wavelengths.clone()),
            wavelength_units: Some("Nanometers".to_owned()),
            ..About::default()
        };
        let text = EnviHeader::written([rows, columns, bands], &[], &about);
        let header = whole(&header, text.as_bytes())?;
        let truth = whole(&truth, spectra_csv(&drawn, &wavelengths).as_bytes())?;
        // All are complete before any takes its name.
        file.commit()?;
        header.commit()?;
        Ok(truth.commit()?)
    })?;
    session.note(format!(
        "wrote {}, {} and {}",
        header.display(),
        numbers.display(),
        truth.display()
    ));
    Ok(Outcome::Done)
}

fn beside(path: &Path, ending: &str) -> PathBuf {
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    path.with_file_name(format!("{stem}{ending}"))
}

fn whole(path: &Path, bytes: &[u8]) -> anyhow::Result<AtomicFile> {
    let mut file = AtomicFile::create(path)?;
    file.write_all(bytes).with_context(|| path.display().to_string())?;
    Ok(file)
}

/// All lines, in numbers of four bytes.
fn written(drawn: &DrawnScene, path: &Path) -> anyhow::Result<AtomicFile> {
    let mut file = AtomicFile::create(path)?;
    let mut line = Vec::new();
    for row in 0..drawn.scene().rows {
        drawn.line(row, &mut line);
        let bytes: Vec<u8> = line.iter().flat_map(|&v| (v as f32).to_le_bytes()).collect();
        file.write_all(&bytes).with_context(|| path.display().to_string())?;
    }
    Ok(file)
}

fn spectra_csv(drawn: &DrawnScene, wavelengths: &[f64]) -> String {
    let materials = drawn.spectra().len();
    let header = ["wavelength".to_owned()]
        .into_iter()
        .chain((1..=materials).map(|k| format!("material_{k}")));
    let row = |b: usize| -> Vec<String> {
        let values = drawn.spectra().iter().map(|spectrum| spectrum[b].to_string());
        [wavelengths[b].to_string()].into_iter().chain(values).collect()
    };
    let rows: Vec<Vec<String>> =
        [header.collect()].into_iter().chain((0..wavelengths.len()).map(row)).collect();
    csv_text(Cells::default(), rows.iter().map(|row| row.iter().map(String::as_str).collect()))
}
