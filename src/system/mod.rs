//! Facts about the machine and about the disk a folder is on.
//!
//! The terminal's `info`, the window's "Test" and "This computer" screens and the session, which puts both
//! values into the `Report`, call this floor. It only looks: it writes nothing, asks for no rights, and what
//! it cannot find out is `None`, never an error and never a guess. Host names, serial numbers and user
//! names are left out at the source, so nothing further down has to remember to remove them. Reading may
//! take seconds (a sleeping disk, a lost network drive): call it away from the window's thread.

pub mod caution;
pub mod conditions;
pub mod facts;
pub mod machine;
pub mod privacy;
pub mod volume;

pub(crate) mod drive;
mod listing;

pub use caution::{Caution, cautions, of_volume as cautions_of_volume, sync_folder};
pub use listing::{ListedVolume, Refusal, list, refusal};
pub use machine::{Machine, Power};
pub use privacy::shorten_home;
pub use volume::{Bus, Volume, WriteCache};
