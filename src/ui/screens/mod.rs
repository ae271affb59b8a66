//! The screens: each takes what the window knows and returns what the person did.

pub mod advice;
pub mod closing;
pub mod compare;
pub mod computer;
pub mod custom;
pub mod drives;
pub mod list;
pub mod manage;
pub mod rail;
pub mod results;
pub mod running;
pub mod test;
