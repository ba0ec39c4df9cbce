//! Which language texts are in, by their function words; and whether their words have spaces between them at all.
//!
//! Function words are a third to a half of any text in the languages that are known here, and few of them are words of
//! another language, too.

use rustc_hash::FxHashMap;

use super::options::{Language, StopWords};
use super::tokens::tokens;

/// Text that is looked at, in bytes, and words that are needed.
const MOST_BYTES: usize = 1 << 20;
const FEWEST_WORDS: usize = 50;

/// The share of words that are function words of the language, at least.
const LEAST_SHARE: f64 = 0.2;

/// How much more of them it must have than English; than any other language it must have more.
const CLEARLY_MORE: f64 = 1.2;

/// Letters without spaces between words: the share of all, and their mean number in a row, from which on it counts.
const LEAST_UNSPACED: f64 = 0.3;
const LONG_ROW: f64 = 5.0;

/// What the first texts look like.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct TextHint {
    /// The language, if it is told clearly and is not English.
    pub language: Option<Language>,
    /// Whether words have no spaces between them, and which language or script does so.
    pub unspaced: Option<&'static str>,
}

impl TextHint {
    /// Looks at the first texts, up to a mebibyte.
    ///
    /// # Examples
    /// ```
    /// use xray_data::text::{Language, TextHint};
    /// let text = "Das ist nicht der erste Satz, und es wird auch nicht der letzte sein. ".repeat(5);
    /// assert_eq!(TextHint::of(&[text]).language, Some(Language::German));
    /// let text = "自然語言處理是人工智慧和語言學領域的分支學科";
    /// assert_eq!(TextHint::of(&[text]).unspaced, Some("Chinese"));
    /// ```
    pub fn of(texts: &[impl AsRef<str>]) -> Self {
        let mut size = 0;
        let first = texts.iter().map(AsRef::as_ref).take_while(|text: &&str| {
            let before = size;
            size += text.len();
            before < MOST_BYTES
        });
        let first: Vec<&str> = first.collect();
        Self { language: language_of(&first), unspaced: unspaced(&first) }
    }
}

/// The language other than English whose function words are clearly the most frequent.
fn language_of(texts: &[&str]) -> Option<Language> {
    let mut known: FxHashMap<String, Vec<usize>> = FxHashMap::default();
    for (k, language) in Language::ALL.into_iter().enumerate() {
        for word in StopWords::of(language).all() {
            let languages = known.entry(word).or_default();
            if languages.last() != Some(&k) {
                languages.push(k);
            }
        }
    }
    let (mut counts, mut n_words) = ([0_usize; Language::ALL.len()], 0);
    for word in texts.iter().flat_map(|text| tokens(text)) {
        n_words += 1;
        known.get(&word).into_iter().flatten().for_each(|&k| counts[k] += 1);
    }
    let best = (0..counts.len()).max_by_key(|&k| (counts[k], std::cmp::Reverse(k)))?;
    let others = (0..counts.len()).filter(|&k| k != best).map(|k| counts[k]).max()?;
    let enough = n_words >= FEWEST_WORDS && counts[best] as f64 >= LEAST_SHARE * n_words as f64;
    let english = Language::ALL.iter().position(|&language| language == Language::English)?;
    let clear =
        counts[best] > others && counts[best] as f64 >= CLEARLY_MORE * counts[english] as f64;
    let language = Language::ALL[best];
    (enough && clear && language != Language::English).then_some(language)
}

/// The script without spaces that much of the texts is in, unless its letters stand in short rows, as words do.
fn unspaced(texts: &[&str]) -> Option<&'static str> {
    let (mut letters, mut rows) = (0_usize, 0_usize);
    let mut of_script = [0_usize; SCRIPTS.len()];
    for text in texts {
        let mut within = false;
        for c in text.chars() {
            let script =
                SCRIPTS.iter().position(|(_, ranges)| ranges.iter().any(|r| r.contains(&c)));
            letters += usize::from(script.is_some() || c.is_alphabetic());
            rows += usize::from(script.is_some() && !within);
            within = script.is_some();
            if let Some(script) = script {
                of_script[script] += 1;
            }
        }
    }
    let [chinese, japanese, thai] = of_script;
    let found = (chinese + japanese + thai) as f64;
    if found < LEAST_UNSPACED * letters as f64 || found < LONG_ROW * rows as f64 || rows == 0 {
        return None;
    }
    // Japanese has many Chinese characters, Chinese none of the others.
    Some(match (10 * japanese > chinese, thai > chinese + japanese) {
        (_, true) => SCRIPTS[2].0,
        (true, _) => SCRIPTS[1].0,
        (false, _) => SCRIPTS[0].0,
    })
}

/// Languages without spaces between words, and their letters.
const SCRIPTS: [(&str, &[std::ops::RangeInclusive<char>]); 3] = [
    ("Chinese", &['\u{3400}'..='\u{4dbf}', '\u{4e00}'..='\u{9fff}', '\u{20000}'..='\u{2ffff}']),
    ("Japanese", &['\u{3041}'..='\u{309f}', '\u{30a0}'..='\u{30ff}', '\u{31f0}'..='\u{31ff}']),
    ("Thai", &['\u{e01}'..='\u{e4e}']),
];

#[cfg(test)]
mod tests {
    use super::*;

    /// The first article of the declaration of human rights, or what is near to it.
    const ARTICLES: [(Language, &str); 12] = [
        (
            Language::Danish,
            "Alle mennesker er født frie og lige i værdighed og rettigheder. De er udstyret med fornuft og samvittighed, og de bør handle mod hverandre i en broderskabets ånd. Det er ikke sådan at man kan vælge hvad der skal være.",
        ),
        (
            Language::Dutch,
            "Alle mensen worden vrij en gelijk in waardigheid en rechten geboren. Zij zijn begiftigd met verstand en geweten, en behoren zich jegens elkander in een geest van broederschap te gedragen. Het is niet zo dat er iets aan te doen is.",
        ),
        (
            Language::Finnish,
            "Kaikki ihmiset syntyvät vapaina ja tasavertaisina arvoltaan ja oikeuksiltaan. Heille on annettu järki ja omatunto, ja se on niin että he ovat myös kuin veljet, mutta hän ei ole sitä mitä he olivat kun se oli.",
        ),
        (
            Language::French,
            "Tous les êtres humains naissent libres et égaux en dignité et en droits. Ils sont doués de raison et de conscience et doivent agir les uns envers les autres dans un esprit de fraternité.",
        ),
        (
            Language::German,
            "Alle Menschen sind frei und gleich an Würde und Rechten geboren. Sie sind mit Vernunft und Gewissen begabt und sollen einander im Geist der Brüderlichkeit begegnen.",
        ),
        (
            Language::Italian,
            "Tutti gli esseri umani nascono liberi ed eguali in dignità e diritti. Essi sono dotati di ragione e di coscienza e devono agire gli uni verso gli altri in spirito di fratellanza.",
        ),
        (
            Language::Portuguese,
            "Todos os seres humanos nascem livres e iguais em dignidade e em direitos. Dotados de razão e de consciência, devem agir uns para com os outros em espírito de fraternidade. Não há nada que não possa ser feito.",
        ),
        (
            Language::Romanian,
            "Toate ființele umane se nasc libere și egale în demnitate și în drepturi. Ele sunt înzestrate cu rațiune și conștiință și trebuie să se comporte unele față de altele în spiritul fraternității.",
        ),
        (
            Language::Russian,
            "Все люди рождаются свободными и равными в своём достоинстве и правах. Они наделены разумом и совестью и должны поступать в отношении друг друга в духе братства. Это не то, что было у него.",
        ),
        (
            Language::Spanish,
            "Todos los seres humanos nacen libres e iguales en dignidad y derechos y, dotados como están de razón y conciencia, deben comportarse fraternalmente los unos con los otros.",
        ),
        (
            Language::Swedish,
            "Alla människor är födda fria och lika i värde och rättigheter. De har utrustats med förnuft och samvete och bör handla gentemot varandra i en anda av gemenskap. Det är inte så att han skulle vara där.",
        ),
        (
            Language::Turkish,
            "Bütün insanlar hür, haysiyet ve haklar bakımından eşit doğarlar. Akıl ve vicdana sahiptirler ve birbirlerine karşı kardeşlik zihniyeti ile hareket etmelidirler. Bu çok daha önce olan bir şey gibi, ama o değil.",
        ),
    ];

    #[test]
    fn languages_are_told_by_their_function_words() {
        for (language, text) in ARTICLES {
            assert_eq!(TextHint::of(&[text.repeat(3)]).language, Some(language), "{language}");
        }
        let english = "All human beings are born free and equal in dignity and rights. They are endowed with reason \
                       and conscience and should act towards one another in a spirit of brotherhood.";
        assert_eq!(TextHint::of(&[english.repeat(5)]), TextHint::default());
        // Too little, or nothing that is known.
        assert_eq!(TextHint::of(&["der die das"]), TextHint::default());
        assert_eq!(TextHint::of(&["red green blue yellow ".repeat(50)]), TextHint::default());
        assert_eq!(TextHint::of(&[] as &[&str]), TextHint::default());
    }

    #[test]
    fn words_without_spaces_are_told_from_segmented_ones() {
        let japanese =
            "すべての人間は、生まれながらにして自由であり、かつ、尊厳と権利とについて平等である。";
        let thai = "มนุษย์ทั้งหลายเกิดมามีอิสระและเสมอภาคกันในเกียรติศักดิ์และสิทธิ";
        assert_eq!(TextHint::of(&[japanese]).unspaced, Some("Japanese"));
        assert_eq!(TextHint::of(&[thai]).unspaced, Some("Thai"));
        assert_eq!(TextHint::of(&["自然 語言 處理 是 人工 智慧 的 分支"]).unspaced, None);
        assert_eq!(
            TextHint::of(&["A text in English about 東京 and 大阪, which are towns"]).unspaced,
            None
        );
    }
}
