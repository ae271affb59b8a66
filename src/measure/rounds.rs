//! Interleaving. A drive changes under the measurement, so every comparison runs in rounds: a round
//! holds one block of each case, in an order shuffled afresh, and ratios are taken inside a round.

use fastrand::Rng;

/// The cases of one round in random order. The generator goes on, so each round differs.
pub fn shuffled<T: Clone>(cases: &[T], random: &mut Rng) -> Vec<T> {
    let mut order = cases.to_vec();
    random.shuffle(&mut order);
    order
}
