//! The drawing as an SVG document, with text as text.

use std::fmt::Write;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use super::font::{FAMILIES, Weight, text_width};
use super::raster::encode;
use super::{Anchor, Fill, Item, Pixels, Point, Rect, Scene, Stroke, TextStyle};
use crate::pictures::colour::{BACKGROUND, Colour};

pub(super) fn write(scene: &Scene) -> String {
    let (width, height) = (Number(scene.width), Number(scene.height));
    let mut out = Writer { text: String::new(), n_clips: 0 };
    out.push(format_args!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
         viewBox=\"0 0 {width} {height}\" role=\"img\" font-family=\"{FAMILIES}\">\n"
    ));
    out.push(format_args!("<title>{}</title>\n", escape(&scene.title)));
    out.push(format_args!(
        "<rect width=\"{width}\" height=\"{height}\" fill=\"{}\"/>\n",
        Hex(BACKGROUND)
    ));
    out.items(&scene.items);
    out.text.push_str("</svg>\n");
    out.text
}

struct Writer {
    text: String,
    n_clips: usize,
}

impl Writer {
    fn push(&mut self, text: std::fmt::Arguments<'_>) {
        self.text.write_fmt(text).expect("strings can always grow");
    }

    fn items(&mut self, items: &[Item]) {
        for item in items {
            match item {
                Item::Line { points, stroke } => self.line(points, stroke),
                Item::Polygon { points, fill, stroke } => {
                    self.push(format_args!("<path d=\"{}Z\"", Path(points)));
                    self.paint(fill.as_ref(), stroke.as_ref());
                }
                Item::Circle { centre, radius, fill, stroke } => {
                    let (x, y, radius) = (Number(centre.0), Number(centre.1), Number(*radius));
                    self.push(format_args!("<circle cx=\"{x}\" cy=\"{y}\" r=\"{radius}\""));
                    self.paint(fill.as_ref(), stroke.as_ref());
                }
                Item::Text { at, text, style } => self.label(*at, text, style),
                Item::Image { frame, pixels } => self.image(frame, pixels),
                Item::Clip { frame, items } => self.clip(frame, items),
            }
        }
    }

    fn line(&mut self, points: &[Point], stroke: &Stroke) {
        self.push(format_args!("<path d=\"{}\"", Path(points)));
        self.paint(None, Some(stroke));
    }

    /// Fill and stroke, and the end of the element.
    fn paint(&mut self, fill: Option<&Fill>, stroke: Option<&Stroke>) {
        match fill {
            Some(fill) => {
                self.push(format_args!(" fill=\"{}\"", Hex(fill.colour)));
                self.opacity("fill-opacity", fill.opacity);
            }
            None => self.text.push_str(" fill=\"none\""),
        }
        if let Some(stroke) = stroke {
            let (colour, width) = (Hex(stroke.colour), Number(stroke.width));
            self.push(format_args!(" stroke=\"{colour}\" stroke-width=\"{width}\""));
            self.opacity("stroke-opacity", stroke.opacity);
            if stroke.dash.is_empty() {
                self.text.push_str(" stroke-linejoin=\"round\" stroke-linecap=\"round\"");
            } else {
                let lengths: Vec<_> = stroke.dash.iter().map(|&l| Number(l).to_string()).collect();
                self.push(format_args!(" stroke-dasharray=\"{}\"", lengths.join(" ")));
            }
        }
        self.text.push_str("/>\n");
    }

    fn opacity(&mut self, name: &str, opacity: f64) {
        if opacity < 1.0 {
            self.push(format_args!(" {name}=\"{}\"", Number(opacity)));
        }
    }

    fn label(&mut self, at: Point, text: &str, style: &TextStyle) {
        let text = clean(text);
        let width = text_width(&text, style.size, style.weight);
        if width == 0.0 {
            return;
        }
        let (x, y, size) = (Number(at.0), Number(at.1), Number(style.size));
        self.push(format_args!("<text x=\"{x}\" y=\"{y}\" font-size=\"{size}\""));
        self.push(format_args!(" fill=\"{}\"", Hex(style.colour)));
        if style.weight == Weight::Bold {
            self.text.push_str(" font-weight=\"bold\"");
        }
        match style.anchor {
            Anchor::Start => {}
            Anchor::Middle => self.text.push_str(" text-anchor=\"middle\""),
            Anchor::End => self.text.push_str(" text-anchor=\"end\""),
        }
        if style.upwards {
            self.push(format_args!(" transform=\"rotate(-90 {x} {y})\""));
        }
        // Other fonts keep to the room that was measured, so that nothing overlaps.
        self.push(format_args!(
            " textLength=\"{}\" lengthAdjust=\"spacingAndGlyphs\">{}</text>\n",
            Number(width),
            escape(&text)
        ));
    }

    fn image(&mut self, frame: &Rect, pixels: &Pixels) {
        if pixels.width == 0 || pixels.height == 0 {
            return;
        }
        let file = encode(pixels.width as u32, pixels.height as u32, &pixels.rgb, None);
        let (x, y) = (Number(frame.left), Number(frame.top));
        let (width, height) = (Number(frame.width), Number(frame.height));
        self.push(format_args!(
            "<image x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\" \
             preserveAspectRatio=\"none\" style=\"image-rendering:pixelated\" \
             href=\"data:image/png;base64,{}\"/>\n",
            STANDARD.encode(file)
        ));
    }

    fn clip(&mut self, frame: &Rect, items: &[Item]) {
        // The name tells frames apart, also between pictures that share one page.
        let (x, y) = (Number(frame.left), Number(frame.top));
        let (width, height) = (Number(frame.width), Number(frame.height));
        let name = format!("clip-{}-{x}-{y}-{width}-{height}", self.n_clips);
        self.n_clips += 1;
        self.push(format_args!(
            "<clipPath id=\"{name}\"><rect x=\"{x}\" y=\"{y}\" width=\"{width}\" \
             height=\"{height}\"/></clipPath>\n<g clip-path=\"url(#{name})\">\n"
        ));
        self.items(items);
        self.text.push_str("</g>\n");
    }
}

/// At most two decimals, and no sign before zero.
struct Number(f64);

impl std::fmt::Display for Number {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let text = format!("{:.2}", self.0);
        let text = text.trim_end_matches('0').trim_end_matches('.');
        f.write_str(if text == "-0" { "0" } else { text })
    }
}

struct Hex(Colour);

impl std::fmt::Display for Hex {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "#{:02x}{:02x}{:02x}", self.0.red, self.0.green, self.0.blue)
    }
}

struct Path<'a>(&'a [Point]);

impl std::fmt::Display for Path<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for (i, &(x, y)) in self.0.iter().enumerate() {
            write!(f, "{}{} {}", if i == 0 { 'M' } else { 'L' }, Number(x), Number(y))?;
        }
        Ok(())
    }
}

/// XML has no place for most control characters.
pub(super) fn clean(text: &str) -> String {
    text.chars()
        .map(|letter| if letter.is_control() { ' ' } else { letter })
        .filter(|letter| !matches!(letter, '\u{fffe}' | '\u{ffff}'))
        .collect()
}

fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for letter in clean(text).chars() {
        match letter {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&apos;"),
            _ => out.push(letter),
        }
    }
    out
}
