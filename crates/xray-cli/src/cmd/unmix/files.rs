//! The files of an unmixed cube.

use std::io::Write;
use std::ops::Range;

use xray_data::Cells;
use xray_data::cube::{About, Cube, EnviHeader, npy_header};
use xray_nmf::comm::OneRank;
use xray_pipeline::report::json;
use xray_pipeline::unmix::{UnmixReport, endmembers_csv};
use xray_pipeline::{Folder, OpenFile};

/// Files that are being written.
pub(super) struct Files {
    folder: Folder,
    numbers: OpenFile,
    image: OpenFile,
    #[cfg(feature = "pictures")]
    maps: pictures::Maps,
}

impl Files {
    /// Begins the files that abundances go into as they come.
    pub(super) fn begin(mut folder: Folder, cube: &Cube, r: usize) -> anyhow::Result<Self> {
        let mut numbers = folder.create("abundances.npy")?;
        let header = npy_header(&[cube.rows(), cube.columns(), r]);
        numbers.put(|out| out.write_all(&header))?;
        let image = folder.create("abundances.img")?;
        #[cfg(feature = "pictures")]
        let maps = pictures::Maps::new(cube.rows(), cube.columns(), r);
        Ok(Self {
            folder,
            numbers,
            image,
            #[cfg(feature = "pictures")]
            maps,
        })
    }

    /// Takes a block of lines.
    pub(super) fn add(
        &mut self,
        lines: &Range<usize>,
        block: &[f64],
        used: &[bool],
    ) -> xray_pipeline::Result<()> {
        let bytes: Vec<u8> = block.iter().flat_map(|&v| (v as f32).to_le_bytes()).collect();
        self.numbers.put(|out| out.write_all(&bytes))?;
        self.image.put(|out| out.write_all(&bytes))?;
        #[cfg(feature = "pictures")]
        self.maps.add(lines, block, used);
        #[cfg(not(feature = "pictures"))]
        let _ = (lines, used);
        Ok(())
    }

    /// Writes the others, and gives all of them their names.
    pub(super) fn finish(
        self,
        cube: &Cube,
        report: &UnmixReport,
        cells: Cells,
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
        #[cfg(feature = "pictures")]
        {
            let maps = self.maps.picture(report)?;
            folder.write("maps.png", |out| out.write_all(&maps))?;
            super::super::write_picture(&mut folder, "endmembers", &pictures::spectra(report))?;
        }
        Ok(folder.commit(&OneRank, None)?)
    }
}

#[cfg(feature = "pictures")]
mod pictures {
    use std::ops::Range;

    use xray_pipeline::unmix::UnmixReport;
    use xray_report::{Chart, Image, ImageGrid, Panel, Picture, Series, number};

    /// The longer side of a map has at most so many values; more are averaged.
    const LARGEST: usize = 400;

    /// Abundances of squares of pixels.
    pub(super) struct Maps {
        columns: usize,
        /// Pixels of a square's side.
        side: usize,
        size: (usize, usize),
        r: usize,
        sums: Vec<f64>,
        counts: Vec<f64>,
    }

    impl Maps {
        pub(super) fn new(rows: usize, columns: usize, r: usize) -> Self {
            let side = rows.max(columns).div_ceil(LARGEST);
            let size = (rows.div_ceil(side), columns.div_ceil(side));
            let n = size.0 * size.1;
            Self { columns, side, size, r, sums: vec![0.0; n * r], counts: vec![0.0; n] }
        }

        pub(super) fn add(&mut self, lines: &Range<usize>, block: &[f64], used: &[bool]) {
            let start = lines.start * self.columns;
            for (k, weights) in
                block.chunks_exact(self.r).enumerate().filter(|(k, _)| used[start + k])
            {
                let (row, column) = ((start + k) / self.columns, (start + k) % self.columns);
                let square = row / self.side * self.size.1 + column / self.side;
                self.counts[square] += 1.0;
                let sums = &mut self.sums[square * self.r..(square + 1) * self.r];
                sums.iter_mut().zip(weights).for_each(|(sum, v)| *sum += v);
            }
        }

        /// A PNG of all maps, in the same colours.
        pub(super) fn picture(&self, report: &UnmixReport) -> anyhow::Result<Vec<u8>> {
            let label = |k: usize| {
                let share = number::percent(report.endmembers[k].share, 1);
                format!("endmember {} ({share})", k + 1)
            };
            let mean =
                |square: usize, k: usize| self.sums[square * self.r + k] / self.counts[square];
            // Of weights that are not scaled, the largest is the end of the scale.
            let all =
                (0..self.counts.len()).flat_map(|square| (0..self.r).map(move |k| (square, k)));
            let most = all.map(|(square, k)| mean(square, k)).fold(0.0, f64::max);
            let high = if most <= 1.0 { 1.0 } else { (100.0 * most).ceil() / 100.0 };
            let mut grid = ImageGrid::new("Abundances")
                .labels((0..self.r).map(label))
                .colours(0.0, high)
                .width(960);
            for k in 0..self.r {
                let values = (0..self.counts.len()).map(|square| mean(square, k)).collect();
                grid = grid.image(Image::new(self.size.1, self.size.0, values)?);
            }
            Ok(grid.png(2.0)?)
        }
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
