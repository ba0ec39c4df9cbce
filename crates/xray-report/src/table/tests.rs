use proptest::prelude::*;

use super::width::{elide, width};
use super::*;

fn sample() -> Table {
    let mut table = Table::new([Column::left("name"), Column::right("n"), Column::left("ok")]);
    table.row([Cell::from("plain"), Cell::count(1_234), Cell::from("x")]);
    table.row([Cell::from("主题模型"), Cell::count(7), Cell::from("yes")]);
    table.row([Cell::from("e\u{301}te\u{301}"), Cell::missing()]);
    table
}

#[test]
fn wide_and_combining_letters_line_up() {
    let expected = "name          n  ok\n\
                    ────────  ─────  ───\n\
                    plain     1,234  x\n\
                    主题模型      7  yes\n\
                    e\u{301}te\u{301}           –\n";
    assert_eq!(sample().terminal(None, false), expected);
}

#[test]
fn narrow_terminals_cut_text_before_numbers() {
    let mut table = Table::new([Column::right("share"), Column::left("words")]);
    table.row(["12,345.67", "a rather long list of words"]);
    let text = table.terminal(Some(24), false);
    assert!(text.lines().all(|line| width(line) <= 24), "{text}");
    assert!(text.contains("12,345.67  a rather lon…"), "{text}");
    let text = table.terminal(Some(5), false);
    assert!(text.lines().all(|line| width(line) <= 5), "{text}");
}

#[test]
fn columns_keep_to_their_own_limit() {
    let mut table = Table::new([Column::left("w").max_width(4)]);
    table.row(["abcdefgh"]);
    assert_eq!(table.terminal(None, false), "w\n────\nabc…\n");
}

#[test]
fn styles_only_where_asked_for() {
    let mut table = Table::new([Column::left("rule"), Column::right("score")]);
    table.row([Cell::from("greedy").bold(), Cell::number(0.5, 2).dim()]);
    assert!(!table.terminal(None, false).contains('\u{1b}'));
    let styled = table.terminal(None, true);
    assert!(
        styled.contains("\u{1b}[1mgreedy\u{1b}[0m") && styled.contains("\u{1b}[2m0.50\u{1b}[0m")
    );
    assert!(table.markdown().contains("| **greedy** |"));
}

#[test]
fn cells_cannot_command_the_terminal() {
    let mut table = Table::new([Column::left("a\nb")]);
    table.row(["x\u{1b}[31m\r\ty"]);
    let text = table.terminal(None, false);
    assert!(!text.contains(['\u{1b}', '\r', '\t']) && text.lines().count() == 3);
}

#[test]
fn markdown_shows_what_was_given() {
    let mut table = Table::new([Column::left("term"), Column::right("mark")]);
    table.row(["<unk> a|b snake_case", "*"]);
    assert!(table.markdown().contains(r"| \<unk\> a\|b snake\_case |"), "{}", table.markdown());
    assert!(table.markdown().contains("---:"));
}

#[test]
fn records_are_exact() {
    let mut table = Table::new([Column::left("a,b"), Column::right("x")]);
    table.row([Cell::from("say \"hi\"\nthere"), Cell::number(1.0 / 3.0, 2)]);
    table.row([Cell::from("=1+1"), Cell::fixed(-0.0, 3)]);
    table.row([Cell::from(""), Cell::missing()]);
    let expected =
        [["a,b", "x"], ["say \"hi\"\nthere", "0.3333333333333333"], ["=1+1", "0"], ["", ""]];
    assert_eq!(table.records().collect::<Vec<_>>(), expected);
}

#[test]
fn tables_without_columns_or_rows() {
    let none = Table::new([]);
    assert_eq!((none.terminal(Some(0), true), none.markdown()), ("\n\n".into(), "|\n|\n".into()));
    let header = Table::new([Column::left("only")]);
    assert_eq!(header.terminal(None, false), "only\n────\n");
}

#[test]
#[should_panic(expected = "a row of 2 cells in a table of 1 columns")]
fn rows_with_too_many_cells_are_a_mistake() {
    Table::new([Column::left("x")]).row(["1", "2"]);
}

proptest! {
    #[test]
    fn cut_text_fits(text in "\\PC{0,20}", room in 0usize..12) {
        prop_assert!(width(&elide(&text, room)) <= room);
    }

    #[test]
    fn lines_fit_any_terminal(cells in prop::collection::vec("\\PC{0,30}", 3), room in 7usize..60) {
        let mut table = Table::new([Column::left("a"), Column::right("b"), Column::left("c")]);
        table.row(cells);
        for line in table.terminal(Some(room), false).lines() {
            prop_assert!(width(line) <= room, "{line:?}");
        }
    }
}
