//! The drawing as a PNG file.

use tiny_skia::{
    Color, FillRule, FilterQuality, LineCap, LineJoin, Mask, Paint, Path, PathBuilder, Pixmap,
    PixmapPaint, StrokeDash, Transform,
};

use super::font::{PenPath, outline, text_width};
use super::svg::clean;
use super::{Anchor, Fill, Item, Pixels, Point, Rect, Scene, Stroke, TextStyle};
use crate::pictures::colour::{BACKGROUND, Colour};
use crate::pictures::error::{Error, Result};

/// The most pixels of a side: 20,000 squared are 1.6 GB while drawing.
const MAX_SIDE: u32 = 20_000;
/// CSS counts 96 pixels to the inch, and an inch has 0.0254 m.
const PIXELS_PER_METRE: f64 = 96.0 / 0.0254;

pub(super) fn png(scene: &Scene, scale: f64) -> Result<Vec<u8>> {
    let refused = Error::Scale { scale, width: scene.width, height: scene.height, max: MAX_SIDE };
    let side = |length: f64| {
        let pixels = (length * scale).round();
        (1.0..=f64::from(MAX_SIDE)).contains(&pixels).then_some(pixels as u32)
    };
    let (Some(width), Some(height)) = (side(scene.width), side(scene.height)) else {
        return Err(refused);
    };
    let mut canvas = Canvas {
        pixmap: Pixmap::new(width, height).ok_or(refused)?,
        transform: Transform::from_scale(scale as f32, scale as f32),
        mask: None,
    };
    canvas.pixmap.fill(colour(BACKGROUND, 1.0));
    canvas.items(&scene.items);
    // The background is opaque, so the alpha channel says nothing.
    let rgb: Vec<u8> =
        canvas.pixmap.data().chunks_exact(4).flat_map(|p| [p[0], p[1], p[2]]).collect();
    Ok(encode(width, height, &rgb, Some(scale)))
}

/// A PNG file of these pixels; with a scale, it says how large to print them.
pub(super) fn encode(width: u32, height: u32, rgb: &[u8], scale: Option<f64>) -> Vec<u8> {
    let mut file = Vec::new();
    let mut encoder = png::Encoder::new(&mut file, width, height);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.set_pixel_dims(scale.map(|scale| {
        let density = (scale * PIXELS_PER_METRE).round() as u32;
        png::PixelDimensions { xppu: density, yppu: density, unit: png::Unit::Meter }
    }));
    let mut writer = encoder.write_header().expect("memory can be written to");
    writer.write_image_data(rgb).expect("as many pixels as announced");
    writer.finish().expect("memory can be written to");
    file
}

struct Canvas {
    pixmap: Pixmap,
    transform: Transform,
    /// What may be drawn on now.
    mask: Option<Mask>,
}

impl Canvas {
    fn items(&mut self, items: &[Item]) {
        for item in items {
            match item {
                Item::Line { points, stroke } => {
                    if let Some(path) = polygon(points, false) {
                        self.paint(&path, None, Some(stroke));
                    }
                }
                Item::Polygon { points, fill, stroke } => {
                    if let Some(path) = polygon(points, true) {
                        self.paint(&path, fill.as_ref(), stroke.as_ref());
                    }
                }
                Item::Circle { centre, radius, fill, stroke } => {
                    let (x, y, radius) = (centre.0 as f32, centre.1 as f32, *radius as f32);
                    if let Some(path) = PathBuilder::from_circle(x, y, radius) {
                        self.paint(&path, fill.as_ref(), stroke.as_ref());
                    }
                }
                Item::Text { at, text, style } => self.label(*at, text, style),
                Item::Image { frame, pixels } => self.image(frame, pixels),
                Item::Clip { frame, items } => self.clip(frame, items),
            }
        }
    }

    fn paint(&mut self, path: &Path, fill: Option<&Fill>, stroke: Option<&Stroke>) {
        let mask = self.mask.as_ref();
        if let Some(fill) = fill {
            let paint = paint(fill.colour, fill.opacity);
            self.pixmap.fill_path(path, &paint, FillRule::Winding, self.transform, mask);
        }
        if let Some(stroke) = stroke {
            let paint = paint(stroke.colour, stroke.opacity);
            let lengths = stroke.dash.iter().map(|&length| length as f32).collect();
            let cap = if stroke.dash.is_empty() { LineCap::Round } else { LineCap::Butt };
            let line = tiny_skia::Stroke {
                width: stroke.width as f32,
                line_join: LineJoin::Round,
                line_cap: cap,
                dash: StrokeDash::new(lengths, 0.0),
                ..Default::default()
            };
            self.pixmap.stroke_path(path, &paint, &line, self.transform, mask);
        }
    }

    fn label(&mut self, at: Point, text: &str, style: &TextStyle) {
        let text = clean(text);
        let width = text_width(&text, style.size, style.weight);
        let shift = match style.anchor {
            Anchor::Start => 0.0,
            Anchor::Middle => -width / 2.0,
            Anchor::End => -width,
        };
        let mut pen = TextPath { path: PathBuilder::new(), at, shift, upwards: style.upwards };
        outline(&text, style.size, style.weight, &mut pen);
        if let Some(path) = pen.path.finish() {
            self.paint(&path, Some(&Fill::solid(style.colour)), None);
        }
    }

    fn image(&mut self, frame: &Rect, pixels: &Pixels) {
        let Some(mut source) = Pixmap::new(pixels.width as u32, pixels.height as u32) else {
            return;
        };
        for (to, from) in source.data_mut().chunks_exact_mut(4).zip(pixels.rgb.chunks_exact(3)) {
            to[..3].copy_from_slice(from);
            to[3] = 255;
        }
        let stretch = Transform::from_scale(
            (frame.width / pixels.width as f64) as f32,
            (frame.height / pixels.height as f64) as f32,
        )
        .post_translate(frame.left as f32, frame.top as f32)
        .post_concat(self.transform);
        let paint = PixmapPaint { quality: FilterQuality::Nearest, ..Default::default() };
        self.pixmap.draw_pixmap(0, 0, source.as_ref(), &paint, stretch, self.mask.as_ref());
    }

    /// Clips are not nested in any of our pictures: the inner one simply holds.
    fn clip(&mut self, frame: &Rect, items: &[Item]) {
        let path = polygon(&frame.corners(), true);
        let mask = Mask::new(self.pixmap.width(), self.pixmap.height());
        if let (Some(path), Some(mut mask)) = (path, mask) {
            mask.fill_path(&path, FillRule::Winding, true, self.transform);
            let outer = self.mask.replace(mask);
            self.items(items);
            self.mask = outer;
        }
    }
}

fn colour(colour: Colour, opacity: f64) -> Color {
    let alpha = (opacity * 255.0).round() as u8;
    Color::from_rgba8(colour.red, colour.green, colour.blue, alpha)
}

fn paint(fill: Colour, opacity: f64) -> Paint<'static> {
    let mut paint = Paint { anti_alias: true, ..Default::default() };
    paint.set_color(colour(fill, opacity));
    paint
}

fn polygon(points: &[Point], close: bool) -> Option<Path> {
    let mut path = PathBuilder::new();
    for (i, &(x, y)) in points.iter().enumerate() {
        if i == 0 {
            path.move_to(x as f32, y as f32);
        } else {
            path.line_to(x as f32, y as f32);
        }
    }
    if close {
        path.close();
    }
    path.finish()
}

/// Outlines of letters, put where the text stands.
struct TextPath {
    path: PathBuilder,
    at: Point,
    shift: f64,
    upwards: bool,
}

impl TextPath {
    fn place(&self, x: f64, y: f64) -> (f32, f32) {
        let x = x + self.shift;
        let (x, y) = if self.upwards { (-y, -x) } else { (x, -y) };
        ((self.at.0 + x) as f32, (self.at.1 + y) as f32)
    }
}

impl PenPath for TextPath {
    fn move_to(&mut self, x: f64, y: f64) {
        let (x, y) = self.place(x, y);
        self.path.move_to(x, y);
    }

    fn line_to(&mut self, x: f64, y: f64) {
        let (x, y) = self.place(x, y);
        self.path.line_to(x, y);
    }

    fn quad_to(&mut self, x1: f64, y1: f64, x: f64, y: f64) {
        let ((x1, y1), (x, y)) = (self.place(x1, y1), self.place(x, y));
        self.path.quad_to(x1, y1, x, y);
    }

    fn curve_to(&mut self, x1: f64, y1: f64, x2: f64, y2: f64, x: f64, y: f64) {
        let ((x1, y1), (x2, y2)) = (self.place(x1, y1), self.place(x2, y2));
        let (x, y) = self.place(x, y);
        self.path.cubic_to(x1, y1, x2, y2, x, y);
    }

    fn close(&mut self) {
        self.path.close();
    }
}
