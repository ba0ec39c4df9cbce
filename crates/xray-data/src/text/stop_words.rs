//! Function words: they carry grammar, not subject.

mod languages;

use super::options::Language;
use super::tokens::tokens;

/// The function words of a language, in lower case, with the pieces that the tokeniser leaves of them.
pub(super) fn of_language(language: Language) -> Vec<String> {
    if language == Language::English {
        return ENGLISH_STOP_WORDS.iter().map(|&word| word.to_owned()).collect();
    }
    let words = languages::words_of(language).split_whitespace();
    words.flat_map(|word| std::iter::once(word.to_owned()).chain(tokens(word))).collect()
}

/// English function words, in groups, with the pieces that the tokeniser leaves of contractions
/// ("don't" becomes "don").
#[rustfmt::skip] // One word a line would hide the groups.
pub const ENGLISH_STOP_WORDS: &[&str] = &[
    // Articles and determiners.
    "a", "an", "the", "this", "that", "these", "those", "some", "any", "no", "every", "each",
    "either", "neither", "both", "all", "half", "such", "another", "other", "others", "certain",
    "several", "few", "fewer", "fewest", "many", "more", "most", "much", "less", "least", "enough",
    "own", "same", "various",
    // Pronouns.
    "i", "me", "my", "mine", "myself", "we", "us", "our", "ours", "ourselves", "you", "your",
    "yours", "yourself", "yourselves", "he", "him", "his", "himself", "she", "her", "hers",
    "herself", "it", "its", "itself", "they", "them", "their", "theirs", "themself", "themselves",
    "one", "ones", "oneself", "who", "whom", "whose", "which", "what", "whoever", "whomever",
    "whatever", "whichever", "someone", "somebody", "something", "anyone", "anybody", "anything",
    "everyone", "everybody", "everything", "none", "nobody", "nothing",
    // Prepositions.
    "about", "above", "across", "after", "against", "along", "alongside", "amid", "among",
    "amongst", "around", "as", "at", "before", "behind", "below", "beneath", "beside", "besides",
    "between", "beyond", "by", "despite", "down", "during", "except", "for", "from", "in", "inside",
    "into", "like", "near", "of", "off", "on", "onto", "out", "outside", "over", "past", "per",
    "regarding", "since", "than", "through", "throughout", "till", "to", "toward", "towards",
    "under", "underneath", "unlike", "until", "up", "upon", "via", "with", "within", "without",
    // Conjunctions.
    "and", "but", "or", "nor", "so", "yet", "if", "unless", "although", "though", "because",
    "whereas", "whether", "while", "whilst", "once", "lest", "provided",
    // Auxiliaries.
    "be", "am", "is", "are", "was", "were", "been", "being", "have", "has", "had", "having", "do",
    "does", "did", "doing", "done", "will", "would", "shall", "should", "can", "could", "may",
    "might", "must", "ought", "cannot", "let", "lets", "get", "gets", "got", "getting",
    // Adverbs of place, time, degree and linking.
    "here", "there", "where", "when", "why", "how", "wherever", "whenever", "however", "hence",
    "thence", "thus", "therefore", "thereby", "therein", "thereof", "wherein", "whereby", "again",
    "almost", "already", "also", "always", "anyway", "apart", "away", "back", "else", "elsewhere",
    "even", "ever", "everywhere", "far", "further", "furthermore", "indeed", "instead", "just",
    "later", "maybe", "meanwhile", "moreover", "mostly", "namely", "never", "nevertheless",
    "nonetheless", "not", "now", "nowhere", "often", "only", "otherwise", "perhaps", "quite",
    "rather", "really", "somehow", "sometimes", "somewhat", "somewhere", "soon", "still", "then",
    "together", "too", "very", "well", "yes",
    // Pieces of contractions.
    "ain", "aren", "couldn", "didn", "doesn", "don", "hadn", "hasn", "haven", "isn", "ll", "mightn",
    "mustn", "needn", "re", "shan", "shouldn", "ve", "wasn", "weren", "won", "wouldn",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_language_has_a_list_of_words() {
        for language in Language::ALL.into_iter().filter(|&l| l != Language::English) {
            let words: Vec<&str> = languages::words_of(language).split_whitespace().collect();
            assert!((100..=250).contains(&words.len()), "{language}: {}", words.len());
            let mut distinct = words.clone();
            distinct.sort_unstable();
            distinct.dedup();
            assert_eq!(distinct.len(), words.len(), "{language}");
            let plain = |word: &&str| word.to_lowercase() == **word && !word.contains(',');
            assert!(words.iter().all(plain), "{language}");
        }
    }

    #[test]
    fn each_word_is_lowercase_and_listed_once() {
        let mut words = ENGLISH_STOP_WORDS.to_vec();
        assert!(words.iter().all(|w| w.bytes().all(|b| b.is_ascii_lowercase())));
        words.sort_unstable();
        let n = words.len();
        words.dedup();
        assert_eq!(words.len(), n);
        assert!((200..=320).contains(&n), "{n}");
    }
}
