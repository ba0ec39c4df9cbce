//! x
use xray_data::*;
use xray_nmf::*;
fn main() {
    for (f, v) in [("samson/samson_1.mat", "V"), ("jasper/jasperRidge2_R198.mat", "Y")] {
        let opt = LoadOptions { variable: Some(v.into()), ..Default::default() };
        let t = load(&Input::from(format!("/work/shared/data/{f}").as_str()), &opt).unwrap().into_table().unwrap();
        let LoadedMatrix::Dense(x) = &t.matrix else { panic!() };
        for sel in [Selection::Max, Selection::Greedy, Selection::Dist] {
            let f = fit(x, &Params { selection: sel, ..Params::new(20) }).unwrap();
            let r: Vec<f64> = f.steps().iter().map(|s| s.residual).collect();
            println!("{sel:?} {:?}", r.iter().map(|v| (v * 1e4).round() / 1e4).collect::<Vec<_>>());
        }
    }
}
