//! Failing together: what goes wrong on one rank ends the job on all of them, with one message.

use xray_nmf::comm::Communicator;

/// An error that every rank knows of, so that none waits for another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Agreed {
    message: String,
    usage: bool,
}

impl Agreed {
    /// Whether an argument is wrong, and not the data.
    pub fn is_usage(&self) -> bool {
        self.usage
    }
}

impl std::fmt::Display for Agreed {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Agreed {}

/// The result, if it is one on every rank; otherwise the same error on every rank, which says where it
/// comes from.
///
/// # Errors
/// [`Agreed`] if any rank failed; an error of the engine if the ranks cannot talk.
///
/// # Examples
/// ```
/// use xray_mpi::together;
/// use xray_nmf::comm::{Communicator, run_local_ranks};
/// let results = run_local_ranks(3, |comm| {
///     let own = if comm.rank() == 1 { Err(anyhow::anyhow!("no disk")) } else { Ok(()) };
///     together(comm, own).unwrap_err().to_string()
/// });
/// assert_eq!(results, ["rank 1: no disk"; 3]);
/// ```
pub fn together<T>(comm: &impl Communicator, result: anyhow::Result<T>) -> anyhow::Result<T> {
    let own = match &result {
        Ok(_) => Vec::new(),
        Err(error) => {
            let usage = u8::from(xray_cli::parts::is_usage(error));
            [&[usage], xray_cli::parts::message(error).as_bytes()].concat()
        }
    };
    let all = comm.all_gather(&own)?;
    let Some((rank, first)) = all.iter().enumerate().find(|(_, message)| !message.is_empty())
    else {
        return result;
    };
    let text = String::from_utf8_lossy(&first[1..]);
    // The same on all ranks: no rank is to blame.
    let everywhere = all.iter().all(|message| message == first);
    let message = if everywhere { text.into_owned() } else { format!("rank {rank}: {text}") };
    Err(Agreed { message, usage: first[0] == 1 }.into())
}

/// Checks that every rank was given the same thing; `what` names it in the error.
///
/// # Errors
/// [`Agreed`] if two ranks differ.
pub fn same_everywhere(comm: &impl Communicator, what: &str, own: &[u8]) -> anyhow::Result<()> {
    let all = comm.all_gather(blake3::hash(own).as_bytes())?;
    match all.iter().position(|other| *other != all[0]) {
        None => Ok(()),
        Some(rank) => {
            let message = format!(
                "{what} on rank {rank} differ from those on rank 0; start all ranks in the same way, on \
                 the same data"
            );
            Err(Agreed { message, usage: false }.into())
        }
    }
}
