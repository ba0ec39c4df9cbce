//! `xray demo`: the whole way from text to topics on the corpus inside the program.

use std::collections::{BTreeMap, BTreeSet};
use std::error::Error;
use std::io::Write;
use std::time::Instant;

use xray_nmf::{Params, Refinement, Selection, SparseMatrix, fit, refine};

/// 288 short texts on 8 subjects: a header, then subject and text in each line.
const CORPUS: &str = include_str!("../corpus/demo.tsv");

/// Words that say nothing about a subject.
const STOP_WORDS: &str = "\
a about above after again against all almost along also although always am among an and another any \
are around as at away back be because been before behind being below between both but by can could \
did do does doing done down during each either enough even ever every few first for from get gets got \
had has have having he her here hers him his how i if in instead into is it its itself just keep kept \
last later least less let like long made make many may me might more most much must my near never new \
next no nor not nothing now of off often on once one only onto or other our out over own past perhaps \
put quite rather same second she should since so some soon still such than that the their them then \
there these they third this those though three through till to together too took toward two under \
until up upon us very was we well went were what when where whether which while who whole whose why \
will with within without would yet you your";

const TOP_WORDS: usize = 8;

/// Prints the topics of the corpus, and how well they match its subjects.
pub(crate) fn run(out: &mut impl Write) -> Result<(), Box<dyn Error>> {
    let start = Instant::now();
    let corpus = Corpus::read();
    let subjects: BTreeSet<&str> = corpus.subjects.iter().copied().collect();
    let matrix = corpus.tf_idf()?;
    let params = Params { selection: Selection::Greedy, ..Params::new(subjects.len()) };
    let found = fit(&matrix, &params)?;
    let refined = refine(&matrix, &found, Refinement::Exact, 10, None)?;
    let rank = found.rank();
    writeln!(
        out,
        "{} texts, {} words, {rank} topics in {:.2} s\n",
        corpus.texts.len(),
        corpus.vocabulary.len(),
        start.elapsed().as_secs_f64()
    )?;
    writeln!(out, "{:<14}{:>7}  words of the topic", "anchor", "texts")?;
    let topics: Vec<usize> = refined.w.chunks_exact(rank).map(largest).collect();
    for (k, &anchor) in found.anchors().iter().enumerate() {
        let mut order: Vec<usize> = (0..corpus.vocabulary.len()).collect();
        order.sort_by(|a, b| refined.h[b * rank + k].total_cmp(&refined.h[a * rank + k]));
        let words: Vec<&str> = order[..TOP_WORDS].iter().map(|&j| corpus.vocabulary[j]).collect();
        let size = topics.iter().filter(|t| **t == k).count();
        writeln!(out, "{:<14}{size:>7}  {}", corpus.vocabulary[anchor], words.join(", "))?;
    }
    let nmi = mutual_information(&topics, &corpus.subjects);
    writeln!(out, "\nAgreement with the {} true subjects (NMI): {nmi:.2}", subjects.len())?;
    writeln!(out, "The same on every run and with any number of threads.")?;
    Ok(())
}

struct Corpus {
    subjects: Vec<&'static str>,
    texts: Vec<Vec<String>>,
    /// Words of at least two texts, in alphabetical order.
    vocabulary: Vec<&'static str>,
}

impl Corpus {
    fn read() -> Self {
        let stop_words: BTreeSet<&str> = STOP_WORDS.split_whitespace().collect();
        let rows = CORPUS.lines().skip(1).filter_map(|line| line.split_once('\t'));
        let (subjects, raw): (Vec<&str>, Vec<&'static str>) = rows.unzip();
        let words = |text: &'static str| text.split(|c: char| !c.is_alphabetic());
        let mut counts: BTreeMap<String, usize> = BTreeMap::new();
        let mut texts = Vec::new();
        for text in raw {
            let kept = words(text).map(str::to_lowercase);
            let kept: Vec<String> =
                kept.filter(|w| w.len() > 2 && !stop_words.contains(w.as_str())).collect();
            for word in kept.iter().collect::<BTreeSet<_>>() {
                *counts.entry(word.clone()).or_default() += 1;
            }
            texts.push(kept);
        }
        let vocabulary = counts.into_iter().filter(|(_, n)| *n > 1);
        // The vocabulary lives as long as the program: this runs once.
        let vocabulary = vocabulary.map(|(word, _)| &*String::leak(word)).collect();
        Self { subjects, texts, vocabulary }
    }

    /// `(1 + ln tf) (1 + ln((1 + m) / (1 + df)))`, each text scaled to unit length.
    fn tf_idf(&self) -> Result<SparseMatrix<'static, f64>, xray_nmf::Error> {
        let mut rows: Vec<BTreeMap<usize, f64>> = Vec::new();
        let mut documents = vec![0.0; self.vocabulary.len()];
        for text in &self.texts {
            let mut row = BTreeMap::new();
            for j in text.iter().filter_map(|w| self.vocabulary.binary_search(&w.as_str()).ok()) {
                *row.entry(j).or_insert(0.0) += 1.0;
            }
            row.keys().for_each(|&j| documents[j] += 1.0);
            rows.push(row);
        }
        let m = self.texts.len() as f64;
        let mut entries = Vec::new();
        for (d, row) in rows.iter().enumerate() {
            let weight = |j: usize, tf: f64| {
                (1.0 + tf.ln()) * (1.0 + ((1.0 + m) / (1.0 + documents[j])).ln())
            };
            let norm = row.iter().map(|(&j, &tf)| weight(j, tf).powi(2)).sum::<f64>().sqrt();
            entries.extend(row.iter().map(|(&j, &tf)| (d, j, weight(j, tf) / norm)));
        }
        SparseMatrix::<f64>::from_triplets(self.texts.len(), self.vocabulary.len(), entries)
    }
}

/// The position of the first largest value.
fn largest(values: &[f64]) -> usize {
    (0..values.len()).reduce(|best, k| if values[k] > values[best] { k } else { best }).unwrap_or(0)
}

/// Normalised mutual information of two labellings: 1 if they are the same up to names.
fn mutual_information(topics: &[usize], subjects: &[&str]) -> f64 {
    let n = topics.len() as f64;
    let mut joint: BTreeMap<(usize, &str), f64> = BTreeMap::new();
    let mut first: BTreeMap<usize, f64> = BTreeMap::new();
    let mut second: BTreeMap<&str, f64> = BTreeMap::new();
    for (&t, &s) in topics.iter().zip(subjects) {
        *joint.entry((t, s)).or_default() += 1.0 / n;
        *first.entry(t).or_default() += 1.0 / n;
        *second.entry(s).or_default() += 1.0 / n;
    }
    let entropy = |p: &mut dyn Iterator<Item = &f64>| p.fold(0.0, |sum, p| sum - p * p.ln());
    let shared: f64 = joint.iter().map(|((t, s), p)| p * (p / (first[t] * second[s])).ln()).sum();
    let mean = (entropy(&mut first.values()) + entropy(&mut second.values())) / 2.0;
    if mean > 0.0 { shared / mean } else { 1.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_demo_finds_the_subjects() {
        let mut out = Vec::new();
        run(&mut out).unwrap();
        let text = String::from_utf8(out).unwrap();
        let nmi = text.split("(NMI): ").nth(1).and_then(|rest| rest.lines().next()).unwrap();
        assert!(nmi.parse::<f64>().unwrap() >= 0.7, "{text}");
        assert_eq!(
            text.lines().filter(|line| line.matches(", ").count() >= TOP_WORDS - 1).count(),
            8
        );
    }

    #[test]
    fn mutual_information_ignores_names() {
        assert!((mutual_information(&[0, 0, 1, 1], &["b", "b", "a", "a"]) - 1.0).abs() < 1e-12);
        assert!(mutual_information(&[0, 1, 0, 1], &["b", "b", "a", "a"]).abs() < 1e-12);
    }
}
