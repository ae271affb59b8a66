//! Files that macOS hands to a running program: there a double-click, "Open With" and a drop on the Dock icon come as an Apple
//! event, where other systems start the program with arguments. Each is opened as if it had been dropped on the window.

#![allow(unsafe_code, reason = "Apple's events reach a program through Objective-C alone")]

use std::{path::PathBuf, sync::Mutex};

use eframe::egui;
use objc2::{
    MainThreadMarker, MainThreadOnly, define_class, msg_send,
    rc::Retained,
    runtime::{AnyObject, NSObject},
    sel,
};
use objc2_app_kit::NSApplicationWillFinishLaunchingNotification;
use objc2_foundation::{NSAppleEventDescriptor, NSAppleEventManager, NSNotification, NSNotificationCenter};

/// `kCoreEventClass`, `kAEOpenDocuments` and `keyDirectObject` of Apple's AppleEvents.h.
const CORE_EVENTS: u32 = u32::from_be_bytes(*b"aevt");
const OPEN_DOCUMENTS: u32 = u32::from_be_bytes(*b"odoc");
const DIRECT_OBJECT: u32 = u32::from_be_bytes(*b"----");

static WAITING: Mutex<Waiting> = Mutex::new(Waiting { files: Vec::new(), window: None });

struct Waiting {
    files: Vec<PathBuf>,
    /// What is woken when more come.
    window: Option<egui::Context>,
}

/// What has come since the last call, for this window, which is woken from now on.
pub fn take(window: &egui::Context) -> Vec<PathBuf> {
    let Ok(mut waiting) = WAITING.lock() else { return Vec::new() };
    waiting.window = Some(window.clone());
    std::mem::take(&mut waiting.files)
}

fn hand_over(files: Vec<PathBuf>) {
    let Ok(mut waiting) = WAITING.lock() else { return };
    waiting.files.extend(files);
    if let Some(window) = &waiting.window {
        window.request_repaint();
    }
}

define_class!(
    // SAFETY: NSObject asks nothing of its subclasses, and this one has no fields and no Drop.
    #[unsafe(super(NSObject))]
    #[thread_kind = MainThreadOnly]
    struct Listener;

    impl Listener {
        /// Not before: AppKit sets its own handlers on its way here, and those say that no file can be opened.
        #[unsafe(method(applicationWillFinishLaunching:))]
        fn will_finish_launching(&self, _: &NSNotification) {
            let handler: &AnyObject = self;
            // SAFETY: the four arguments are those of Apple's declaration; the selector is this class's, takes the two
            // descriptors that such a handler is given, and the handler lives as long as the process.
            let () = unsafe {
                msg_send![
                    &NSAppleEventManager::sharedAppleEventManager(),
                    setEventHandler: handler,
                    andSelector: sel!(open:reply:),
                    forEventClass: CORE_EVENTS,
                    andEventID: OPEN_DOCUMENTS,
                ]
            };
        }

        #[unsafe(method(open:reply:))]
        fn open(&self, event: &NSAppleEventDescriptor, _: &NSAppleEventDescriptor) {
            hand_over(files_of(event));
        }
    }
);

fn files_of(event: &NSAppleEventDescriptor) -> Vec<PathBuf> {
    // SAFETY: the method takes a four-character code and gives a descriptor or nothing, as Apple declares it.
    let list: Option<Retained<NSAppleEventDescriptor>> =
        unsafe { msg_send![event, paramDescriptorForKeyword: DIRECT_OBJECT] };
    let Some(list) = list else { return Vec::new() };
    // Such lists count from one.
    let files = (1..=list.numberOfItems()).filter_map(|index| list.descriptorAtIndex(index)?.fileURLValue()?.path());
    files.map(|path| PathBuf::from(path.to_string())).collect()
}

/// Listens from now on. Only on the main thread, where windows are opened; elsewhere nothing happens.
pub fn listen() {
    let Some(main_thread) = MainThreadMarker::new() else { return };
    let listener = Listener::alloc(main_thread).set_ivars(());
    // SAFETY: the method of NSObject that makes a new object whole.
    let listener: Retained<Listener> = unsafe { msg_send![super(listener), init] };
    // SAFETY: the selector is the listener's, takes a notification, and the listener is never released.
    unsafe {
        NSNotificationCenter::defaultCenter().addObserver_selector_name_object(
            &listener,
            sel!(applicationWillFinishLaunching:),
            Some(NSApplicationWillFinishLaunchingNotification),
            None,
        );
    }
    std::mem::forget(listener);
}
