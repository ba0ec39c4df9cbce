//! Draws one picture of each kind into a folder: `cargo run --example gallery -- folder`.

use std::error::Error;
use std::io::IsTerminal;
use std::path::Path;
use std::time::Instant;

use xray_report::{Cell, Column, Table};

mod pictures;

fn main() -> Result<(), Box<dyn Error>> {
    let folder = std::env::args().nth(1).ok_or("give a folder to draw into")?;
    let folder = Path::new(&folder);
    std::fs::create_dir_all(folder)?;
    let columns = ["SVG", "PNG", "time"].map(Column::right);
    let mut table = Table::new([Column::left("picture")].into_iter().chain(columns));
    for (name, picture) in pictures::pictures() {
        let start = Instant::now();
        let (svg, png) = (picture.svg(), picture.png(2.0)?);
        let time = Cell::duration(start.elapsed());
        let sizes = [svg.len(), png.len()].map(|size| Cell::bytes(size as u64));
        table.row([Cell::from(name)].into_iter().chain(sizes).chain([time]));
        std::fs::write(folder.join(format!("{name}.svg")), svg)?;
        std::fs::write(folder.join(format!("{name}.png")), png)?;
    }
    print!("{}", table.terminal(None, std::io::stdout().is_terminal()));
    Ok(())
}
