//! `xray unmix`: endmembers and abundance maps of a hyperspectral cube.

mod files;

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use xray_data::cube::{Cube, Spectra, read_mask, read_spectra};
use xray_nmf::comm::OneRank;
use xray_pipeline::unmix::{
    AXES, ScenePage, Truth, UnmixOptions, UnmixReport, Unmixed, endmembers_table, find_abundances,
    find_endmembers, has_wavelengths_on_one_side, known_endmembers, nearest_spectra, resampled,
};
use xray_pipeline::{Plan, Purpose};
use xray_report::number;

use self::files::Files;
use crate::args::UnmixArgs;
use crate::cmd::topics::page::about;
use crate::outcome::Outcome;
use crate::output::Guarded;
use crate::session::Session;

/// Numbers of bands that are told in a line.
const BANDS_TOLD: usize = 12;

pub(crate) fn run(args: &UnmixArgs) -> anyhow::Result<Outcome> {
    let mut session = Session::new(&args.common);
    let guarded = Guarded::file(&args.cube).and(args.side_files());
    let folder = match args.folder() {
        Some(path) => {
            let only_same_input = args.output.is_none();
            let plan = Plan { only_same_input, ..Plan::new(Purpose::Unmixing) };
            Some(guarded.open(&OneRank, &session, &path, plan)?)
        }
        None => None,
    };
    let mut cube = session.stage("open", || Cube::open(&args.cube, &args.read.options()))?;
    let spectra = |path| read_spectra(path, &args.read.options());
    let (truth, library) = (
        args.truth.as_deref().map(spectra).transpose()?,
        args.library.as_deref().map(spectra).transpose()?,
    );
    let found = find(&mut session, &mut cube, args)?;
    tell_decisions(&session, &cube, &found);
    let mut truth = truth.map(|truth| Truth::new(truth, &cube, &found)).transpose()?;
    let near = library.map(|library| nearest_spectra(&library, &cube, &found)).transpose()?;
    let mut page = (folder.is_some() && !args.no_report).then(|| ScenePage::new(&cube, &found));
    let mut files =
        folder.map(|folder| Files::begin(folder, &cube, found.spectra.len())).transpose()?;
    let fit = find_abundances(&mut cube, &found, args.rule(), &mut session.progress(), |block| {
        truth.iter_mut().for_each(|truth| truth.compare(block));
        page.iter_mut().for_each(|page| page.add(block));
        files.as_mut().map_or(Ok(()), |files| files.add(block))
    })?;
    session.end();
    let method = args.endmembers.is_none().then_some(args.method);
    let mut report = UnmixReport::new(&cube, &found, (method, args.rule()), &fit);
    for (endmember, near) in report.endmembers.iter_mut().zip(near.unwrap_or_default()) {
        endmember.nearest = near;
    }
    report.truth = truth.map(|truth| truth.facts());
    let page = page.map(|page| page.page(&report, about(&file_name(&args.cube), None)).html());
    let written = files
        .map(|files| {
            let told = (&report, page.as_deref(), args.csv.cells());
            session.stage("write", || files.finish(&cube, told))
        })
        .transpose();
    tell(&session, &report)?;
    // What could not be written is told all the same.
    Ok(session.conclude(written?, false))
}

/// The name of a file, without folders.
fn file_name(path: &Path) -> String {
    path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned()
}

/// Whether a model is the endmembers of a cube: their table, or a folder with it.
pub(crate) fn endmembers_of(model: &Path) -> Option<PathBuf> {
    let within = model.join("endmembers.csv");
    let table = if within.is_file() { &within } else { model };
    is_table(table).then(|| table.to_owned())
}

/// Whether a file begins as a table of endmembers does.
fn is_table(path: &Path) -> bool {
    let mut beginning = Vec::new();
    let longest = AXES.iter().map(|axis| axis.len() + 1).max().unwrap_or_default();
    let read =
        File::open(path).and_then(|file| file.take(longest as u64).read_to_end(&mut beginning));
    read.is_ok() && AXES.iter().any(|axis| beginning.starts_with(format!("{axis},").as_bytes()))
}

/// Finds endmembers, or takes those that are given.
fn find(session: &mut Session, cube: &mut Cube, args: &UnmixArgs) -> anyhow::Result<Unmixed> {
    let options = args.read.options();
    let mask = args.read.mask.as_deref();
    let mask =
        mask.map(|path| read_mask(path, cube.rows(), cube.columns(), &options)).transpose()?;
    if let Some(path) = &args.endmembers {
        let spectra = read_spectra(path, &options)?;
        if has_wavelengths_on_one_side(&spectra, cube) {
            let name = path.display();
            session.note(format!(
                "{name}: bands are taken in their order: only one side has wavelengths"
            ));
        }
        let Spectra { values, .. } = resampled(&spectra, cube)?;
        return Ok(known_endmembers(cube, values, mask.as_deref(), &mut session.progress())?);
    }
    let request =
        UnmixOptions { count: args.rank, method: args.method, seed: args.common.seed, mask };
    Ok(find_endmembers(cube, &request, &mut session.progress())?)
}

/// What was decided about the cube, and how to decide otherwise.
fn tell_decisions(session: &Session, cube: &Cube, found: &Unmixed) {
    let taken = cube.bands().len();
    let mut line = format!("{}: {} x {} pixels", cube.name(), cube.rows(), cube.columns());
    let left_out = found.used.iter().filter(|used| !**used).count();
    if left_out > 0 {
        line += &format!(" ({} left out)", number::count(left_out as u64));
    }
    line += &match cube.n_stored() - taken {
        0 => format!(", {taken} bands"),
        others => format!(", {taken} bands ({others} left out; --bands decides otherwise)"),
    };
    session.note(line);
    let dead: Vec<usize> = (0..taken).filter(|place| !found.bands.live.contains(place)).collect();
    for (what, places) in
        [("dead, left out", dead), ("far noisier than the others, tamed", found.bands.tamed())]
    {
        if !places.is_empty() {
            let numbers =
                places.iter().take(BANDS_TOLD).map(|&place| (cube.bands()[place] + 1).to_string());
            let more = if places.len() > BANDS_TOLD { ", ..." } else { "" };
            let numbers = numbers.collect::<Vec<_>>().join(", ");
            session.note(format!("{} bands are {what}: {numbers}{more}", places.len()));
        }
    }
    if !cube.is_image() {
        session.note(
            "a list of pixels, without neighbours: --shape ROWSxCOLUMNS makes an image of it",
        );
    }
    if let Some(path) = &found.path {
        let path: Vec<String> = path.iter().map(|left| format!("{left:.2e}")).collect();
        session.note(format!(
            "{} endmembers: the knee of what 1 to {} leave unexplained ({}); -r decides otherwise",
            found.spectra.len(),
            path.len(),
            path.join(" ")
        ));
    }
}

/// Prints the endmembers, for people or programs.
fn tell(session: &Session, report: &UnmixReport) -> anyhow::Result<()> {
    if session.json {
        return session.print_answer(report);
    }
    session.print_table(&endmembers_table(report))?;
    let left = number::percent(report.residual, 2);
    session.note(format!("\n{left} of the light is left unexplained"));
    if let Some(truth) = &report.truth {
        let abundances = truth
            .abundance_rmse
            .map_or(String::new(), |rmse| format!(", abundances {rmse:.3} (rmse)"));
        session.note(format!(
            "against the truth: mean angle {:.2} degrees{abundances}",
            truth.mean_angle
        ));
    }
    Ok(())
}
