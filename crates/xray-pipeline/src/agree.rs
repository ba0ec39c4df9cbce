//! Failing together: what goes wrong on one rank ends the job on all of them, with one message.

use xray_nmf::ErrorKind;
use xray_nmf::comm::Communicator;

use crate::error::{Error, Result};

/// The result, if it is one on every rank; otherwise the same error on every rank, which says where it
/// comes from. A rank that is alone keeps its own error.
///
/// # Errors
/// [`Error::Agreed`] if any rank failed; an error of the engine if the ranks cannot talk.
///
/// # Examples
/// ```
/// use xray_nmf::comm::{Communicator, run_local_ranks};
/// use xray_pipeline::{Error, together};
/// let results = run_local_ranks(3, |comm| {
///     let own = if comm.rank() == 1 { Err(Error::Usage("no disk".into())) } else { Ok(()) };
///     together(comm, own).unwrap_err().to_string()
/// });
/// assert_eq!(results, ["rank 1: no disk"; 3]);
/// ```
pub fn together<T, E: Into<Error>>(comm: &dyn Communicator, own: Result<T, E>) -> Result<T> {
    let own = own.map_err(Into::into);
    if comm.size() == 1 {
        return own;
    }
    let message = match &own {
        Ok(_) => Vec::new(),
        Err(error) => [&[error.kind() as u8], error.to_string().as_bytes()].concat(),
    };
    let all = comm.all_gather(&message)?;
    let Some((rank, first)) = all.iter().enumerate().find(|(_, message)| !message.is_empty())
    else {
        return own;
    };
    let text = String::from_utf8_lossy(&first[1..]);
    // The same on all ranks: no rank is to blame.
    let everywhere = all.iter().all(|message| message == first);
    let message = if everywhere { text.into_owned() } else { format!("rank {rank}: {text}") };
    let kind = ErrorKind::ALL.into_iter().find(|kind| *kind as u8 == first[0]);
    Err(Error::Agreed { message, kind: kind.unwrap_or(ErrorKind::Ranks) })
}

/// Checks that every rank was given the same thing; `what` names it in the error.
///
/// # Errors
/// [`Error::Agreed`] if two ranks differ.
pub fn same_everywhere(comm: &dyn Communicator, what: &str, own: &[u8]) -> Result<()> {
    let all = comm.all_gather(blake3::hash(own).as_bytes())?;
    match all.iter().position(|other| *other != all[0]) {
        None => Ok(()),
        Some(rank) => {
            let message = format!(
                "{what} on rank {rank} differ from those on rank 0; start all ranks in the same way, on \
                 the same data"
            );
            Err(Error::Agreed { message, kind: ErrorKind::Ranks })
        }
    }
}
