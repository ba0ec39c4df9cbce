//! Draws one picture of each kind into a folder: `cargo run --example gallery -- folder`.

use std::error::Error;
use std::path::Path;

mod pictures;

fn main() -> Result<(), Box<dyn Error>> {
    let folder = std::env::args().nth(1).ok_or("give a folder to draw into")?;
    let folder = Path::new(&folder);
    std::fs::create_dir_all(folder)?;
    for (name, picture) in pictures::pictures() {
        std::fs::write(folder.join(format!("{name}.svg")), picture.svg())?;
        std::fs::write(folder.join(format!("{name}.png")), picture.png(2.0)?)?;
        println!("{name}");
    }
    Ok(())
}
