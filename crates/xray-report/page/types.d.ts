// The JSON of the pages, as xray-report/src/page defines it. Checked by `make page-lint`; not part of any page.

/** Place among the words, part of the topic's weight, part of the word that is in this topic. */
type PageWord = [number, number, number];

interface Topic {
  id: number; name: string[]; title?: string; anchor: number[]; left?: boolean; given?: boolean; margin: number | null; runner_up?: number;
  documents: number; place: [number, number, number]; exclusivity: number; npmi: number; stability?: number;
  words: PageWord[]; best: number[]; related: [number, number, number[]][]; classes?: number[]; periods?: number[];
}
interface Level { k: number; nmi?: number; kept: number; in_no_topic: number; topics: Topic[]; mix: number[][] }
interface TopicsData {
  title: string; noun: string; k: number; facts: { documents: number; words: number; shown: number };
  classes: string[]; periods: string[]; words: string[]; levels: Level[]; tree: number[];
  flows: { from: number; to: number; documents: [number, number, number][] }[];
  documents: { id: string[]; text: string[]; class: number[] }; lookup: number[][]; live?: any;
}
interface DocumentRow { d: number; top: Topic | null; part: number }
interface Curve { name: string; help: string; decimals: number; values: (number | null)[] }
interface RankData {
  what: string; suggested: number | null; range: [number, number] | null; reason: string | null; anchors: string[];
  curves: Curve[]; levels: { k: number; topics: [number, string, number][] }[];
}
interface Endmember {
  spectrum: number[]; share: number; n_members: number; members: [number, number][]; nearest?: { name: string; angle: number }[];
}
interface UnmixData {
  summary: string; every: number; colours: [number, number, number][];
  unmix: {
    cube: string; rows: number; columns: number; pixels: number; is_image: boolean; abundances: "scaled" | "sum-to-one" | "nnls"; residual: number;
    bands: { taken: number[]; wavelengths?: number[]; wavelength_units?: string; dead: number[]; noisy: number[] };
    suggestion?: { number: number; path: number[] }; endmembers: Endmember[];
    truth?: { names: string[]; matched: number[]; angles: number[] };
  };
  scene: {
    side: number; rows: number; columns: number; high: number; abundances: string[]; most_unexplained: number; unexplained: string;
  };
  pixels: { side: number; columns: number; bands: number[]; ranges: string; values: string };
}
