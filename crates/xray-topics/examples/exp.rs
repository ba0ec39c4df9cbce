use std::time::Instant;
use xray_data::text::*;
use xray_data::*;
use xray_nmf::*;
use xray_topics::*;
fn corpus(name: &str) -> (Corpus, usize) {
    let d = "/work/shared/data/";
    let o = TextOptions::default();
    let text = |f: &str, t: &str, l: Option<&str>| {
        let opt = LoadOptions { text: vec![ColumnChoice::from(t)], label: l.map(ColumnChoice::from), ..Default::default() };
        let docs = load(&Input::from(format!("{d}{f}").as_str()), &opt).unwrap().into_documents().unwrap();
        Corpus::from_documents(docs, TextOptions::default()).unwrap()
    };
    let mat = |f: &str, top: usize| {
        let opt = LoadOptions { variable: Some("fea".into()), label: Some("gnd".into()), ..Default::default() };
        let mut t = load(&Input::from(format!("{d}{f}").as_str()), &opt).unwrap().into_table().unwrap();
        if top > 0 {
            let l = t.labels.clone().unwrap();
            let mut c = std::collections::BTreeMap::new();
            for x in &l { *c.entry(x.clone()).or_insert(0) += 1; }
            let mut v: Vec<_> = c.into_iter().collect();
            v.sort_by_key(|x| std::cmp::Reverse(x.1));
            let keep: Vec<String> = v.into_iter().take(top).map(|x| x.0).collect();
            let rows: Vec<usize> = (0..l.len()).filter(|&i| keep.contains(&l[i])).collect();
            let LoadedMatrix::Sparse(x) = &t.matrix else { panic!() };
            let x = x.rows_at(&rows);
            t = Table { labels: Some(rows.iter().map(|&i| l[i].clone()).collect()), ..Table::new(x.into()) };
        }
        Corpus::from_table(t, o.clone()).unwrap()
    };
    match name {
        "bbc" => (text("bbc/articles.csv.gz", "text", Some("label")), 5),
        "tdt2" => (mat("tdt2/TDT2.mat", 0), 30),
        "reuters" => (mat("reuters/Reuters21578.mat", 10), 10),
        "debian" => (text("debian/descriptions.tsv.gz", "text", Some("section")), 58),
        _ => panic!(),
    }
}
fn main() {
    for name in std::env::args().skip(1) {
        let (c, r) = corpus(&name);
        println!("{name} {}x{} nnz {}", c.n_documents(), c.matrix.n_columns(), c.matrix.n_entries());
        let labels = c.labels.clone().unwrap();
        for (m, refine) in [(Refinement::Exact, 0), (Refinement::Exact, 5), (Refinement::Exact, 10), (Refinement::Exact, 20), (Refinement::Hals, 10), (Refinement::Hals, 20)] {
            let t0 = Instant::now();
            let f = find_topics(&c, &TopicOptions { rank: Some(r), refine, method: m, ..Default::default() }, &mut ignore).unwrap();
            let e = t0.elapsed();
            let nmi = xray_eval::normalized_mutual_information(&labels, &f.topic_of_document);
            // l2 scaling
            let mut n2 = vec![0.0; r];
            for row in f.h.chunks(r) { for k in 0..r { n2[k] += row[k] * row[k]; } }
            let l2: Vec<Option<usize>> = f.weights.chunks(r).map(|w| (0..r).max_by(|&a, &b| (w[a] * n2[a].sqrt()).total_cmp(&(w[b] * n2[b].sqrt())))).collect();
            let nmi2 = xray_eval::normalized_mutual_information(&labels, &l2);
            println!("{m:?} {refine}: l1 {nmi:.3} l2 {nmi2:.3} {e:?}");
        }
        let s = rank_study(&LoadedMatrix::Sparse(c.matrix.clone()), &StudyOptions { params: Params { selection: Selection::Greedy, ..Params::new(60) }, held_out: 0.1, coherence_words: Some(10) }, &mut ignore).unwrap();
        println!("suggest {:?}", s.suggestion);
        for r in &s.ranks { println!("{} {} {:.4} {:.4} npmi {:.4} umass {:.3} margin {:.3}", r.rank, c.word(r.anchor), r.residual, r.held_out.unwrap_or(0.0), r.npmi.unwrap(), r.umass.unwrap(), r.margin.unwrap_or(9.0)); }
    }
}
