//! Packs the demo corpus into the program.

use std::io::Write;
use std::path::Path;

fn main() -> std::io::Result<()> {
    println!("cargo::rerun-if-changed=corpus/demo.tsv");
    let text = std::fs::read("corpus/demo.tsv")?;
    let Some(folder) = std::env::var_os("OUT_DIR") else {
        return Err(std::io::Error::other("cargo sets OUT_DIR"));
    };
    let file = std::fs::File::create(Path::new(&folder).join("demo.tsv.gz"))?;
    let mut packer = flate2::write::GzEncoder::new(file, flate2::Compression::best());
    packer.write_all(&text)?;
    packer.finish()?;
    Ok(())
}
