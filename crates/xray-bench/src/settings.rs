//! What to time.

use xray_nmf::{Engine, Params, Selection};

pub(crate) const USAGE: &str = "\
usage: xray-bench file=PATH | corpus=rcv1|ppl2|ibmt | dense=BANDSxPIXELS  [name=value ...]

  file=PATH        a matrix written by bench/prepare.py
  corpus=NAME      a synthetic corpus of the paper's shape; scale=0.1 for a smaller one
  dense=200x10000  a synthetic hyperspectral cube in f32

  rank=100 selection=greedy engine=lazy threads=2 memory=BYTES mean_ray=false
  repeat=1 verbose=false
  refine=0         steps of HALS after each fit, timed apart

  method=xray      or spa, or hottopixx (in single precision; epochs=50): the rivals for large data

  same=true        fit with both engines, on 1 and on 2 threads, and fail unless anchors, scores,
                   margins, residuals and weights agree to the last bit

Prints one line for each fit: seconds, exact evaluations and their share of the direct method's,
residual, optimality violation, anchors, and the peak memory of the process so far.
";

/// Where the matrix comes from.
#[derive(Debug)]
pub(crate) enum Data {
    File(String),
    Corpus(String),
    Dense(usize, usize),
}

/// A rival to time in place of a fit.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Method {
    Spa,
    Hottopixx,
}

/// All that the command line says.
#[derive(Debug)]
pub(crate) struct Settings {
    pub(crate) data: Data,
    pub(crate) params: Params,
    pub(crate) method: Option<Method>,
    pub(crate) epochs: usize,
    pub(crate) scale: f64,
    pub(crate) repeat: usize,
    pub(crate) refine: usize,
    pub(crate) verbose: bool,
    pub(crate) same: bool,
}

impl Settings {
    pub(crate) fn parse(arguments: &[String]) -> Result<Self, String> {
        let (first, rest) = arguments.split_first().ok_or("say what to time")?;
        let params = Params { selection: Selection::Greedy, ..Params::new(100) };
        let data = data(first)?;
        let mut settings = Self {
            data,
            params,
            method: None,
            epochs: 50,
            scale: 1.0,
            repeat: 1,
            refine: 0,
            verbose: false,
            same: false,
        };
        rest.iter().try_for_each(|argument| settings.set(argument))?;
        Ok(settings)
    }

    fn set(&mut self, argument: &str) -> Result<(), String> {
        let (name, value) =
            argument.split_once('=').ok_or(format!("{argument}: not name=value"))?;
        let number = || value.parse::<usize>().map_err(|_| format!("{argument}: not a number"));
        let params = &mut self.params;
        match name {
            "rank" => params.rank = number()?,
            "threads" => params.threads = Some(number()?),
            "memory" => params.memory = Some(number()?),
            "repeat" => self.repeat = number()?,
            "refine" => self.refine = number()?,
            "epochs" => self.epochs = number()?,
            "method" if value == "xray" => self.method = None,
            "method" if value == "spa" => self.method = Some(Method::Spa),
            "method" if value == "hottopixx" => self.method = Some(Method::Hottopixx),
            "scale" => {
                self.scale = value.parse().map_err(|_| format!("{argument}: not a number"))?
            }
            "same" => self.same = value == "true",
            "verbose" => self.verbose = value == "true",
            "mean_ray" => params.mean_ray = value == "true",
            "selection" => params.selection = value.parse().map_err(|e| format!("{e}"))?,
            "engine" if value == "lazy" => params.engine = Engine::Lazy,
            "engine" if value == "direct" => params.engine = Engine::Direct,
            _ => return Err(format!("{argument}: unknown")),
        }
        Ok(())
    }
}

fn data(argument: &str) -> Result<Data, String> {
    match argument.split_once('=') {
        Some(("file", path)) => Ok(Data::File(path.to_string())),
        Some(("corpus", name)) => Ok(Data::Corpus(name.to_string())),
        Some(("dense", shape)) => {
            let shape =
                shape.split_once('x').and_then(|(m, n)| Some((m.parse().ok()?, n.parse().ok()?)));
            shape.map(|(m, n)| Data::Dense(m, n)).ok_or(format!("{argument}: not BANDSxPIXELS"))
        }
        _ => Err(format!("{argument}: not file=, corpus= or dense=")),
    }
}
