//! A single machine.

use super::Communicator;
use crate::error::Result;

/// The only rank there is.
#[derive(Debug, Clone, Copy, Default)]
pub struct OneRank;

impl Communicator for OneRank {
    fn rank(&self) -> usize {
        0
    }

    fn size(&self) -> usize {
        1
    }

    fn broadcast(&self, _root: usize, _message: &mut Vec<u8>) -> Result<()> {
        Ok(())
    }

    fn all_gather(&self, message: &[u8]) -> Result<Vec<Vec<u8>>> {
        Ok(vec![message.to_vec()])
    }

    fn all_to_all(&self, messages: Vec<Vec<u8>>) -> Result<Vec<Vec<u8>>> {
        Ok(messages)
    }
}
