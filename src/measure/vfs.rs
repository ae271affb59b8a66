//! A thin layer over SQLite's default VFS that counts how often SQLite really asks the drive to make
//! something permanent, and how long it waits for that. Every call goes on to the default VFS
//! unchanged; only syncs are looked at. `database` opens all test databases through it.
//!
//! Counts are kept for each thread, so what one thread's commits cost is not mixed with another's.
//!
//! On Linux and macOS the default VFS also syncs the folder: inside the first sync of a journal that was
//! just created, and after a journal is deleted under EXTRA (`unixSync` and `unixDelete` in SQLite's
//! os_unix.c). These are counted too, as `directory`, so the counts are those of the system calls.
//! On Windows no folder is ever synced.
//!
//! The only unsafe code of the measuring floor: a VFS is a C interface.
#![allow(unsafe_code, reason = "SQLite's VFS is a C interface")]

use std::{
    cell::Cell,
    ffi::{CStr, CString, c_char, c_int, c_void},
    ptr,
    sync::OnceLock,
    time::Instant,
};

use rusqlite::{
    Connection,
    ffi::{self, sqlite3_file, sqlite3_io_methods, sqlite3_vfs},
};

/// The name to open a connection with.
pub const NAME: &str = "commitmark";
const C_NAME: &CStr = c"commitmark";

/// Syncs made by one thread, by the kind of file, and the time spent waiting in them.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct Syncs {
    /// Of the database file.
    pub database: u64,
    /// Of a rollback journal.
    pub journal: u64,
    /// Of the write-ahead log.
    pub wal: u64,
    /// Of the folder.
    pub directory: u64,
    /// Of anything else.
    pub other: u64,
    /// Waiting in all of them, in nanoseconds.
    pub nanoseconds: u64,
}

impl Syncs {
    /// All kinds together.
    pub fn count(&self) -> u64 {
        self.database + self.journal + self.wal + self.directory + self.other
    }

    /// Waiting in all of them, in seconds.
    pub fn seconds(&self) -> f64 {
        self.nanoseconds as f64 / 1e9
    }

    /// What came since an earlier look by the same thread.
    pub fn since(&self, earlier: &Self) -> Self {
        Self {
            database: self.database - earlier.database,
            journal: self.journal - earlier.journal,
            wal: self.wal - earlier.wal,
            directory: self.directory - earlier.directory,
            other: self.other - earlier.other,
            nanoseconds: self.nanoseconds - earlier.nanoseconds,
        }
    }
}

const NONE: Syncs = Syncs { database: 0, journal: 0, wal: 0, directory: 0, other: 0, nanoseconds: 0 };

thread_local! {
    static SYNCS: Cell<Syncs> = const { Cell::new(NONE) };
}

/// The syncs this thread has made so far.
pub fn syncs() -> Syncs {
    SYNCS.get()
}

/// Another of SQLite's VFSs under the counting layer, where the environment names one: `unix-dotfile` on a
/// network share without locks, `unix-excl` where one program has the database for itself
/// (<https://sqlite.org/vfs.html#standard_unix_vfses>).
pub fn chosen() -> Option<CString> {
    let name = std::env::var("COMMITMARK_SQLITE_VFS").ok().filter(|name| !name.is_empty())?;
    CString::new(name).ok()
}

/// Makes the VFS known to SQLite; once for the process, later calls do nothing.
///
/// # Errors
/// SQLite's, where it has no such VFS or refuses another one.
pub fn register() -> rusqlite::Result<()> {
    static REGISTERED: OnceLock<c_int> = OnceLock::new();
    match *REGISTERED.get_or_init(register_once) {
        ffi::SQLITE_OK => Ok(()),
        code => Err(rusqlite::Error::SqliteFailure(ffi::Error::new(code), None)),
    }
}

/// Makes permanent what a connection has written and not synced, its database and its journal or log,
/// as settings below FULL leave it. Counted like any other sync.
///
/// # Errors
/// The drive's, as SQLite tells it.
pub fn flush(connection: &Connection) -> rusqlite::Result<()> {
    for pointer in [ffi::SQLITE_FCNTL_FILE_POINTER, ffi::SQLITE_FCNTL_JOURNAL_POINTER] {
        let mut file: *mut sqlite3_file = ptr::null_mut();
        // SAFETY: the handle is that of an open connection, which this thread alone uses; both operations
        // write one pointer to where they are told. SQLite's file stays open at least as long as the
        // borrowed connection; one without methods is not open.
        let code = unsafe {
            match ffi::sqlite3_file_control(connection.handle(), c"main".as_ptr(), pointer, (&raw mut file).cast()) {
                ffi::SQLITE_OK if !file.is_null() && !(*file).pMethods.is_null() => {
                    (*(*file).pMethods).xSync.map_or(ffi::SQLITE_OK, |sync| sync(file, ffi::SQLITE_SYNC_NORMAL))
                }
                code => code,
            }
        };
        if code != ffi::SQLITE_OK {
            return Err(rusqlite::Error::SqliteFailure(ffi::Error::new(code), None));
        }
    }
    Ok(())
}

fn register_once() -> c_int {
    let chosen = chosen();
    let name = chosen.as_ref().map_or(ptr::null(), |name| name.as_ptr());
    // SAFETY: a null name asks for the default VFS, any other is a string that outlives the call; SQLite
    // answers null or a VFS that lives as long as the process.
    let real = unsafe { ffi::sqlite3_vfs_find(name) };
    if real.is_null() {
        return ffi::SQLITE_ERROR;
    }
    // SAFETY: `real` is a registered VFS, and SQLite never changes one after registration.
    let (size, path_length, version) = unsafe { ((*real).szOsFile, (*real).mxPathname, (*real).iVersion) };
    let shim = Box::new(sqlite3_vfs {
        iVersion: version.min(2),
        szOsFile: size + size_of::<File>() as c_int,
        mxPathname: path_length,
        pNext: ptr::null_mut(),
        zName: C_NAME.as_ptr(),
        pAppData: real.cast(),
        xOpen: Some(open),
        xDelete: Some(delete),
        xAccess: Some(access),
        xFullPathname: Some(full_pathname),
        // Extensions are never loaded from a test database.
        xDlOpen: None,
        xDlError: None,
        xDlSym: None,
        xDlClose: None,
        xRandomness: Some(randomness),
        xSleep: Some(sleep),
        xCurrentTime: Some(current_time),
        xGetLastError: Some(get_last_error),
        xCurrentTimeInt64: Some(current_time_int64),
        xSetSystemCall: None,
        xGetSystemCall: None,
        xNextSystemCall: None,
    });
    // SAFETY: the VFS is leaked, so it lives as long as the process, as SQLite demands; its name is
    // static; 0 leaves the default VFS as it is.
    unsafe { ffi::sqlite3_vfs_register(Box::into_raw(shim), 0) }
}

/// The real VFS behind the shim.
///
/// # Safety
/// `vfs` is the VFS registered above, whose `pAppData` is the default VFS.
unsafe fn real(vfs: *mut sqlite3_vfs) -> *mut sqlite3_vfs {
    // SAFETY: as the caller promises.
    unsafe { (*vfs).pAppData.cast() }
}

/// What SQLite allocates for each open file: our part first, then the default VFS's file.
#[repr(C)]
struct File {
    base: sqlite3_file,
    kind: c_int,
    /// Whether the next sync makes the default VFS sync the folder as well.
    directory_pending: bool,
    /// Of the default VFS, behind this struct in the same allocation.
    inner: *mut sqlite3_file,
}

/// The flags of a file that a new transaction may create.
const KINDS: c_int =
    ffi::SQLITE_OPEN_MAIN_DB | ffi::SQLITE_OPEN_MAIN_JOURNAL | ffi::SQLITE_OPEN_WAL | ffi::SQLITE_OPEN_SUPER_JOURNAL;
const JOURNALS: c_int = ffi::SQLITE_OPEN_MAIN_JOURNAL | ffi::SQLITE_OPEN_WAL | ffi::SQLITE_OPEN_SUPER_JOURNAL;

unsafe extern "C" fn open(
    vfs: *mut sqlite3_vfs,
    name: ffi::sqlite3_filename,
    file: *mut sqlite3_file,
    flags: c_int,
    out_flags: *mut c_int,
) -> c_int {
    // SAFETY: SQLite calls with our VFS and with `szOsFile` bytes at `file`, aligned to 8, which hold a
    // `File` and the default VFS's file behind it (`File` is a multiple of 8 bytes long). The default
    // VFS's method table lives as long as the process.
    unsafe {
        let real = real(vfs);
        let ours = file.cast::<File>();
        let inner = ours.add(1).cast::<sqlite3_file>();
        ptr::write(
            ours,
            File {
                base: sqlite3_file { pMethods: ptr::null() },
                kind: flags & KINDS,
                directory_pending: cfg!(unix) && flags & ffi::SQLITE_OPEN_CREATE != 0 && flags & JOURNALS != 0,
                inner,
            },
        );
        (*inner).pMethods = ptr::null();
        let Some(real_open) = (*real).xOpen else { return ffi::SQLITE_ERROR };
        let code = real_open(real, name, inner, flags, out_flags);
        // Where the default VFS left methods behind, SQLite must close the file even after an error.
        if !(*inner).pMethods.is_null() {
            let methods = &*(*inner).pMethods;
            (*ours).base.pMethods = match methods.iVersion {
                ..=1 => &METHODS_1,
                // SQLite offers WAL to whoever has shared memory, so a layer must not claim it for a VFS without.
                _ if methods.xShmMap.is_none() => &METHODS_1,
                2 => &METHODS_2,
                _ => &METHODS_3,
            };
        }
        code
    }
}

unsafe extern "C" fn delete(vfs: *mut sqlite3_vfs, name: *const c_char, sync_directory: c_int) -> c_int {
    // SAFETY: SQLite calls with our VFS; the arguments go on unchanged.
    unsafe {
        let real = real(vfs);
        let Some(real_delete) = (*real).xDelete else { return ffi::SQLITE_ERROR };
        if !cfg!(unix) || sync_directory == 0 {
            return real_delete(real, name, sync_directory);
        }
        let started = Instant::now();
        let code = real_delete(real, name, sync_directory);
        if code == ffi::SQLITE_OK {
            note(started, |syncs| syncs.directory += 1);
        }
        code
    }
}

unsafe extern "C" fn sync(file: *mut sqlite3_file, flags: c_int) -> c_int {
    // SAFETY: SQLite calls with a file that `open` made, one call at a time; the arguments go on unchanged.
    unsafe {
        let ours = file.cast::<File>();
        let inner = (*ours).inner;
        let Some(real_sync) = (*(*inner).pMethods).xSync else { return ffi::SQLITE_ERROR };
        let started = Instant::now();
        let code = real_sync(inner, flags);
        let kind = (*ours).kind;
        let directory = u64::from((*ours).directory_pending);
        (*ours).directory_pending = false;
        note(started, |syncs| {
            syncs.directory += directory;
            match kind {
                ffi::SQLITE_OPEN_MAIN_DB => syncs.database += 1,
                ffi::SQLITE_OPEN_MAIN_JOURNAL => syncs.journal += 1,
                ffi::SQLITE_OPEN_WAL => syncs.wal += 1,
                _ => syncs.other += 1,
            }
        });
        code
    }
}

fn note(started: Instant, count: impl FnOnce(&mut Syncs)) {
    let mut syncs = SYNCS.get();
    count(&mut syncs);
    syncs.nanoseconds += u64::try_from(started.elapsed().as_nanos()).unwrap_or(u64::MAX);
    SYNCS.set(syncs);
}

/// Functions of the VFS that go on to the default VFS as they are.
macro_rules! forward_vfs {
    ($($name:ident => $method:ident($($arg:ident: $Type:ty),*) -> $Return:ty, $missing:expr;)+) => {$(
        unsafe extern "C" fn $name(vfs: *mut sqlite3_vfs, $($arg: $Type),*) -> $Return {
            // SAFETY: SQLite calls with our VFS; the arguments go on unchanged.
            unsafe {
                let real = real(vfs);
                match (*real).$method {
                    Some(method) => method(real, $($arg),*),
                    None => $missing,
                }
            }
        }
    )+};
}

forward_vfs! {
    access => xAccess(name: *const c_char, flags: c_int, out: *mut c_int) -> c_int, ffi::SQLITE_ERROR;
    full_pathname => xFullPathname(name: *const c_char, size: c_int, out: *mut c_char) -> c_int, ffi::SQLITE_ERROR;
    randomness => xRandomness(size: c_int, out: *mut c_char) -> c_int, 0;
    sleep => xSleep(microseconds: c_int) -> c_int, 0;
    current_time => xCurrentTime(out: *mut f64) -> c_int, ffi::SQLITE_ERROR;
    get_last_error => xGetLastError(size: c_int, out: *mut c_char) -> c_int, 0;
    current_time_int64 => xCurrentTimeInt64(out: *mut ffi::sqlite3_int64) -> c_int, ffi::SQLITE_ERROR;
}

/// Functions of a file that go on to the default VFS's file as they are.
macro_rules! forward_file {
    ($($name:ident => $method:ident($($arg:ident: $Type:ty),*) -> $Return:ty, $missing:expr;)+) => {$(
        unsafe extern "C" fn $name(file: *mut sqlite3_file, $($arg: $Type),*) -> $Return {
            // SAFETY: SQLite calls with a file that `open` made, whose inner file has methods as long as
            // the outer one has; the arguments go on unchanged.
            unsafe {
                let inner = (*file.cast::<File>()).inner;
                match (*(*inner).pMethods).$method {
                    Some(method) => method(inner, $($arg),*),
                    None => $missing,
                }
            }
        }
    )+};
}

forward_file! {
    close => xClose() -> c_int, ffi::SQLITE_OK;
    read => xRead(out: *mut c_void, size: c_int, offset: ffi::sqlite3_int64) -> c_int, ffi::SQLITE_IOERR_READ;
    write => xWrite(data: *const c_void, size: c_int, offset: ffi::sqlite3_int64) -> c_int, ffi::SQLITE_IOERR_WRITE;
    truncate => xTruncate(size: ffi::sqlite3_int64) -> c_int, ffi::SQLITE_IOERR_TRUNCATE;
    file_size => xFileSize(out: *mut ffi::sqlite3_int64) -> c_int, ffi::SQLITE_IOERR_FSTAT;
    lock => xLock(level: c_int) -> c_int, ffi::SQLITE_IOERR_LOCK;
    unlock => xUnlock(level: c_int) -> c_int, ffi::SQLITE_IOERR_UNLOCK;
    check_reserved_lock => xCheckReservedLock(out: *mut c_int) -> c_int, ffi::SQLITE_IOERR_CHECKRESERVEDLOCK;
    file_control => xFileControl(operation: c_int, argument: *mut c_void) -> c_int, ffi::SQLITE_NOTFOUND;
    sector_size => xSectorSize() -> c_int, 0;
    device_characteristics => xDeviceCharacteristics() -> c_int, 0;
    shm_map => xShmMap(page: c_int, size: c_int, extend: c_int, out: *mut *mut c_void) -> c_int, ffi::SQLITE_IOERR_SHMMAP;
    shm_lock => xShmLock(offset: c_int, count: c_int, flags: c_int) -> c_int, ffi::SQLITE_IOERR_SHMLOCK;
    shm_barrier => xShmBarrier() -> (), ();
    shm_unmap => xShmUnmap(remove: c_int) -> c_int, ffi::SQLITE_OK;
    fetch => xFetch(offset: ffi::sqlite3_int64, size: c_int, out: *mut *mut c_void) -> c_int, ffi::SQLITE_OK;
    unfetch => xUnfetch(offset: ffi::sqlite3_int64, page: *mut c_void) -> c_int, ffi::SQLITE_OK;
}

/// The method table for a default VFS of this version.
const fn methods(version: c_int) -> sqlite3_io_methods {
    sqlite3_io_methods {
        iVersion: version,
        xClose: Some(close),
        xRead: Some(read),
        xWrite: Some(write),
        xTruncate: Some(truncate),
        xSync: Some(sync),
        xFileSize: Some(file_size),
        xLock: Some(lock),
        xUnlock: Some(unlock),
        xCheckReservedLock: Some(check_reserved_lock),
        xFileControl: Some(file_control),
        xSectorSize: Some(sector_size),
        xDeviceCharacteristics: Some(device_characteristics),
        xShmMap: Some(shm_map),
        xShmLock: Some(shm_lock),
        xShmBarrier: Some(shm_barrier),
        xShmUnmap: Some(shm_unmap),
        xFetch: Some(fetch),
        xUnfetch: Some(unfetch),
    }
}

static METHODS_1: sqlite3_io_methods = methods(1);
static METHODS_2: sqlite3_io_methods = methods(2);
static METHODS_3: sqlite3_io_methods = methods(3);

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;
    use crate::measure::database::{Database, JournalMode, Settings, Synchronous};

    /// The counts were taken with strace from SQLite's own VFS (docs/measuring.md has the table).
    #[test]
    fn syncs_of_each_commit_are_those_the_system_sees() {
        use JournalMode::{Delete, Persist, Truncate, Wal};
        use Synchronous::{Extra, Full, Normal, Off};
        let levels = [Extra, Full, Normal, Off];
        for (journal_mode, expected) in
            [(Delete, [5, 4, 3, 0]), (Truncate, [5, 5, 3, 0]), (Persist, [5, 5, 4, 0]), (Wal, [1, 1, 0, 0])]
        {
            for (synchronous, expected) in levels.into_iter().zip(expected) {
                let home = tempfile::tempdir().unwrap();
                let database =
                    Database::open(&home.path().join("a.db"), &Settings::new(journal_mode, synchronous)).unwrap();
                database.create_table().unwrap();
                let insert = || database.connection().execute("INSERT INTO t (v) VALUES ('row')", []).unwrap();
                insert();
                let before = syncs();
                for _ in 0..10 {
                    insert();
                }
                assert_eq!(syncs().since(&before).count(), 10 * expected, "{journal_mode}/{synchronous}");
            }
        }
    }

    #[test]
    fn a_delete_full_commit_syncs_journal_twice_folder_once_and_database_once() {
        let home = tempfile::tempdir().unwrap();
        let settings = Settings::new(JournalMode::Delete, Synchronous::Full);
        let database = Database::open(&home.path().join("a.db"), &settings).unwrap();
        database.create_table().unwrap();
        let before = syncs();
        database.connection().execute("INSERT INTO t (v) VALUES ('row')", []).unwrap();
        let made = syncs().since(&before);
        assert_eq!((made.journal, made.directory, made.database, made.wal), (2, 1, 1, 0));
        assert!(made.nanoseconds > 0);
    }

    #[test]
    fn a_flush_reaches_the_database_and_the_log_that_were_left_unsynced() {
        let home = tempfile::tempdir().unwrap();
        for (journal_mode, synchronous, expected) in
            [(JournalMode::Wal, Synchronous::Normal, (1, 1)), (JournalMode::Delete, Synchronous::Off, (1, 0))]
        {
            let path = home.path().join(format!("{journal_mode}.db"));
            let database = Database::open(&path, &Settings::new(journal_mode, synchronous)).unwrap();
            database.create_table().unwrap();
            database.connection().execute("INSERT INTO t (v) VALUES ('row')", []).unwrap();
            let before = syncs();
            database.flush().unwrap();
            let made = syncs().since(&before);
            assert_eq!((made.database, made.wal), expected, "{journal_mode}");
        }
    }

    #[test]
    fn another_threads_syncs_are_not_ours() {
        let before = syncs();
        std::thread::spawn(|| {
            let home = tempfile::tempdir().unwrap();
            let settings = Settings::new(JournalMode::Wal, Synchronous::Full);
            let database = Database::open(&home.path().join("a.db"), &settings).unwrap();
            database.create_table().unwrap();
            assert!(syncs().count() > 0);
        })
        .join()
        .unwrap();
        assert_eq!(syncs(), before);
    }
}
