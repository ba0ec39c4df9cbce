//! Families of problems: separable or not, degenerate or out of scale. All of them from a seed.

use crate::support::problems::Random;

/// Columns of X.
pub(crate) type Columns = Vec<Vec<f64>>;

/// A name, and how its problems are made.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Family {
    pub(crate) name: &'static str,
    pub(crate) signed: bool,
    make: fn(&mut Random) -> Columns,
}

impl Family {
    pub(crate) fn problem(&self, random: &mut Random) -> Columns {
        let mut columns = (self.make)(random);
        random.shuffle(&mut columns);
        columns
    }
}

const fn family(name: &'static str, make: fn(&mut Random) -> Columns) -> Family {
    Family { name, signed: false, make }
}

pub(crate) const FAMILIES: [Family; 19] = [
    family("separable", |r| mixed(r, 0.0)),
    family("noisy", |r| {
        let level = power(r, -8.0, -1.0);
        mixed(r, level)
    }),
    family("scales", |r| {
        let level = if r.chance(0.5) { 0.0 } else { 0.1 };
        scaled(mixed(r, level), r, 60.0)
    }),
    family("mild scales", |r| scaled(mixed(r, 0.0), r, 6.0)),
    family("diagonal", diagonal),
    family("near-parallel", near_parallel),
    family("near a face", near_face),
    family("huge interior", huge_interior),
    family("copies", copies),
    family("hypercube", hypercube),
    family("cross-polytope", cross_polytope),
    family("cyclic", cyclic),
    family("birkhoff", birkhoff),
    family("sparse unit", sparse_unit),
    family("integers", integers),
    family("degenerate", degenerate),
    family("zero columns", zero_columns),
    family("rank-deficient", rank_deficient),
    Family { name: "signed", signed: true, make: signed },
];

/// Uniform in [0, 1), with all digits.
pub(crate) fn fine(random: &mut Random) -> f64 {
    (random.next() >> 11) as f64 / 2f64.powi(53)
}

/// 10 to a power between two limits.
pub(crate) fn power(random: &mut Random, low: f64, high: f64) -> f64 {
    10f64.powf(low + (high - low) * fine(random))
}

/// About normal.
fn normal(random: &mut Random) -> f64 {
    (0..12).map(|_| fine(random)).sum::<f64>() - 6.0
}

fn rays(m: usize, r: usize, random: &mut Random) -> Columns {
    let zeros = [0.0, 0.3, 0.6][random.below(3)];
    let mut entry = || if random.chance(zeros) { 0.0 } else { fine(random) };
    let mut rays: Columns = (0..r).map(|_| (0..m).map(|_| entry()).collect()).collect();
    rays.iter_mut().enumerate().for_each(|(k, ray)| ray[k % m] += 0.1);
    rays
}

/// A point of the cone: inside, on a face, or on an edge.
fn mixture(rays: &[Vec<f64>], random: &mut Random) -> Vec<f64> {
    let mut point = vec![0.0; rays[0].len()];
    let n_used = random.between(2.min(rays.len()), rays.len());
    for _ in 0..n_used {
        let (weight, k) = (fine(random), random.below(rays.len()));
        point.iter_mut().zip(&rays[k]).for_each(|(p, v)| *p += weight * v);
    }
    point
}

fn with_mixtures(mut rays: Columns, most: usize, random: &mut Random) -> Columns {
    let n_rays = rays.len();
    for _ in 0..random.between(0, most) {
        let point = mixture(&rays[..n_rays], random);
        rays.push(point);
    }
    rays
}

fn mixed(random: &mut Random, noise: f64) -> Columns {
    let m = if random.chance(0.1) { random.between(13, 30) } else { random.between(2, 12) };
    let r = random.between(1, m.min(8));
    let rays = rays(m, r, random);
    let mut columns = with_mixtures(rays, 40, random);
    columns.iter_mut().flatten().for_each(|v| *v += noise * fine(random));
    columns
}

fn scaled(mut columns: Columns, random: &mut Random, powers: f64) -> Columns {
    for column in &mut columns {
        let factor = power(random, -powers, powers);
        column.iter_mut().for_each(|v| *v *= factor);
    }
    columns
}

fn diagonal(random: &mut Random) -> Columns {
    let m = random.between(3, 6);
    let sizes: Vec<f64> = match random.below(3) {
        0 => vec![1e9, 1.0, 1e-6],
        1 => vec![1.0, 1e-7, 1e-14],
        _ => (0..m).map(|_| power(random, -12.0, 12.0)).collect(),
    };
    let axis = |k: usize| -> Vec<f64> {
        (0..m).map(|d| if d == k { sizes[k % sizes.len()] } else { 0.0 }).collect()
    };
    let rays: Columns = (0..m).map(axis).collect();
    with_mixtures(rays, 6, random)
}

fn near_parallel(random: &mut Random) -> Columns {
    let m = random.between(3, 10);
    let angle = power(random, -6.0, -1.0);
    // Around the diagonal spreads differ by the square of the angle only.
    let even = random.chance(0.5);
    let common: Vec<f64> = (0..m).map(|_| if even { 1.0 } else { 0.5 + fine(random) }).collect();
    let ray = |k: usize| (0..m).map(move |d| if d == k { angle } else { 0.0 });
    let count = random.between(2, m);
    let rays: Columns =
        (0..count).map(|k| ray(k).zip(&common).map(|(a, c)| a + c).collect()).collect();
    with_mixtures(rays, 20, random)
}

fn near_face(random: &mut Random) -> Columns {
    let m = random.between(3, 10);
    let mut rays = rays(m, random.between(2, m.min(5)), random);
    let mut above = mixture(&rays, random);
    let row = random.below(m);
    above[row] += power(random, -6.0, -1.0);
    rays.push(above);
    if random.chance(0.5) {
        let mut twin = rays[0].clone();
        twin[random.below(m)] += power(random, -6.0, -1.0);
        rays.push(twin);
    }
    with_mixtures(rays, 20, random)
}

fn huge_interior(random: &mut Random) -> Columns {
    let m = random.between(2, 12);
    let rays = rays(m, random.between(1, m.min(8)), random);
    let n_rays = rays.len();
    let mut columns = with_mixtures(rays, 20, random);
    for column in &mut columns[n_rays..] {
        let factor = power(random, 3.0, 13.0);
        column.iter_mut().for_each(|v| *v *= factor);
    }
    columns
}

fn copies(random: &mut Random) -> Columns {
    let m = random.between(2, 8);
    let rays = rays(m, random.between(1, m.min(6)), random);
    let mut columns = rays.clone();
    for _ in 0..random.between(1, 30) {
        let factor = match random.below(3) {
            0 => 1.0,
            1 => 2f64.powi(random.below(9) as i32 - 4),
            _ => power(random, -3.0, 3.0),
        };
        let copied = &columns[random.below(columns.len())];
        columns.push(copied.iter().map(|v| v * factor).collect());
    }
    with_mixtures(columns, 10, random)
}

fn hypercube(random: &mut Random) -> Columns {
    let d = random.between(2, 4);
    let steps = random.between(1, 2);
    let side = steps + 1;
    let all = side.pow(d as u32).min(60);
    let point = |q: usize| (0..d).map(move |k| (q / side.pow(k as u32) % side) as f64);
    (0..all).map(|q| std::iter::once(steps as f64).chain(point(q)).collect()).collect()
}

fn cross_polytope(random: &mut Random) -> Columns {
    let m = random.between(2, 10);
    let vertex = |k: usize, step: f64| -> Vec<f64> {
        (0..m).map(|d| if d == k { 1.0 + step } else { 1.0 }).chain([1.0]).collect()
    };
    let rays: Columns = (0..m).flat_map(|k| [vertex(k, 1.0), vertex(k, -1.0)]).collect();
    let mut columns = rays.clone();
    columns.push(vec![1.0; m + 1]);
    with_mixtures(columns, 10, random)
}

fn cyclic(random: &mut Random) -> Columns {
    let (d, n) = (random.between(3, 7), random.between(4, 20));
    let point = |q: usize| (0..d).map(|k| ((q + 1) as f64 / 4.0).powi(k as i32)).collect();
    let rays: Columns = (0..n).map(point).collect();
    with_mixtures(rays, 20, random)
}

fn birkhoff(random: &mut Random) -> Columns {
    let size = random.between(2, 4);
    let mut orders = vec![vec![]];
    for _ in 0..size {
        let longer = |order: &Vec<usize>| -> Vec<Vec<usize>> {
            let unused = (0..size).filter(|k| !order.contains(k));
            unused.map(|k| [order.clone(), vec![k]].concat()).collect()
        };
        orders = orders.iter().flat_map(longer).collect();
    }
    let matrix = |order: &Vec<usize>| -> Vec<f64> {
        (0..size * size).map(|q| f64::from(u8::from(order[q / size] == q % size))).collect()
    };
    let rays: Columns = orders.iter().map(matrix).collect();
    let mut columns = rays.clone();
    for _ in 0..random.between(0, 20) {
        let pair = [&rays[random.below(rays.len())], &rays[random.below(rays.len())]];
        columns.push(pair[0].iter().zip(pair[1]).map(|(a, b)| a + b).collect());
    }
    columns
}

fn sparse_unit(random: &mut Random) -> Columns {
    let m = random.between(4, 30);
    let unit = |k: usize| (0..m).map(|d| f64::from(u8::from(d == k))).collect();
    let rays: Columns = (0..random.between(2, m)).map(unit).collect();
    let mut columns = rays.clone();
    for _ in 0..random.between(0, 20) {
        let mut sum = vec![0.0; m];
        for _ in 0..random.between(2, 4) {
            sum[random.below(rays.len())] += [1.0, 0.5, fine(random)][random.below(3)];
        }
        columns.push(sum);
    }
    columns
}

fn integers(random: &mut Random) -> Columns {
    let (m, n) = (random.between(2, 10), random.between(2, 40));
    let most = random.between(1, 3);
    let mut entry = || if random.chance(0.4) { 0.0 } else { random.between(0, most) as f64 };
    (0..n).map(|_| (0..m).map(|_| entry()).collect()).collect()
}

fn degenerate(random: &mut Random) -> Columns {
    let m = random.between(2, 5);
    let few: Columns = (0..3).map(|_| (0..m).map(|_| random.below(2) as f64).collect()).collect();
    let mut columns = few.clone();
    for _ in 0..random.between(1, 30) {
        let (a, b) = (&columns[random.below(columns.len())], &few[random.below(3)]);
        columns.push(a.iter().zip(b).map(|(a, b)| (a + b) / 2.0).collect());
    }
    columns
}

fn zero_columns(random: &mut Random) -> Columns {
    let mut columns = mixed(random, 0.0);
    let m = columns[0].len();
    let row = random.below(m);
    columns.iter_mut().for_each(|column| column[row] = 0.0);
    for _ in 0..random.between(1, 5) {
        columns.push(vec![0.0; m]);
    }
    columns
}

fn rank_deficient(random: &mut Random) -> Columns {
    let n_rays = random.between(4, 12);
    let lift: Columns = (0..3).map(|_| (0..3).map(|_| fine(random)).collect()).collect();
    let corner = |k: usize| -> Vec<f64> {
        let angle = std::f64::consts::TAU * k as f64 / n_rays as f64;
        let point = [1.0 + angle.cos(), 1.0 + angle.sin(), 1.0];
        (0..3).map(|d| point[d] + lift[d][0] * point[0] + lift[d][2] * point[2]).collect()
    };
    let rays: Columns = (0..n_rays).map(corner).collect();
    with_mixtures(rays, 25, random)
}

fn signed(random: &mut Random) -> Columns {
    if random.chance(0.5) {
        let (m, n) = (random.between(2, 12), random.between(2, 40));
        return (0..n).map(|_| (0..m).map(|_| fine(random) - 0.25).collect()).collect();
    }
    let mut columns = mixed(random, 0.0);
    let level = power(random, -6.0, -0.5);
    columns.iter_mut().flatten().for_each(|v| *v += level * normal(random));
    columns
}
