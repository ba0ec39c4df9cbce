//! Unmixing: every step against a naive twin or a known answer, and the whole on drawn scenes.

use crate::support::problems::Random;
use xray_nmf::synth::{DrawnScene, Scene};
use xray_nmf::unmix::{
    AbundanceRule, Abundances, Bands, EXTRA, Moments, NUMBER_DIMENSIONS, Neighbours, PixelFit,
    Points, Subspace, knee,
};
use xray_nmf::with_threads;

fn go_on() -> xray_nmf::Result<()> {
    Ok(())
}

fn angle(a: &[f64], b: &[f64]) -> f64 {
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    (dot(a, b) / (dot(a, a) * dot(b, b)).sqrt()).clamp(-1.0, 1.0).acos().to_degrees()
}

fn points_of(scene: &DrawnScene, subspace: &Subspace) -> Points {
    let mut neighbours = Neighbours::new(subspace.dimensions());
    let mut line = Vec::new();
    for row in 0..scene.scene().rows {
        scene.line(row, &mut line);
        neighbours.push(&subspace.places(&line));
    }
    neighbours.finish()
}

/// Endmembers and the suggested number.
fn unmixed(scene: &DrawnScene) -> (Vec<Vec<f64>>, usize, Bands) {
    let mut moments = Moments::new(scene.scene().bands);
    moments.add(&scene.pixels());
    let bands = Bands::of(&moments);
    let rank = scene.scene().rank;
    let subspace = Subspace::new(&moments, &bands, rank + EXTRA);
    let mut steps = 0;
    let points = points_of(scene, &subspace);
    let tell = || {
        steps += 1;
        Ok(())
    };
    let found = points.endmembers(&subspace, rank, tell).expect("endmembers");
    assert_eq!(steps, Points::n_steps(rank));
    assert_eq!(found.members.len(), rank);
    let spectra = found.places.iter().map(|place| subspace.spectrum(place)).collect();
    let wide = Subspace::new(&moments, &bands, NUMBER_DIMENSIONS);
    let path = points_of(scene, &wide).residual_path(15, go_on).expect("a path");
    (spectra, knee(&path), bands)
}

/// The mean angle to the truth, each known spectrum to its nearest.
fn mean_angle(scene: &DrawnScene, spectra: &[Vec<f64>]) -> f64 {
    let nearest = |known: &Vec<f64>| spectra.iter().map(|s| angle(known, s)).fold(90.0, f64::min);
    scene.spectra().iter().map(nearest).sum::<f64>() / spectra.len() as f64
}

#[test]
fn drawn_scenes_are_unmixed_and_their_materials_counted() {
    for (seed, rank) in [(11, 3), (12, 5)] {
        let scene = Scene { rank, bands: 60, rows: 48, columns: 48, seed, ..Scene::default() };
        let scene = scene.draw().expect("a scene");
        let (spectra, number, bands) = unmixed(&scene);
        let angle = mean_angle(&scene, &spectra);
        println!("seed {seed}: {angle:.2} degrees, {number} of {rank}");
        assert!(angle < 2.0, "{angle}");
        assert_eq!(number, rank);
        assert_eq!((bands.live.len(), bands.tamed().len()), (60, 0));
    }
}

#[test]
fn dead_and_noisy_bands_are_told_and_do_no_harm() {
    let scene = Scene { rank: 4, bands: 80, bad: 5, dead: 3, seed: 21, ..Scene::default() };
    let scene = scene.draw().expect("a scene");
    let (spectra, _, bands) = unmixed(&scene);
    assert_eq!(bands.live.len(), 77);
    assert_eq!(bands.tamed().len(), 5, "{:?}", bands.noise);
    let dead: Vec<usize> = (0..80).filter(|band| !bands.live.contains(band)).collect();
    assert!(spectra.iter().all(|s| dead.iter().all(|&band| s[band] == 0.0)));
    let live = |s: &Vec<f64>| bands.live.iter().map(|&b| s[b]).collect::<Vec<f64>>();
    for known in scene.spectra() {
        let near = spectra.iter().map(|s| angle(&live(known), &live(s))).fold(90.0, f64::min);
        assert!(near < 3.0, "{near}");
    }
}

#[test]
fn threads_change_no_bit() {
    let scene = Scene { rank: 3, bands: 40, seed: 5, ..Scene::default() }.draw().expect("a scene");
    let on = |threads| with_threads(Some(threads), || unmixed(&scene).0).expect("threads");
    let bits =
        |spectra: Vec<Vec<f64>>| spectra.concat().iter().map(|v| v.to_bits()).collect::<Vec<u64>>();
    assert_eq!(bits(on(1)), bits(on(3)));
}

/// One pixel after the other, as the definition has it.
fn naive_neighbours(places: &[Vec<f64>], rows: usize, columns: usize) -> Vec<Vec<f64>> {
    let q = places[0].len() - 1;
    let clamp =
        |place: usize, step: i64, n: usize| (place as i64 + step).clamp(0, n as i64 - 1) as usize;
    let mut all = Vec::new();
    for (r, c) in (0..rows * columns).map(|j| (j / columns, j % columns)) {
        let own = &places[r * columns + c];
        let mut near: Vec<(f64, Vec<f64>)> = Vec::new();
        for (dr, dc) in (0..9).map(|k| (k / 3 - 1, k % 3 - 1)) {
            let other = &places[clamp(r, dr, rows) * columns + clamp(c, dc, columns)];
            let far = (0..q).map(|l| (other[l] / other[q] - own[l] / own[q]).powi(2)).sum::<f64>();
            near.push((far, other.clone()));
        }
        near.sort_by(|a, b| a.0.total_cmp(&b.0));
        all.push((0..=q).map(|l| near[..5].iter().map(|(_, p)| p[l]).sum::<f64>() / 5.0).collect());
    }
    all
}

#[test]
fn neighbours_are_those_of_the_definition() {
    let mut random = Random(3);
    for (rows, columns) in [(1, 1), (1, 5), (4, 1), (2, 2), (6, 5)] {
        let places: Vec<Vec<f64>> = (0..rows * columns)
            .map(|_| vec![random.unit(), random.unit(), 1.0 + random.unit()])
            .collect();
        let mut neighbours = Neighbours::new(2);
        places.chunks(columns).for_each(|line| neighbours.push(&line.concat()));
        let mut plain = Points::new(2);
        naive_neighbours(&places, rows, columns).iter().for_each(|place| plain.push(place));
        let found = neighbours.finish();
        assert_eq!(found.n(), plain.n());
        let (found, plain) = (format!("{found:?}"), format!("{plain:?}"));
        let numbers = |text: &str| -> Vec<f64> {
            text.split(|c: char| !(c.is_ascii_digit() || ".-e".contains(c)))
                .filter_map(|part| part.parse().ok())
                .collect()
        };
        for (a, b) in numbers(&found).into_iter().zip(numbers(&plain)) {
            assert!((a - b).abs() < 1e-6, "{rows} x {columns}: {a} {b}");
        }
    }
}

#[test]
fn abundances_are_optimal_under_each_rule() {
    let mut random = Random(8);
    let spectra: Vec<Vec<f64>> = (0..3).map(|_| (0..6).map(|_| random.unit()).collect()).collect();
    let pixels: Vec<f64> = (0..6 * 40).map(|_| random.unit() - 0.1).collect();
    let square = |h: &[f64], pixel: &[f64]| -> f64 {
        (0..6)
            .map(|b| (0..3).map(|k| h[k] * spectra[k][b]).sum::<f64>() - pixel[b])
            .map(|d| d * d)
            .sum()
    };
    let live = [true; 6];
    let solve =
        |rule| Abundances::new(spectra.clone(), &live, rule).expect("fits").of_pixels(&pixels);
    let (nnls, fits) = solve(AbundanceRule::Nnls);
    let residuals: Vec<f64> =
        nnls.chunks(3).zip(pixels.chunks(6)).map(|(h, x)| square(h, x)).collect();
    for (fit, residual) in fits.iter().zip(&residuals) {
        assert!((fit.squared_residual - residual).abs() < 1e-9 * fit.squared_norm);
    }
    let residual: f64 = residuals.iter().sum();
    assert!((PixelFit::total(&fits).squared_residual / residual - 1.0).abs() < 1e-9);
    let scaled = solve(AbundanceRule::Scaled).0;
    for (h, s) in nnls.chunks(3).zip(scaled.chunks(3)) {
        let sum: f64 = h.iter().sum();
        assert!((0..3).all(|k| sum == 0.0 || (s[k] - h[k] / sum).abs() < 1e-12));
    }
    let simplex = solve(AbundanceRule::SumToOne).0;
    for (h, pixel) in simplex.chunks(3).zip(pixels.chunks(6)) {
        assert!((h.iter().sum::<f64>() - 1.0).abs() < 1e-12 && h.iter().all(|&v| v >= 0.0));
        // No other point of a fine grid on the simplex is nearer.
        let best = square(h, pixel);
        for (a, b) in (0..=40).flat_map(|a| (0..=40 - a).map(move |b| (a, b))) {
            let other = [f64::from(a) / 40.0, f64::from(b) / 40.0, f64::from(40 - a - b) / 40.0];
            assert!(square(&other, pixel) >= best - 1e-12, "{h:?} {other:?}");
        }
    }
    // A band that is not live counts for nothing.
    let mut blind = live;
    blind[2] = false;
    let abundances = Abundances::new(spectra.clone(), &blind, AbundanceRule::Nnls).expect("fits");
    let mut changed = pixels.clone();
    changed.iter_mut().skip(2).step_by(6).for_each(|v| *v += 100.0);
    assert_eq!(abundances.of_pixels(&changed).0, abundances.of_pixels(&pixels).0);
    assert!(Abundances::new(vec![vec![1.0; 5]], &live, AbundanceRule::Nnls).is_err());
}

#[test]
fn pixels_that_are_left_out_change_nothing() {
    let scene = Scene { rank: 3, bands: 30, rows: 20, columns: 24, seed: 2, ..Scene::default() };
    let scene = scene.draw().expect("a scene");
    let mut moments = Moments::new(30);
    moments.add(&scene.pixels());
    let subspace = Subspace::new(&moments, &Bands::of(&moments), 5);
    let places = subspace.places(&scene.pixels());
    let (mut whole, mut with_gaps) = (Points::new(5), Points::new(5));
    for (k, place) in places.chunks(6).enumerate() {
        whole.push(place);
        with_gaps.push(place);
        if k % 3 == 0 {
            with_gaps.push_left_out();
        }
    }
    let places =
        |points: &Points| points.endmembers(&subspace, 3, go_on).expect("endmembers").places;
    // Blocks of other pixels, so the last digits may differ.
    for (a, b) in places(&whole).concat().iter().zip(places(&with_gaps).concat()) {
        assert!((a - b).abs() < 1e-9 * (1.0 + a.abs()), "{a} {b}");
    }
}

#[test]
fn what_cannot_be_unmixed_is_refused() {
    let mut dark = Points::new(3);
    (0..10).for_each(|_| dark.push(&[0.0; 4]));
    let moments = Moments::new(3);
    let subspace = Subspace::new(&moments, &Bands::of(&moments), 3);
    let told = dark.endmembers(&subspace, 1, go_on).expect_err("dark").to_string();
    assert!(told.contains("all dark"), "{told}");
    let stop = || Err(xray_nmf::Error::Stopped);
    let scene = Scene { rank: 2, bands: 12, rows: 9, columns: 9, ..Scene::default() }
        .draw()
        .expect("a scene");
    let mut moments = Moments::new(12);
    moments.add(&scene.pixels());
    let subspace = Subspace::new(&moments, &Bands::of(&moments), 4);
    let stopped = points_of(&scene, &subspace).endmembers(&subspace, 2, stop);
    assert_eq!(stopped, Err(xray_nmf::Error::Stopped));
}
