//! Words to stems, by the Snowball algorithm of a language.
//!
//! The rules change from time to time, and with them the stems: a model tells which ones it was made
//! with ([`STEM_RULES`]), and is refused by a program that has others, as its words would no longer be
//! found.

use super::options::Language;
use crate::error::{Error, Result};

/// The date of the Snowball rules by which words are stemmed, as a model file tells it.
pub const STEM_RULES: &str = "20261016";

/// Reduces words of a language to their stems.
///
/// # Examples
/// ```
/// # #[cfg(feature = "stemming")] {
/// use xray_data::text::{Language, Stemmer};
/// let stemmer = Stemmer::new(Language::English)?;
/// assert_eq!(stemmer.stem("running"), "run");
/// # }
/// # Ok::<(), xray_data::Error>(())
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Stemmer {
    #[cfg(feature = "stemming")]
    algorithm: frostem::Algorithm,
    #[cfg(not(feature = "stemming"))]
    never: std::convert::Infallible,
}

impl Stemmer {
    /// For a language.
    ///
    /// # Errors
    /// If the crate was built without the feature `stemming`.
    #[cfg(feature = "stemming")]
    pub fn new(language: Language) -> Result<Self> {
        match frostem::Algorithm::from_name(language.name()) {
            Ok(algorithm) => Ok(Self { algorithm }),
            Err(_) => Err(refused(language, "there are no rules for its words")),
        }
    }

    /// For a language.
    ///
    /// # Errors
    /// If the crate was built without the feature `stemming`.
    #[cfg(not(feature = "stemming"))]
    pub fn new(language: Language) -> Result<Self> {
        Err(refused(language, "build with the feature `stemming`"))
    }

    /// The stem of a word, which is taken as it is: lowercase it first.
    #[cfg(feature = "stemming")]
    pub fn stem(&self, word: &str) -> String {
        frostem::Stemmer::new(self.algorithm).stem(word).into_owned()
    }

    /// The stem of a word, which is taken as it is: lowercase it first.
    #[cfg(not(feature = "stemming"))]
    pub fn stem(&self, _: &str) -> String {
        match self.never {}
    }
}

fn refused(language: Language, allowed: &str) -> Error {
    let (value, allowed) = (language.name().to_owned(), allowed.to_owned());
    Error::Parameter { name: "stemming", value, allowed }
}

#[cfg(all(test, feature = "stemming"))]
mod tests {
    use super::*;

    #[test]
    fn every_language_has_rules() {
        for language in Language::ALL {
            assert!(Stemmer::new(language).is_ok_and(|s| s.stem("").is_empty()), "{language}");
        }
    }

    #[test]
    fn stems_of_several_languages() {
        for (language, word, stem) in [
            (Language::English, "running", "run"),
            (Language::German, "automaten", "automat"),
            (Language::Greek, "ισαισα", "ισα"),
            (Language::French, "continuellement", "continuel"),
        ] {
            assert_eq!(Stemmer::new(language).expect("known").stem(word), stem, "{word}");
        }
    }

    #[test]
    fn the_date_is_that_of_the_rules_built_in() {
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
        let manifests = ["Cargo.toml", "../../Cargo.toml"];
        let text = |name| std::fs::read_to_string(folder.join(name)).unwrap_or_default();
        let pinned = format!("\"=2.{STEM_RULES}.");
        assert!(manifests.map(text).concat().contains(&pinned), "{pinned} is not what is pinned");
    }
}
