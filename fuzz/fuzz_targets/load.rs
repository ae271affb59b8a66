//! Opens whatever bytes come and, where they are a result, tells all of it: `cargo +nightly fuzz run load
//! fuzz/corpus/load tests/data/corpus tests/data/golden`. Nothing may panic, hang or fill the memory.
#![no_main]

#[path = "../../tests/it/everything.rs"]
mod everything;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    everything::open_and_tell(bytes);
});
