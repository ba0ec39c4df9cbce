//! Texts and the options by which they become numbers.

use xray_data::text::{
    DocumentFrequency, Keep, Language, Phrases, RowScale, StopWords, TextOptions, Vectorizer,
};

/// Four bytes of options, then texts, one a line.
pub(crate) fn run(bytes: &[u8]) -> bool {
    let Some((choices, content)) = bytes.split_first_chunk::<4>() else { return false };
    let content = String::from_utf8_lossy(content);
    let texts: Vec<&str> = content.split('\n').collect();
    let Ok((x, vectorizer)) = Vectorizer::fit_transform(options(choices), &texts) else {
        return false;
    };
    // Stems are called by their most frequent word.
    let (keys, vocabulary) = (vectorizer.keys(), vectorizer.vocabulary());
    assert!(keys.is_sorted_by(|a, b| a < b), "every word once, in order");
    assert!(vocabulary.len() == keys.len() && vocabulary.iter().all(|word| !word.is_empty()));
    assert!(x.csr().2.iter().all(|v| v.is_finite() && *v >= 0.0), "weights are numbers");
    let again = vectorizer.transform(&texts).expect("the same texts");
    assert!(x.csr() == again.csr(), "the same texts have the same weights");
    for (column, key) in keys.iter().enumerate() {
        assert_eq!(vectorizer.column(key), Some(column));
    }
    true
}

fn options(&[bits, language, frequency, lengths]: &[u8; 4]) -> TextOptions {
    let is = |bit: u8| bits & bit != 0;
    let languages = Language::ALL;
    let share = DocumentFrequency::Share(f64::from(frequency >> 4) / 8.0);
    TextOptions {
        // One of the choices, or none.
        keep: Keep::ALL.get(usize::from(language >> 4)).copied().into_iter().collect(),
        lowercase: is(1),
        min_characters: usize::from(lengths % 4),
        token_pattern: (bits == 4).then(|| "[^ ]+".to_owned()),
        stop_words: match (is(2), languages.get(usize::from(language % 16))) {
            (true, Some(&language)) => StopWords::of(language),
            _ => StopWords::List(vec!["a".into()]),
        },
        stemming: languages.get(usize::from(language)).copied(),
        phrases: if lengths.is_multiple_of(3) { Phrases::Learn } else { Phrases::None },
        ngrams: (usize::from(lengths / 4 % 4), usize::from(lengths / 16)),
        min_df: if is(4) { DocumentFrequency::Count(u64::from(frequency % 4)) } else { share },
        max_df: if is(8) { DocumentFrequency::Automatic } else { DocumentFrequency::Share(1.0) },
        max_features: is(16).then_some(usize::from(frequency % 16)),
        tf_idf: is(32),
        sublinear_tf: is(64),
        smooth_idf: is(128),
        normalize: RowScale::ALL[usize::from(frequency) % RowScale::ALL.len()],
    }
}

pub(crate) fn seeds() -> Vec<Vec<u8>> {
    let texts = [
        "cats purr and cats sleep\ndogs bark\nsleepy cats\n",
        "Größe ΜΈΓΕΘΟΣ fi\u{fb01} İstanbul\n\u{1f600}\u{200d}\u{1f600} don't e\u{301}te\u{301}\n",
        "From: a@b.org\r\nSubject: <b>cats</b> &amp; http://a.org/(b\r\n\r\n> AP> x\n-- \nend\n",
        "حرية книга 東京 தமிழ்\nx1 1e5 3.14 snake_case CamelCase\n",
    ];
    let choices = [[0xff, 0xff, 0x01, 0x16], [0x04, 3, 0x01, 0x25], [0x65, 0, 0x00, 0x16]];
    let all = texts.iter().flat_map(|text| choices.iter().map(move |c| (c, text)));
    all.map(|(choices, text)| [&choices[..], text.as_bytes()].concat()).collect()
}
