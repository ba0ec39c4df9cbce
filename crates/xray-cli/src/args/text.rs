//! How text becomes numbers.

use std::path::PathBuf;

use clap::Args;
use xray_data::text::{
    DocumentFrequency, Keep, Language, Phrases, RowScale, StopWords, TextOptions,
};
use xray_data::{Input, LoadOptions, read_names};
use xray_pipeline::{TextRequest, Weighting};

use super::parse::choice;

/// Options for text, and for matrices of counts.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Text")]
pub struct TextArgs {
    /// How words are weighed [default: tfidf for texts and whole numbers, none for other numbers]
    #[arg(long, value_name = "KIND", value_parser = choice::<Weighting>())]
    pub weighting: Option<Weighting>,
    /// What to keep of texts that is no word, and dropped otherwise
    #[arg(long, value_name = "WHAT[,WHAT...]", value_delimiter = ',', ignore_case = true)]
    #[arg(value_parser = choice::<Keep>())]
    pub keep: Vec<Keep>,
    /// Words to drop: english or another language of --stem, none, or a file with one word a line
    #[arg(long, value_name = "LIST", default_value = "english")]
    pub stop_words: String,
    /// More words to drop
    #[arg(long, value_name = "WORD[,WORD...]", value_delimiter = ',')]
    pub drop: Vec<String>,
    /// Reduce words to their stems
    #[arg(long, value_name = "LANGUAGE", ignore_case = true, value_parser = choice::<Language>())]
    pub stem: Option<Language>,
    /// Take pairs of words that often stand side by side, such as "new york", for one word; on one rank
    #[arg(long)]
    pub phrases: bool,
    /// Longest run of words that makes a term
    #[arg(long, value_name = "N", default_value_t = 1)]
    #[arg(value_parser = clap::value_parser!(u64).range(1..=8))]
    pub ngrams: u64,
    /// Drop words in fewer documents: a number, or a share such as 0.01 [default: 1 to 10 by size]
    #[arg(long, value_name = "N|SHARE", value_parser = frequency)]
    pub min_df: Option<DocumentFrequency>,
    /// Drop words in more documents: a number, or a share such as 0.5 [default: half]
    #[arg(long, value_name = "N|SHARE", value_parser = frequency)]
    pub max_df: Option<DocumentFrequency>,
    /// Keep only the most frequent words
    #[arg(long, value_name = "N", value_parser = super::parse::rank)]
    pub max_features: Option<usize>,
    /// Drop words with fewer characters
    #[arg(long, value_name = "N", default_value_t = 2)]
    #[arg(value_parser = clap::value_parser!(u64).range(1..=100))]
    pub min_characters: u64,
    /// What words look like: a regular expression, which alone decides (as scikit-learn's token_pattern); what its group
    /// matches, if it has one [default: runs of letters, digits and underscores]
    #[arg(long, value_name = "REGEX")]
    pub token_pattern: Option<String>,
    /// Tell upper from lower case
    #[arg(long)]
    pub case_sensitive: bool,
    /// Weigh a word by its count instead of 1 + ln(count)
    #[arg(long)]
    pub raw_tf: bool,
    /// What each document is divided by: its length, its sum, or nothing
    #[arg(long, value_name = "NORM", default_value_t = RowScale::L2, value_parser = choice::<RowScale>())]
    pub row_scale: RowScale,
    /// The same as --row-scale none
    #[arg(long, conflicts_with = "row_scale")]
    pub no_document_norm: bool,
}

impl TextArgs {
    /// What is asked for, whatever the data turns out to be.
    ///
    /// # Errors
    /// If the list of stop words cannot be read.
    pub fn request(&self) -> anyhow::Result<TextRequest> {
        let default = TextOptions::default();
        let text = TextOptions {
            keep: self.keep.clone(),
            lowercase: !self.case_sensitive,
            min_characters: self.min_characters as usize,
            token_pattern: self.token_pattern.clone(),
            stop_words: self.stop_words()?,
            stemming: self.stem,
            phrases: if self.phrases { Phrases::Learn } else { Phrases::None },
            ngrams: (1, self.ngrams as usize),
            min_df: self.min_df.unwrap_or(default.min_df),
            max_df: self.max_df.unwrap_or(default.max_df),
            max_features: self.max_features,
            sublinear_tf: !self.raw_tf,
            normalize: if self.no_document_norm { RowScale::None } else { self.row_scale },
            ..default
        };
        Ok(TextRequest { weighting: self.weighting, drop: self.drop.clone(), text })
    }

    fn stop_words(&self) -> anyhow::Result<StopWords> {
        Ok(match self.stop_words.as_str() {
            "none" => StopWords::None,
            name if let Ok(language) = name.to_lowercase().parse::<Language>() => {
                StopWords::of(language)
            }
            file => {
                let input = Input::Path(PathBuf::from(file));
                StopWords::List(read_names(&input, &LoadOptions::default())?)
            }
        })
    }
}

/// A whole number is a count, a number with a point is a share.
pub(super) fn frequency(text: &str) -> Result<DocumentFrequency, String> {
    if let Ok(count) = text.parse::<u64>() {
        return Ok(DocumentFrequency::Count(count));
    }
    match text.parse::<f64>() {
        Ok(share) if (0.0..=1.0).contains(&share) => Ok(DocumentFrequency::Share(share)),
        _ => Err("give a number of documents, such as 5, or a share, such as 0.01".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frequencies_are_counts_or_shares() {
        assert_eq!(frequency("5"), Ok(DocumentFrequency::Count(5)));
        assert_eq!(frequency("1.0"), Ok(DocumentFrequency::Share(1.0)));
        assert_eq!(frequency("0.25"), Ok(DocumentFrequency::Share(0.25)));
        assert!(frequency("-1").is_err() && frequency("1.5").is_err() && frequency("x").is_err());
    }
}
