//! The page of an unmixed cube: what was found, and the scene in numbers of one byte.

use xray_data::cube::Cube;
use xray_report::{About, Bytes, Page, PageColours, PageScene, PageSpectra, UnmixPage, number};

use super::{AbundanceBlock, Squares, UnmixReport, Unmixed, endmembers_table};

/// Bytes of all maps, at most; a third more in the page.
const MAP_BYTES: usize = 900_000;

/// Bytes of the spectra of pixels, at most; a third more in the page.
const SPECTRA_BYTES: usize = 900_000;

/// Bands of a pixel that are worth showing: pixels are averaged over squares until there is room for so many.
const BANDS_WANTED: usize = 48;

/// Bytes of a spectrum beside its bands.
const RANGE_BYTES: usize = 8;

/// Numbers of the endmembers' spectra, at most; of more bands, some are left out.
const SPECTRA_NUMBERS: usize = 15_000;

/// Members of an endmember, and letters of a name.
const MEMBERS: usize = 10;
const LETTERS: usize = 60;

/// What a map's byte says of a square: up to the highest value, or left out.
const HIGHEST: f64 = 254.0;
const LEFT_OUT: u8 = 255;

/// A page that is being made, while abundances are found.
#[derive(Debug, Clone)]
pub struct ScenePage {
    /// Of how many bands one is shown.
    every: usize,
    /// The bands of pixels that are shown, as places among the taken bands.
    bands: Vec<usize>,
    /// Abundances, squared residual and squared norm.
    maps: Squares,
    spectra: Squares,
}

impl ScenePage {
    /// Begins the page of a cube.
    pub fn new(cube: &Cube, found: &Unmixed) -> Self {
        let (shape, r) = ((cube.rows(), cube.columns()), found.spectra.len());
        let every = (cube.bands().len() * r).div_ceil(SPECTRA_NUMBERS);
        let mut bands: Vec<usize> =
            found.bands.live.iter().copied().filter(|place| place % every == 0).collect();
        // A scene without light still has its first band.
        if bands.is_empty() {
            bands.push(0);
        }
        let n_squares = |side: usize| shape.0.div_ceil(side) * shape.1.div_ceil(side);
        let side = smallest(1, |side| n_squares(side) * (r + 1) <= MAP_BYTES);
        let width = bands.len().min(BANDS_WANTED) + RANGE_BYTES;
        let coarse = side * smallest(1, |k| n_squares(k * side) * width <= SPECTRA_BYTES);
        let room = SPECTRA_BYTES / n_squares(coarse) - RANGE_BYTES;
        let step = bands.len().div_ceil(room);
        bands = bands.into_iter().step_by(step).collect();
        let maps = Squares::new(shape, side, r + 2);
        let spectra = Squares::new(shape, coarse, bands.len());
        Self { every, bands, maps, spectra }
    }

    /// Takes some lines.
    pub fn add(&mut self, block: &AbundanceBlock<'_>) {
        for pixel in block.pixels() {
            let fit = [pixel.fit.squared_residual, pixel.fit.squared_norm];
            self.maps.add(pixel.number, pixel.abundances.iter().copied().chain(fit));
            self.spectra.add(pixel.number, self.bands.iter().map(|&band| pixel.values[band]));
        }
    }

    /// The page.
    pub fn page(&self, report: &UnmixReport, about: About) -> Page<UnmixPage<UnmixReport>> {
        let unmix = shortened(report, self.every);
        let pixels = number::count(report.pixels as u64);
        let r = report.endmembers.len();
        let content = UnmixPage {
            summary: summary(report, &about.title),
            heading: format!("{} in {pixels} pixels", counted(r, "endmember")),
            plain: endmembers_table(&unmix),
            unmix,
            every: self.every,
            scene: self.scene(r),
            pixels: self.pixels(),
            colours: PageColours,
        };
        Page::new(about, content)
    }

    fn scene(&self, r: usize) -> PageScene {
        let means: Vec<Option<Vec<f64>>> = self.maps.means().collect();
        let abundances = |k: usize| means.iter().map(move |mean| Some(mean.as_ref()?[k]));
        let unexplained = means.iter().map(|mean| {
            let mean = mean.as_ref()?;
            Some((mean[r] / mean[r + 1].max(f64::MIN_POSITIVE)).sqrt())
        });
        let most =
            |values: &mut dyn Iterator<Item = Option<f64>>| values.flatten().fold(0.0, f64::max);
        // Weights that are scaled end at 1, all others at the largest.
        let high = most(&mut (0..r).flat_map(abundances)).max(1.0);
        let most_unexplained = most(&mut unexplained.clone()).max(f64::MIN_POSITIVE);
        let (rows, columns) = self.maps.size();
        PageScene {
            side: self.maps.side(),
            rows,
            columns,
            high,
            abundances: (0..r).map(|k| map(abundances(k), high)).collect(),
            most_unexplained,
            unexplained: map(unexplained, most_unexplained),
        }
    }

    fn pixels(&self) -> PageSpectra {
        let (mut ranges, mut values) = (Vec::new(), Vec::new());
        for mean in self.spectra.means() {
            let mean = mean.unwrap_or_else(|| vec![0.0; self.bands.len()]);
            let low = mean.iter().copied().fold(f64::INFINITY, f64::min);
            let high = mean.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            for end in [low, high] {
                ranges.extend((end as f32).to_le_bytes());
            }
            let step = (high - low).max(f64::MIN_POSITIVE) / 255.0;
            values.extend(mean.iter().map(|v| ((v - low) / step).round() as u8));
        }
        PageSpectra {
            side: self.spectra.side(),
            columns: self.spectra.size().1,
            bands: self.bands.iter().map(|place| place / self.every).collect(),
            ranges: Bytes(ranges),
            values: Bytes(values),
        }
    }
}

/// The first number from `start` on that is small enough for something.
fn smallest(start: usize, fits: impl Fn(usize) -> bool) -> usize {
    (start..).find(|&k| fits(k)).unwrap_or(start)
}

/// A map in bytes.
fn map(values: impl Iterator<Item = Option<f64>>, high: f64) -> Bytes {
    let byte = |v: f64| (HIGHEST * (v / high).clamp(0.0, 1.0)).round() as u8;
    Bytes(values.map(|value| value.map_or(LEFT_OUT, byte)).collect())
}

/// The report with shorter lists and names.
fn shortened(report: &UnmixReport, every: usize) -> UnmixReport {
    let mut short = report.clone();
    let name = |name: &mut String| {
        if name.chars().count() > LETTERS {
            *name = name.chars().take(LETTERS - 1).chain(['…']).collect();
        }
    };
    let bands = &mut short.bands;
    bands.taken = bands.taken.iter().copied().step_by(every).collect();
    if let Some(wavelengths) = &mut bands.wavelengths {
        *wavelengths = wavelengths.iter().copied().step_by(every).collect();
    }
    for endmember in &mut short.endmembers {
        endmember.spectrum = endmember.spectrum.iter().copied().step_by(every).collect();
        endmember.members.truncate(MEMBERS);
        endmember.nearest.iter_mut().for_each(|near| name(&mut near.name));
    }
    short.truth.iter_mut().flat_map(|truth| &mut truth.names).for_each(name);
    short
}

/// A number of things.
fn counted(n: usize, thing: &str) -> String {
    format!("{n} {thing}{}", if n == 1 { "" } else { "s" })
}

/// What there was, what was decided, and what came of it.
fn summary(report: &UnmixReport, title: &str) -> String {
    let (bands, r) = (&report.bands, report.endmembers.len());
    let size = match report.is_image {
        true => format!("{} x {} pixels", report.rows, report.columns),
        false => format!("a list of {} pixels", number::count(report.columns as u64)),
    };
    let mut parts = vec![format!("{title} is {size} in {}", counted(bands.taken.len(), "band"))];
    let left_out = report.rows * report.columns - report.pixels;
    for (n, what, does) in [
        (left_out, "pixel", "left out"),
        (bands.dead.len(), "band", "without light and left out"),
        (bands.noisy.len(), "band", "far noisier than the others and counted for less"),
    ] {
        if n > 0 {
            let are = if n == 1 { "was" } else { "were" };
            parts.push(format!("{} {are} {does}", counted(n, what)));
        }
    }
    parts.push(match (&report.suggestion, report.method) {
        (_, None) => format!("{} were given", counted(r, "endmember")),
        (Some(number), _) => {
            format!(
                "the number of endmembers, {r}, is the knee of what 1 to {} leave unexplained",
                number.path.len()
            )
        }
        (None, _) => format!("{} were asked for", counted(r, "endmember")),
    });
    let last = format!("{} of the light is left unexplained", number::percent(report.residual, 2));
    let mut text = format!("{}; {last}.", parts.join("; "));
    if let Some(truth) = &report.truth {
        text += &format!(" Their mean angle to the truth is {:.2} degrees", truth.mean_angle);
        if let Some(rmse) = truth.abundance_rmse {
            text += &format!(", the error of abundances {rmse:.3} (root mean square)");
        }
        text.push('.');
    }
    text
}

#[cfg(test)]
mod tests {
    use xray_nmf::unmix::AbundanceRule;

    use super::super::{find_abundances, known_endmembers};
    use super::*;
    use crate::watch::ignore;

    /// The page of a cube with values of every size, under r spectra that differ in one band each.
    fn page(size: [usize; 3], r: usize) -> Page<UnmixPage<UnmixReport>> {
        let value = |k: usize| ((k * 7919) % 1009) as f64 / 1009.0 + 1e-3;
        let n = size.iter().product();
        let mut cube = Cube::from_values("X", size, (0..n).map(value).collect()).expect("a cube");
        let spectrum = |k: usize| (0..size[2]).map(|b| value(b + k)).collect();
        let spectra: Vec<Vec<f64>> = (0..r).map(spectrum).collect();
        let found = known_endmembers(&mut cube, spectra, None, &mut ignore).expect("they fit");
        let mut page = ScenePage::new(&cube, &found);
        let rule = AbundanceRule::Scaled;
        let fit = find_abundances(&mut cube, &found, rule, &mut ignore, |block| {
            page.add(block);
            Ok(())
        });
        let report = UnmixReport::new(&cube, &found, (None, rule), &fit.expect("abundances"));
        page.page(&report, About::default())
    }

    #[test]
    fn pages_have_three_megabytes_at_most() {
        for (size, r) in [([700, 900, 3], 2), ([90, 90, 300], 4), ([20, 20, 400], 300)] {
            let page = page(size, r);
            let (bytes, content) = (page.html().len(), &page.content);
            assert!(bytes <= 3_000_000, "{size:?}: {bytes} bytes");
            let squares = content.scene.rows * content.scene.columns;
            assert!(content.scene.abundances.iter().all(|map| map.0.len() == squares));
            assert_eq!(content.pixels.side % content.scene.side, 0);
            let bands = &content.pixels.bands;
            assert!(bands.iter().all(|&band| band < content.unmix.bands.taken.len()));
            let n = content.pixels.ranges.0.len() / RANGE_BYTES;
            assert_eq!(content.pixels.values.0.len(), n * bands.len());
        }
    }

    #[test]
    fn a_scene_without_light_has_a_page() {
        let mut cube = Cube::from_values("X", [2, 3, 4], vec![0.5; 24]).expect("a cube");
        let found = known_endmembers(&mut cube, vec![vec![0.0; 4]], None, &mut ignore);
        let mut page = ScenePage::new(&cube, &found.expect("they fit"));
        assert_eq!(page.bands, [0]);
        page.spectra.add(5, [0.5]);
        assert_eq!(page.pixels().values.0.len(), 6);
    }

    #[test]
    fn every_pixel_is_there_as_long_as_there_is_room() {
        let small = page([40, 50, 12], 3).content;
        assert_eq!((small.every, small.scene.side, small.pixels.side), (1, 1, 1));
        assert_eq!(small.pixels.bands, (0..12).collect::<Vec<usize>>());
        let sum: u32 = small.scene.abundances.iter().map(|map| u32::from(map.0[77])).sum();
        assert!(sum.abs_diff(254) <= 2, "{sum}");
    }
}
