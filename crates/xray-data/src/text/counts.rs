//! Counting: one chunk of documents to its own terms and their counts.
//!
//! Every chunk numbers the terms it meets from 0; the numbers are replaced by columns once the
//! vocabulary is known. A word is checked against the stop list, and stemmed, only when a chunk
//! meets it for the first time.

use std::ops::Range;

use rustc_hash::FxHashSet;

use super::clean::{Cleaner, Dropped, Drops, is_number};
use super::interner::Interner;
use super::options::TextOptions;
use super::pattern::Pattern;
use super::stems::Stemmer;
use super::tokens::{for_each_token, lowercase_into};
use crate::error::Result;

/// Text in a chunk, in bytes; fixed, so that results do not depend on threads.
const CHUNK_BYTES: usize = 1 << 20;

/// Marks a word that is dropped.
const STOP: u32 = u32::MAX;

/// Marks a number that is dropped.
const NUMBER: u32 = u32::MAX - 1;

/// Splits documents into chunks of about [`CHUNK_BYTES`].
pub(super) fn chunks(documents: &[impl AsRef<str>]) -> Vec<Range<usize>> {
    let mut chunks = Vec::new();
    let (mut start, mut size) = (0, 0);
    for (d, document) in documents.iter().enumerate() {
        // An empty document costs something, too.
        size += document.as_ref().len() + 16;
        if size >= CHUNK_BYTES {
            chunks.push(start..d + 1);
            (start, size) = (d + 1, 0);
        }
    }
    if start < documents.len() {
        chunks.push(start..documents.len());
    }
    chunks
}

/// The terms of one chunk of documents and how often each document has them.
#[derive(Debug, Default)]
pub(super) struct ChunkCounts {
    pub terms: Interner,
    /// Documents of the chunk that have the term; 0 for stop words and numbers, and for words that only occur
    /// within n-grams.
    pub document_frequency: Vec<u32>,
    /// Occurrences of the term in the chunk.
    pub total: Vec<u64>,
    /// Document d of the chunk has entries `ends[d - 1]..ends[d]`.
    pub ends: Vec<usize>,
    /// (term, count) of each entry.
    pub entries: Vec<(u32, u32)>,
    /// What was dropped before terms were counted.
    pub dropped: Dropped,
}

impl ChunkCounts {
    /// The memory that it takes.
    pub(super) fn bytes(&self) -> u64 {
        let per_term = 4 + 8;
        let lists = 8 * self.entries.len() + 8 * self.ends.len() + per_term * self.total.len();
        lists as u64 + self.terms.bytes()
    }

    /// The memory that its rows take once they are weighed: as they are made, and by rows and by columns.
    pub(super) fn weighed_bytes(&self) -> u64 {
        (24 * self.entries.len() + 16 * self.ends.len()) as u64
    }
}

/// The stop words as they stand among tokens.
pub(super) fn stop_words(options: &TextOptions) -> FxHashSet<String> {
    let fold = |word: String| if options.lowercase { word.to_lowercase() } else { word };
    options.stop_words.all().into_iter().map(fold).collect()
}

/// What all chunks share.
pub(super) struct Analyzer<'a> {
    options: &'a TextOptions,
    drops: Drops,
    pattern: Option<Pattern>,
    stop_words: FxHashSet<String>,
    stemmer: Option<Stemmer>,
}

impl<'a> Analyzer<'a> {
    pub(super) fn new(options: &'a TextOptions) -> Result<Self> {
        let stemmer = options.stemming.map(Stemmer::new).transpose()?;
        let drops = Drops::but(&options.keep);
        let pattern = options.token_pattern.as_deref().map(Pattern::new).transpose()?;
        Ok(Self { options, drops, pattern, stop_words: stop_words(options), stemmer })
    }

    /// Counts the terms of a chunk.
    pub(super) fn count(&self, documents: &[impl AsRef<str>]) -> ChunkCounts {
        let mut counter = Counter::new(self);
        for document in documents {
            counter.add(document.as_ref());
        }
        counter.finish()
    }
}

/// The state while a chunk is counted.
struct Counter<'a> {
    analyzer: &'a Analyzer<'a>,
    chunk: ChunkCounts,
    /// Words as they stand in the text; used for stemming only, otherwise words are terms.
    words: Interner,
    /// The term that a word stands for, or [`STOP`], or [`NUMBER`].
    term_of_word: Vec<u32>,
    /// Occurrences of each term in the current document; all 0 between documents.
    counts: Vec<u32>,
    /// Terms of the current document in order of first appearance.
    present: Vec<u32>,
    /// The kept words of the current document; used for n-grams only.
    sequence: Vec<u32>,
    cleaner: Cleaner,
    lowercase: String,
    ngram: String,
    stemmer: Option<Stemmer>,
}

impl<'a> Counter<'a> {
    fn new(analyzer: &'a Analyzer<'a>) -> Self {
        Self {
            analyzer,
            chunk: ChunkCounts::default(),
            words: Interner::default(),
            term_of_word: Vec::new(),
            counts: Vec::new(),
            present: Vec::new(),
            sequence: Vec::new(),
            cleaner: Cleaner::new(analyzer.drops),
            lowercase: String::new(),
            ngram: String::new(),
            stemmer: analyzer.stemmer,
        }
    }

    fn add(&mut self, document: &str) {
        let analyzer = self.analyzer;
        let options = analyzer.options;
        let mut cleaner = std::mem::take(&mut self.cleaner);
        let mut lowercase = std::mem::take(&mut self.lowercase);
        let document = cleaner.clean(document);
        let text = if options.lowercase {
            lowercase_into(document, &mut lowercase);
            &lowercase
        } else {
            document
        };
        let (shortest, longest) = options.ngrams;
        let visit = |token: &str| {
            let term = self.term_of(token);
            if term >= NUMBER {
                let dropped = &mut self.chunk.dropped;
                let count =
                    if term == STOP { &mut dropped.stop_words } else { &mut dropped.numbers };
                *count += 1;
                return;
            }
            if shortest == 1 {
                self.occur(term);
            }
            if longest > 1 {
                self.sequence.push(term);
            }
        };
        match &analyzer.pattern {
            Some(pattern) => pattern.for_each_token(text, visit),
            None => for_each_token(text, options.min_characters, visit),
        }
        if longest > 1 {
            self.add_ngrams(shortest.max(2)..=longest);
        }
        self.lowercase = lowercase;
        self.cleaner = cleaner;
        self.finish_document();
    }

    fn finish(mut self) -> ChunkCounts {
        self.chunk.dropped = self.chunk.dropped.plus(self.cleaner.dropped);
        self.chunk
    }

    /// The term of a word as it stands in the text, or [`STOP`], or [`NUMBER`].
    fn term_of(&mut self, word: &str) -> u32 {
        let words = if self.stemmer.is_some() { &mut self.words } else { &mut self.chunk.terms };
        let (id, new) = words.intern(word);
        if !new {
            return self.term_of_word[id as usize];
        }
        let term = if self.analyzer.stop_words.contains(word) {
            STOP
        } else if self.analyzer.drops.numbers && is_number(word) {
            NUMBER
        } else {
            self.stemmed(word, id)
        };
        // Terms that are n-grams lie between words; no word asks for them.
        self.term_of_word.resize(id as usize, STOP);
        self.term_of_word.push(term);
        term
    }

    /// The term of a word that is met for the first time, as number `id`.
    fn stemmed(&mut self, word: &str, id: u32) -> u32 {
        match &self.stemmer {
            Some(stemmer) => self.chunk.terms.intern(&stemmer.stem(word)).0,
            None => id,
        }
    }

    fn add_ngrams(&mut self, lengths: std::ops::RangeInclusive<usize>) {
        let sequence = std::mem::take(&mut self.sequence);
        for n in lengths {
            for words in sequence.windows(n) {
                self.ngram.clear();
                for (k, &word) in words.iter().enumerate() {
                    if k > 0 {
                        self.ngram.push(' ');
                    }
                    self.ngram.push_str(self.chunk.terms.get(word));
                }
                let term = self.chunk.terms.intern(&self.ngram).0;
                self.occur(term);
            }
        }
        self.sequence = sequence;
        self.sequence.clear();
    }

    #[inline]
    fn occur(&mut self, term: u32) {
        let t = term as usize;
        if t >= self.counts.len() {
            self.counts.resize(self.chunk.terms.len(), 0);
        }
        if self.counts[t] == 0 {
            self.present.push(term);
        }
        self.counts[t] = self.counts[t].saturating_add(1);
    }

    fn finish_document(&mut self) {
        let chunk = &mut self.chunk;
        chunk.document_frequency.resize(chunk.terms.len(), 0);
        chunk.total.resize(chunk.terms.len(), 0);
        for &term in &self.present {
            let t = term as usize;
            let count = std::mem::take(&mut self.counts[t]);
            chunk.entries.push((term, count));
            chunk.document_frequency[t] += 1;
            chunk.total[t] += u64::from(count);
        }
        chunk.ends.push(chunk.entries.len());
        self.present.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counted(options: &TextOptions, document: &str) -> Vec<(String, u32)> {
        let chunk = Analyzer::new(options).expect("known").count(&[document]);
        let mut terms: Vec<_> =
            chunk.entries.iter().map(|&(t, n)| (chunk.terms.get(t).to_owned(), n)).collect();
        terms.sort();
        terms
    }

    #[test]
    fn ngrams_skip_stop_words() {
        let options = TextOptions { ngrams: (1, 2), ..TextOptions::default() };
        let terms = counted(&options, "The cat and the dog");
        assert_eq!(terms, [("cat".into(), 1), ("cat dog".into(), 1), ("dog".into(), 1)]);
    }

    #[test]
    fn a_pattern_tells_tokens() {
        let token_pattern = Some("[a-z]+(?:-[a-z]+)*".to_owned());
        let options = TextOptions { token_pattern, ..TextOptions::default() };
        let terms = counted(&options, "The Well-known x and 42 the_others");
        let terms: Vec<&str> = terms.iter().map(|(term, _)| term.as_str()).collect();
        assert_eq!(terms, ["well-known", "x"]);
    }

    #[test]
    fn single_words_are_left_out_of_pure_bigrams() {
        let options = TextOptions { ngrams: (2, 2), ..TextOptions::scikit_learn() };
        let terms = counted(&options, "red red red");
        assert_eq!(terms, [("red red".into(), 2)]);
    }

    #[cfg(feature = "stemming")]
    #[test]
    fn stems_fall_together_after_stop_words_are_dropped() {
        use crate::text::{Language, StopWords};
        let options = TextOptions {
            stemming: Some(Language::English),
            stop_words: StopWords::List(vec!["Running".into()]),
            ..TextOptions::default()
        };
        assert_eq!(counted(&options, "runs run running"), [("run".into(), 2)]);
    }

    #[test]
    fn chunks_cover_all_documents_once() {
        let documents: Vec<String> = (0..100).map(|k| "x".repeat(k * 1000)).collect();
        let chunks = chunks(&documents);
        assert!(chunks.len() > 2);
        let all: Vec<usize> = chunks.into_iter().flatten().collect();
        assert_eq!(all, (0..100).collect::<Vec<_>>());
    }
}
