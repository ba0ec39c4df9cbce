//! One file for each verb.

#[cfg(feature = "experiments")]
pub(crate) mod compare;
pub(crate) mod convert;
pub(crate) mod demo;
pub(crate) mod edit;
#[cfg(feature = "explore")]
pub(crate) mod explore;
pub(crate) mod factorize;
pub(crate) mod manual;
pub(crate) mod rank;
#[cfg(feature = "experiments")]
pub(crate) mod reproduce;
#[cfg(feature = "experiments")]
pub(crate) mod synth;
pub(crate) mod topics;
pub(crate) mod transform;
pub(crate) mod unmix;

/// Writes a picture as NAME.svg and NAME.png.
#[cfg(feature = "pictures")]
fn write_picture(
    folder: &mut xray_pipeline::Folder,
    name: &str,
    picture: &dyn xray_report::Picture,
) -> anyhow::Result<()> {
    use std::io::Write as _;

    let (svg, png) = (picture.svg(), picture.png(2.0)?);
    folder.write(&format!("{name}.svg"), |out| out.write_all(svg.as_bytes()))?;
    folder.write(&format!("{name}.png"), |out| out.write_all(&png))?;
    Ok(())
}
