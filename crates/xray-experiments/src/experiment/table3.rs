//! Table 3: time and memory on large data.

use anyhow::Result;
use xray_nmf::{Matrix, Scalar, SparseMatrix};
use xray_report::{Cell, Column, Table, number};

use super::Settings;
use super::large::{SHAPES, Shape, pairs, time_xray};
use crate::measure::Spent;
use crate::page::Page;
use crate::watch::Watch;

/// One data set.
struct Entry {
    name: String,
    m: usize,
    n: usize,
    entries: usize,
    pairs: u64,
    spent: Spent,
}

pub(super) fn run(settings: &Settings, watch: &mut dyn Watch) -> Result<Page> {
    let rank = if settings.quick { 20 } else { 100 };
    watch.begin("table3", SHAPES.len() + if settings.quick { 1 } else { 3 });
    let mut entries = Vec::new();
    for shape in &SHAPES {
        let name = format!("{} (drawn)", shape.name);
        entries.push(measure(name, &shape.draw(settings)?, rank)?);
        watch.advance()?;
    }
    let sets = if settings.quick {
        vec![settings.demo()?]
    } else {
        let folder = settings.folder()?;
        vec![folder.tweets()?, folder.acl()?, folder.debian()?]
    };
    for data in sets {
        entries.push(measure(data.name.clone(), data.sparse()?, rank)?);
        watch.advance()?;
    }
    page(settings, &entries, rank)
}

fn measure<T: Scalar>(name: String, matrix: &SparseMatrix<'_, T>, rank: usize) -> Result<Entry> {
    let spent = time_xray(matrix, rank)?;
    let (m, n, entries) = (matrix.n_rows(), matrix.n_columns(), matrix.n_entries());
    Ok(Entry { name, m, n, entries, pairs: pairs(matrix), spent })
}

fn page(settings: &Settings, entries: &[Entry], rank: usize) -> Result<Page> {
    let mut page = settings.page("table3", "Table 3: time and memory on large data");
    page.paragraph(format!(
        "XRAY(greedy), r = {rank}, {} threads. The paper's collections are not here (RCV1 is public, and not on \
         this machine); drawn corpora have their numbers of documents, words and nonzeros exactly and about their nonzeros of X'X. Tweets \
         stand in for IBMT as well. Memory is the peak of the process: data, products and result.",
        rayon::current_num_threads()
    ));
    page.table(&table(entries));
    if !settings.quick {
        page.paragraph(
            "Beside the paper's figures, which are for eight cores of two Xeon X5570 of 2009 with untuned BLAS: another machine, so that \
             the times say nothing about the programs:",
        );
        page.table(&beside_paper(entries));
        page.paragraph(
            "X'X is never formed here: the columns of it that a step asks for are kept within a budget (1 GB in this \
             table).",
        );
    }
    page.csv("", &csv(entries));
    Ok(page)
}

fn table(entries: &[Entry]) -> Table {
    let columns = [
        Column::left("data"),
        Column::right("documents"),
        Column::right("words"),
        Column::right("nnz(X)"),
        Column::right("nnz(X'X)"),
        Column::right("share of X'X"),
        Column::right("time"),
        Column::right("beyond data"),
        Column::right("memory"),
    ];
    let mut table = Table::new(columns);
    for entry in entries {
        table.row([
            Cell::from(&entry.name[..]),
            Cell::count(entry.m as u64),
            Cell::count(entry.n as u64),
            Cell::count(entry.entries as u64),
            Cell::count(entry.pairs),
            Cell::percent(entry.pairs as f64 / (entry.n as f64 * entry.n as f64), 1),
            Cell::duration(entry.spent.time),
            entry.spent.memory.map_or_else(Cell::missing, Cell::bytes),
            entry.spent.peak.map_or_else(Cell::missing, Cell::bytes),
        ]);
    }
    table
}

fn beside_paper(entries: &[Entry]) -> Table {
    let headers = ["data", "time", "paper", "memory", "paper", "nnz(X'X)", "paper"];
    let mut table =
        Table::new(headers.iter().enumerate().map(|(k, header)| {
            if k == 0 { Column::left(*header) } else { Column::right(*header) }
        }));
    let same = |entry: &&Entry, shape: &Shape| entry.name.starts_with(shape.name);
    for shape in &SHAPES {
        let Some(entry) = entries.iter().find(|entry| same(entry, shape)) else { continue };
        table.row([
            Cell::from(shape.name),
            Cell::from(format!("{:.1} s", entry.spent.time.as_secs_f64())),
            Cell::from(format!("{} s", shape.paper_seconds[2])),
            entry.spent.peak.map_or_else(Cell::missing, Cell::bytes),
            Cell::bytes(shape.paper_memory as u64),
            Cell::from(number::significant(entry.pairs as f64, 3)),
            Cell::from(number::significant(shape.paper_pairs, 3)),
        ]);
    }
    table
}

fn csv(entries: &[Entry]) -> Table {
    let headers = [
        "data",
        "documents",
        "words",
        "nonzeros",
        "nonzeros_gram",
        "seconds",
        "memory_beyond_data_bytes",
        "peak_memory_bytes",
    ];
    let mut table = Table::new(headers.map(Column::left));
    let size = |bytes: Option<u64>| bytes.map_or_else(String::new, |bytes| bytes.to_string());
    for entry in entries {
        table.row([
            entry.name.clone(),
            entry.m.to_string(),
            entry.n.to_string(),
            entry.entries.to_string(),
            entry.pairs.to_string(),
            entry.spent.time.as_secs_f64().to_string(),
            size(entry.spent.memory),
            size(entry.spent.peak),
        ]);
    }
    table
}
