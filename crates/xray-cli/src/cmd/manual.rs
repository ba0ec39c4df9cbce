//! `xray completions` and `xray man`: made from the definitions of the arguments.

use std::io::Write;

use anyhow::Context;
use clap::CommandFactory;
use xray_nmf::comm::OneRank;
use xray_pipeline::{Folder, Plan, Purpose};

use crate::args::{Cli, CompletionsArgs, ManArgs};
use crate::outcome::Outcome;
use crate::session::STDOUT;
use crate::stderr::say;

pub(crate) fn completions(args: &CompletionsArgs) -> anyhow::Result<Outcome> {
    let mut text = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "xray", &mut text);
    std::io::stdout().write_all(&text).context(STDOUT)?;
    Ok(Outcome::Done)
}

pub(crate) fn man(args: &ManArgs) -> anyhow::Result<Outcome> {
    let command = Cli::command();
    let Some(folder) = &args.folder else {
        std::io::stdout().write_all(&page(command)?).context(STDOUT)?;
        return Ok(Outcome::Done);
    };
    let mut folder = Folder::open(&OneRank, folder, Plan::new(Purpose::Pages))?;
    for verb in command.get_subcommands() {
        let name = format!("xray-{}", verb.get_name());
        let bytes = page(verb.clone().name(name.clone()))?;
        folder.write(&format!("{name}.1"), |out| out.write_all(&bytes))?;
    }
    let main = page(command)?;
    folder.write("xray.1", |out| out.write_all(&main))?;
    say(folder.commit(&OneRank, None)?);
    Ok(Outcome::Done)
}

fn page(command: clap::Command) -> std::io::Result<Vec<u8>> {
    let mut text = Vec::new();
    clap_mangen::Man::new(command).render(&mut text)?;
    Ok(text)
}
