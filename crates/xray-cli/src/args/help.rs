//! What help ends with: examples, and what the verb writes. A paragraph is one line, so that it fits every terminal.

pub(super) const PROGRAM: &str = "\
Start here:
  xray demo
  xray topics reviews.csv --text body -k 20 -o topics/
  xray factorize counts.mtx.gz -r 50 -o factors/

Data goes to standard output, words and progress to standard error. Exit status: 0 done, 1 the data or \
the run failed, 2 wrong usage, 130 interrupted (what was found so far is saved).";

pub(super) const DEMO: &str = "\
Examples:
  xray demo
  xray demo -o demo/        the page, tables and the model go there";

pub(super) const TOPICS: &str = "\
Examples:
  xray topics reviews.csv --text body           as many topics as data suggest
  xray topics reviews.csv --text title --text body --labels product -k 20 -o out
  xray topics articles/ -k 10                   a folder of texts
  zcat tweets.gz | xray topics - -k 50 --json   one document a line
  xray topics docword.kos.txt.gz -k 12          words are in vocab.kos.txt
  xray topics counts.mtx --transpose --terms words.txt -k 5
  xray topics news.jsonl -k 8 --anchor election,vote --anchor film --exclude us
  xray topics news.csv --levels 2,5,10,20       how topics split
  xray topics news.csv -k 8 --time date --details

Writes report.html (open it in a browser), topics.csv, topics.json, documents.csv and model.npz into the folder. \
`xray transform` applies model.npz to new documents.";

pub(super) const FACTORIZE: &str = "\
Examples:
  xray factorize x.npz -r 20                    a scipy sparse matrix
  xray factorize cube.mat --variable V -r 4 --refine 10 -o out/
  xray factorize counts.mtx.gz --transpose -r 100 --selection greedy --json
  xray factorize table.csv -r 8 --fixed 0,3 --excluded 7
  xray factorize noisy.npy -r 10 --robust --stability    anchors above noise

Rows are documents or samples; anchors are chosen from the columns. Writes model.npz (H, and W: the \
anchors' columns or their refinement) and anchors.csv.";

pub(super) const TRANSFORM: &str = "\
Examples:
  xray transform out/model.npz new.csv --text body > weights.csv
  xray transform out/model.npz new.jsonl -o weights.npz
  xray transform factors/model.npz more-pixels.npy --columns -o abundances.npy
  xray transform scene-unmixed/ later.hdr -o later/       another cube

Documents or rows are weighed under the model's H; with --columns, new columns under its W. Training \
documents get exactly the weights that the fit wrote. Columns of numbers are found by their names, in any \
order; without names they are taken in their order if those of the model had none either.";

pub(super) const RANK: &str = "\
Examples:
  xray rank reviews.csv --text body --max 60 -o out/
  xray rank cube.mat --variable V --max 12
  xray rank counts.npz --selection greedy --fast --json

One table for all ranks: the part of the data left unexplained; for some of them the same on entries that \
were not seen, and how well topics of two halves of the rows agree (stability); for text the coherence \
(NPMI, UMass) of the topics. Writes rank.html, rank.csv, rank.svg and rank.png.";

pub(super) const CONVERT: &str = "\
Examples:
  xray convert counts.mat counts.mtx.gz --variable fea
  xray convert x.npz x.mtx --transpose
  xray convert articles.csv tfidf.npz --text body         a weighted matrix
  xray convert articles.csv counts.npz --text body --weighting counts
  xray convert news.parquet news.jsonl --text text      texts stay texts

Numbers are kept to the last bit (of decimals, the nearest that 64 bits hold). The formats are told by content (in) and by name (out): mtx, npz, npy, \
mat, svm, docword, csv, tsv; for texts csv, tsv, jsonl, txt and parquet. Add .gz or .zst to compress.";

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    /// Examples fit a terminal of 80 columns, and no line of a paragraph stands by itself, to be broken once more.
    #[test]
    fn help_is_broken_once() {
        const WIDEST: usize = 100;
        const WIDEST_EXAMPLE: usize = 80;
        let program = super::super::Cli::command();
        for verb in program.get_subcommands().chain([&program]) {
            let help = verb.get_after_help().map(ToString::to_string).unwrap_or_default();
            let lines: Vec<&str> = help.lines().collect();
            for line in lines.iter().filter(|line| line.starts_with(' ')) {
                let is_example = line.starts_with("  xray ");
                let widest = if is_example { WIDEST_EXAMPLE } else { WIDEST };
                assert!(line.chars().count() <= widest, "{}: {line}", verb.get_name());
            }
            let prose =
                |line: &str| line.starts_with(|c: char| !c.is_whitespace()) && !line.ends_with(':');
            for pair in lines.windows(2) {
                assert!(!(prose(pair[0]) && prose(pair[1])), "{}: {pair:?}", verb.get_name());
            }
        }
    }
}
