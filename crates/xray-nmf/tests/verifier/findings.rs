//! What the checks have to say of one fit.

/// What is wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Fault {
    /// The anchor is not the rule's, and no tie.
    Anchor,
    /// It was not looked from the rule's point.
    Point,
    Score,
    Margin,
    /// H is negative, or not optimal to rounding.
    Weights,
    /// The certificate is wrong, or the violation more than rounding.
    Certificate,
    Residual,
    HeldOut,
    /// The run ended when it should not have, or went on when it should have ended.
    End,
    /// Engines or numbers of ranks differ in a bit.
    Bits,
}

impl Fault {
    pub(crate) const ALL: [Fault; 10] = [
        Fault::Anchor,
        Fault::Point,
        Fault::Score,
        Fault::Margin,
        Fault::Weights,
        Fault::Certificate,
        Fault::Residual,
        Fault::HeldOut,
        Fault::End,
        Fault::Bits,
    ];

    pub(crate) fn name(self) -> String {
        format!("{self:?}").to_lowercase()
    }
}

/// All that was found in one fit.
#[derive(Debug, Clone, Default)]
pub(crate) struct Findings {
    pub(crate) faults: Vec<(Fault, String)>,
    pub(crate) steps: usize,
    /// Detected anchors, and points, that are not the exact argmax but tie with it.
    pub(crate) ties: usize,
    /// By how much the exact argmax is ahead in the widest tie, in units of rounding.
    pub(crate) widest_tie: f64,
    /// Anchors that are not the exact argmax and lie in the cone of the other candidates (not counted for greedy).
    pub(crate) interior: usize,
    /// Fits that could not be replayed: rounding decides whether the mean is a ray.
    pub(crate) undecided: usize,
    /// The largest true violation of the optimality conditions.
    pub(crate) violation: f64,
    /// The largest difference of a reported residual, and of a held-out error, from the true one.
    pub(crate) residual_error: f64,
    pub(crate) held_out_error: f64,
}

impl Findings {
    pub(crate) fn fault(&mut self, fault: Fault, text: String) {
        self.faults.push((fault, text));
    }

    /// Notes a fault unless `holds`.
    pub(crate) fn require(&mut self, holds: bool, fault: Fault, text: impl FnOnce() -> String) {
        if !holds {
            self.fault(fault, text());
        }
    }

    pub(crate) fn has(&self, fault: Fault) -> bool {
        self.faults.iter().any(|(found, _)| *found == fault)
    }
}
