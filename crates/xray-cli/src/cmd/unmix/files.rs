//! The files of an unmixed cube.

use std::io::Write;

use xray_data::Cells;
use xray_data::cube::{About, Cube, EnviHeader, npy_header};
use xray_nmf::comm::OneRank;
use xray_pipeline::report::json;
#[cfg(feature = "pictures")]
use xray_pipeline::unmix::Squares;
use xray_pipeline::unmix::{AbundanceBlock, UnmixReport, endmembers_csv};
use xray_pipeline::{Folder, OpenFile};

use crate::cmd::topics::page::NAME as PAGE;

/// Files that are being written.
pub(super) struct Files {
    folder: Folder,
    numbers: OpenFile,
    image: OpenFile,
    #[cfg(feature = "pictures")]
    maps: Squares,
}

impl Files {
    /// Begins the files that abundances go into as they come.
    pub(super) fn begin(mut folder: Folder, cube: &Cube, r: usize) -> anyhow::Result<Self> {
        let mut numbers = folder.create("abundances.npy")?;
        let header = npy_header(&[cube.rows(), cube.columns(), r]);
        numbers.put(|out| out.write_all(&header))?;
        let image = folder.create("abundances.img")?;
        #[cfg(feature = "pictures")]
        let maps = pictures::squares(cube, r);
        Ok(Self {
            folder,
            numbers,
            image,
            #[cfg(feature = "pictures")]
            maps,
        })
    }

    /// Takes some lines.
    pub(super) fn add(&mut self, block: &AbundanceBlock<'_>) -> xray_pipeline::Result<()> {
        let bytes: Vec<u8> =
            block.abundances().iter().flat_map(|&v| (v as f32).to_le_bytes()).collect();
        self.numbers.put(|out| out.write_all(&bytes))?;
        self.image.put(|out| out.write_all(&bytes))?;
        #[cfg(feature = "pictures")]
        for pixel in block.pixels() {
            self.maps.add(pixel.number, pixel.abundances.iter().copied());
        }
        Ok(())
    }

    /// Writes the others, and gives all of them their names.
    pub(super) fn finish(
        self,
        cube: &Cube,
        (report, page, cells): (&UnmixReport, Option<&str>, Cells),
    ) -> anyhow::Result<String> {
        let Self { mut folder, numbers, image, .. } = self;
        folder.add(numbers)?;
        folder.add(image)?;
        let names: Vec<String> =
            (1..=report.endmembers.len()).map(|k| format!("endmember {k}")).collect();
        let place = About { place: cube.about().place.clone(), ..About::default() };
        let size = [report.rows, report.columns, names.len()];
        let header = EnviHeader::written(size, &names, &place);
        folder.write("abundances.hdr", |out| out.write_all(header.as_bytes()))?;
        let spectra = endmembers_csv(report, cells);
        folder.write("endmembers.csv", |out| out.write_all(spectra.as_bytes()))?;
        let everything = json(report);
        folder.write("unmix.json", |out| out.write_all(everything.as_bytes()))?;
        if let Some(page) = page {
            folder.write(PAGE, |out| out.write_all(page.as_bytes()))?;
        }
        #[cfg(feature = "pictures")]
        {
            let maps = pictures::maps(&self.maps, report)?;
            folder.write("maps.png", |out| out.write_all(&maps))?;
            super::super::write_picture(&mut folder, "endmembers", &pictures::spectra(report))?;
        }
        Ok(folder.commit(&OneRank, None)?)
    }
}

#[cfg(feature = "pictures")]
mod pictures {
    use xray_data::cube::Cube;
    use xray_pipeline::unmix::{Squares, UnmixReport};
    use xray_report::{Chart, Image, ImageGrid, Panel, Picture, Series, number};

    /// The longer side of a map has at most so many values; more are averaged.
    const LARGEST: usize = 400;

    /// Abundances of squares of pixels.
    pub(super) fn squares(cube: &Cube, r: usize) -> Squares {
        let (rows, columns) = (cube.rows(), cube.columns());
        Squares::new((rows, columns), rows.max(columns).div_ceil(LARGEST), r)
    }

    /// A PNG of all maps, in the same colours.
    pub(super) fn maps(squares: &Squares, report: &UnmixReport) -> anyhow::Result<Vec<u8>> {
        let r = report.endmembers.len();
        let label = |k: usize| {
            let share = number::percent(report.endmembers[k].share, 1);
            format!("endmember {} ({share})", k + 1)
        };
        let means: Vec<Option<Vec<f64>>> = squares.means().collect();
        // Of weights that are not scaled, the largest is the end of the scale.
        let most = means.iter().flatten().flatten().copied().fold(0.0, f64::max);
        let high = if most <= 1.0 { 1.0 } else { (100.0 * most).ceil() / 100.0 };
        let mut grid =
            ImageGrid::new("Abundances").labels((0..r).map(label)).colours(0.0, high).width(960);
        let (rows, columns) = squares.size();
        for k in 0..r {
            let value = |mean: &Option<Vec<f64>>| mean.as_ref().map_or(f64::NAN, |mean| mean[k]);
            grid = grid.image(Image::new(columns, rows, means.iter().map(value).collect())?);
        }
        Ok(grid.png(2.0)?)
    }

    /// The spectra of the endmembers.
    pub(super) fn spectra(report: &UnmixReport) -> Chart {
        let bands = &report.bands;
        let places: Vec<f64> = match &bands.wavelengths {
            Some(wavelengths) => wavelengths.clone(),
            None => bands.taken.iter().map(|&band| band as f64).collect(),
        };
        let units =
            bands.wavelength_units.as_deref().map_or(String::new(), |units| format!(" ({units})"));
        let axis = if bands.wavelengths.is_some() {
            format!("wavelength{units}")
        } else {
            "band".to_owned()
        };
        let mut panel = Panel::new("value");
        for (k, endmember) in report.endmembers.iter().enumerate() {
            let points = places.iter().copied().zip(endmember.spectrum.iter().copied());
            let line = Series::new(format!("endmember {}", k + 1), points).markers(false);
            panel = panel.series(line);
        }
        Chart::new("Endmembers").x_label(axis).panel(panel)
    }
}
