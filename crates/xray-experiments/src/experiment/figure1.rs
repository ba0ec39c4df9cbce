//! Figures 1 and 2: the idea, as a picture.

use anyhow::Result;
use xray_report::Idea;

use super::Settings;
use crate::page::Page;
use crate::watch::Watch;

pub(super) fn run(settings: &Settings, watch: &mut dyn Watch) -> Result<Page> {
    watch.begin("figure1", 1);
    let mut page = settings.page("figure1", "Figures 1 and 2: the idea");
    page.paragraph(
        "Left, the paper's Figure 1: the columns of a nonnegative matrix as points; if the data is separable, all of them lie in the \
         cone of a few, the anchors. Right, its Figure 2, cut across the rays: the cone of the anchors found so far (1 to 3), \
         a point outside of it, its projection onto the cone, and the residual R, which is normal to the face that \
         sees the point. The column farthest along R is an extreme ray of the data: the next anchor (4). Which exterior point \
         to look from is what the rules rand, max and dist choose; greedy, agg and joint look from all of them.",
    );
    page.picture(
        "",
        "The cone of the columns, and the step that finds its next extreme ray",
        &Idea,
    )?;
    watch.advance()?;
    Ok(page)
}
