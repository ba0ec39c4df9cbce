//! Counting: one chunk of documents to its own terms and their counts.
//!
//! Every chunk numbers the terms it meets from 0; the numbers are replaced by columns once the
//! vocabulary is known. A word is checked against the stop list, and stemmed, only when a chunk
//! meets it for the first time.

use std::ops::Range;
use std::sync::{Mutex, PoisonError};

use rustc_hash::{FxHashMap, FxHashSet};

use super::clean::{Cleaner, Dropped, Drops, is_number};
use super::interner::Interner;
use super::options::TextOptions;
use super::pattern::Pattern;
use super::phrases::{Phrases, Tally};
use super::stems::Stemmer;
use super::tokens::{for_each_token, lowercase_into};
use crate::budget::Claim;
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
    /// The words behind the terms, if these are stems.
    pub forms: ChunkForms,
}

/// The words of a chunk that stems stand for.
#[derive(Debug, Default)]
pub(super) struct ChunkForms {
    pub words: Interner,
    /// The term that each word stands for, or [`STOP`], or [`NUMBER`].
    terms: Vec<u32>,
    /// Occurrences of each word in the chunk.
    totals: Vec<u64>,
}

impl ChunkForms {
    /// Each word that is kept, its stem among `terms`, and how often it occurs.
    pub(super) fn kept<'a>(
        &'a self,
        terms: &'a Interner,
    ) -> impl Iterator<Item = (&'a str, &'a str, u64)> {
        let words = (0..self.words.len() as u32).zip(self.terms.iter().zip(&self.totals));
        let kept = words.filter(|(_, (term, _))| **term < NUMBER);
        kept.map(|(word, (&term, &total))| (terms.get(term), self.words.get(word), total))
    }

    fn bytes(&self) -> u64 {
        self.words.bytes() + (4 + 8) * self.terms.len() as u64
    }
}

impl ChunkCounts {
    /// The memory that it takes.
    pub(super) fn bytes(&self) -> u64 {
        let per_term = 4 + 8;
        let lists = 8 * self.entries.len() + 8 * self.ends.len() + per_term * self.total.len();
        lists as u64 + self.terms.bytes() + self.forms.bytes()
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

/// How often the words of one chunk occur, and those that are side by side.
pub(super) struct PairCounts {
    pub terms: Interner,
    pub counts: Vec<u64>,
    pub pairs: Tally<(u32, u32)>,
}

/// A kept word of a document.
#[derive(Clone, Copy)]
struct Word {
    term: u32,
    /// Whether it is right after the kept word before it.
    beside: bool,
}

/// What all chunks share.
pub(super) struct Analyzer<'a> {
    options: &'a TextOptions,
    drops: Drops,
    pattern: Option<Pattern>,
    /// Pairs that are one term; none if nobody asks which words are side by side.
    phrases: Option<FxHashSet<&'a str>>,
    stop_words: FxHashSet<String>,
    stemmer: Option<Stemmer>,
}

impl<'a> Analyzer<'a> {
    pub(super) fn new(options: &'a TextOptions) -> Result<Self> {
        let stemmer = options.stemming.map(Stemmer::new).transpose()?;
        let drops = Drops::but(&options.keep);
        let pattern = options.token_pattern.as_deref().map(Pattern::new).transpose()?;
        let phrases = match &options.phrases {
            Phrases::None | Phrases::Learn => None,
            Phrases::These(phrases) => Some(phrases.iter().map(String::as_str).collect()),
        };
        Ok(Self { options, drops, pattern, phrases, stop_words: stop_words(options), stemmer })
    }

    /// Counts the words of a chunk, and the pairs of those that are side by side.
    ///
    /// # Errors
    /// If there is no room for them.
    pub(super) fn pairs(
        &self,
        documents: &[impl AsRef<str>],
        claim: &Mutex<Claim>,
    ) -> Result<PairCounts> {
        let mut counter = Counter::new(self);
        let (mut pairs, mut counts) = (Tally::default(), Vec::new());
        for document in documents {
            counter.read(document.as_ref());
            let words = &counter.sequence;
            counts.resize(counter.chunk.terms.len(), 0);
            words.iter().for_each(|word| counts[word.term as usize] += 1);
            for pair in words.windows(2).filter(|pair| pair[1].beside) {
                pairs.add((pair[0].term, pair[1].term), 1, claim)?;
            }
            counter.sequence.clear();
        }
        let terms = counter.chunk.terms;
        let mut claim = claim.lock().unwrap_or_else(PoisonError::into_inner);
        claim.take(terms.bytes() + 8 * counts.len() as u64)?;
        Ok(PairCounts { terms, counts, pairs })
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
    /// The term that a word stands for, or [`STOP`], or [`NUMBER`], where words are terms; stems have their
    /// [forms](ChunkForms).
    term_of_word: Vec<u32>,
    /// Occurrences of each term in the current document; all 0 between documents.
    counts: Vec<u32>,
    /// Terms of the current document in order of first appearance.
    present: Vec<u32>,
    /// The kept words of the current document; used for n-grams and phrases only.
    sequence: Vec<Word>,
    /// The term that a pair of words is, if it is one.
    joined: FxHashMap<(u32, u32), Option<u32>>,
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
            term_of_word: Vec::new(),
            counts: Vec::new(),
            present: Vec::new(),
            sequence: Vec::new(),
            joined: FxHashMap::default(),
            cleaner: Cleaner::new(analyzer.drops),
            lowercase: String::new(),
            ngram: String::new(),
            stemmer: analyzer.stemmer,
        }
    }

    fn add(&mut self, document: &str) {
        let (shortest, longest) = self.analyzer.options.ngrams;
        if longest == 1 && self.analyzer.phrases.is_none() {
            self.for_each_word(document, |counter, word| counter.occur(word.term));
        } else {
            self.read(document);
            self.join_phrases();
            if shortest == 1 {
                (0..self.sequence.len()).for_each(|k| self.occur(self.sequence[k].term));
            }
            if longest > 1 {
                self.add_ngrams(shortest.max(2)..=longest);
            }
            self.sequence.clear();
        }
        self.finish_document();
    }

    /// Collects the kept words of a document.
    fn read(&mut self, document: &str) {
        self.for_each_word(document, |counter, word| counter.sequence.push(word));
    }

    /// Shows the kept words of a document, and counts the others.
    fn for_each_word(&mut self, document: &str, visit: impl Fn(&mut Self, Word)) {
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
        // Where the kept word before ended, unless a dropped one came in between.
        let mut before: Option<usize> = None;
        let visit = |token: &str| {
            let term = self.term_of(token);
            if term >= NUMBER {
                let dropped = &mut self.chunk.dropped;
                let count =
                    if term == STOP { &mut dropped.stop_words } else { &mut dropped.numbers };
                *count += 1;
                before = None;
                return;
            }
            let start = token.as_ptr() as usize - text.as_ptr() as usize;
            let beside = before.is_some_and(|end| is_space(&text[end..start]));
            before = Some(start + token.len());
            visit(self, Word { term, beside });
        };
        match &analyzer.pattern {
            Some(pattern) => pattern.for_each_token(text, visit),
            None => for_each_token(text, options.min_characters, visit),
        }
        self.lowercase = lowercase;
        self.cleaner = cleaner;
    }

    /// Makes one word of each pair that is a phrase, from the left.
    fn join_phrases(&mut self) {
        let Some(phrases) = &self.analyzer.phrases else { return };
        let words = std::mem::take(&mut self.sequence);
        let mut joined: Vec<Word> = Vec::with_capacity(words.len());
        // Whether the last word is a phrase, and takes part in no other.
        let mut is_phrase = false;
        for word in words {
            let pair = joined
                .last()
                .filter(|_| word.beside && !is_phrase)
                .map(|last| (last.term, word.term));
            let phrase = pair.and_then(|pair| {
                let Self { joined, chunk, ngram, .. } = self;
                *joined.entry(pair).or_insert_with(|| {
                    ngram.clear();
                    ngram.push_str(chunk.terms.get(pair.0));
                    ngram.push(' ');
                    ngram.push_str(chunk.terms.get(pair.1));
                    phrases.contains(ngram.as_str()).then(|| chunk.terms.intern(ngram).0)
                })
            });
            is_phrase = phrase.is_some();
            match (phrase, joined.last_mut()) {
                (Some(term), Some(last)) => last.term = term,
                _ => joined.push(word),
            }
        }
        self.sequence = joined;
    }

    fn finish(mut self) -> ChunkCounts {
        self.chunk.dropped = self.chunk.dropped.plus(self.cleaner.dropped);
        self.chunk
    }

    /// The term of a word as it stands in the text, or [`STOP`], or [`NUMBER`].
    fn term_of(&mut self, word: &str) -> u32 {
        match self.stemmer {
            Some(stemmer) => self.stem_of(word, &stemmer),
            None => {
                let (id, new) = self.chunk.terms.intern(word);
                if new {
                    let term = self.marked(word).unwrap_or(id);
                    // Terms that are n-grams lie between words; no word asks for them.
                    self.term_of_word.resize(id as usize, STOP);
                    self.term_of_word.push(term);
                }
                self.term_of_word[id as usize]
            }
        }
    }

    /// The stem of a word, which is counted.
    fn stem_of(&mut self, word: &str, stemmer: &Stemmer) -> u32 {
        let (id, new) = self.chunk.forms.words.intern(word);
        if new {
            let stem = |counter: &mut Self| counter.chunk.terms.intern(&stemmer.stem(word)).0;
            let term = self.marked(word).unwrap_or_else(|| stem(self));
            self.chunk.forms.terms.push(term);
            self.chunk.forms.totals.push(0);
        }
        self.chunk.forms.totals[id as usize] += 1;
        self.chunk.forms.terms[id as usize]
    }

    /// What marks a word that is dropped.
    fn marked(&self, word: &str) -> Option<u32> {
        let is_number = || self.analyzer.drops.numbers && is_number(word);
        match self.analyzer.stop_words.contains(word) {
            true => Some(STOP),
            false => is_number().then_some(NUMBER),
        }
    }

    fn add_ngrams(&mut self, lengths: std::ops::RangeInclusive<usize>) {
        let sequence = std::mem::take(&mut self.sequence);
        for n in lengths {
            for words in sequence.windows(n) {
                self.ngram.clear();
                for (k, word) in words.iter().enumerate() {
                    if k > 0 {
                        self.ngram.push(' ');
                    }
                    self.ngram.push_str(self.chunk.terms.get(word.term));
                }
                let term = self.chunk.terms.intern(&self.ngram).0;
                self.occur(term);
            }
        }
        self.sequence = sequence;
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

/// Whether words with this between them are side by side.
fn is_space(between: &str) -> bool {
    between.chars().all(char::is_whitespace) && between.matches('\n').count() < 2
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
