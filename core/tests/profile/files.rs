//! Files: round trips, what is refused, and that no crash or full disk leaves half a file.

use std::fs;
use std::io::{Cursor, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use xtimer_core::profile::{FileError, Gathered, Profile, Records, Reduced, Source};

use crate::bytes::{path as vector_path, vector};

/// A folder that goes with the test.
pub struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path =
            std::env::temp_dir().join(format!("xtimer-profile-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        fs::create_dir(&path).unwrap();
        Self(path)
    }

    fn file(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    /// The names of what lies in it.
    fn names(&self) -> Vec<String> {
        let mut names: Vec<String> = fs::read_dir(&self.0)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// A profile of that many samples: two bytes each.
fn large(samples: usize, time: u64) -> Profile {
    let durations = vec![time; samples];
    let step = Records { path: &["step"], category: "gpu", durations: &durations, starts: &[] };
    Profile::from_records(Source::default(), &[step])
}

#[test]
fn all_three_kinds_of_file() {
    let folder = Folder::new("kinds");
    let profile = Profile::load(vector_path("full.xtp")).unwrap();
    let gathered = Gathered::load(vector_path("ranks.xtp")).unwrap();
    let reduced = Reduced::load(vector_path("reduced.xtp")).unwrap();
    for name in ["p.xtp", "g.xtp", "r.xtp"] {
        fs::write(folder.file(name), "the old one").unwrap();
    }
    profile.save(folder.file("p.xtp")).unwrap();
    gathered.save(folder.file("g.xtp")).unwrap();
    reduced.save(folder.file("r.xtp")).unwrap();
    assert_eq!(fs::read(folder.file("p.xtp")).unwrap(), vector("full.xtp"));
    assert_eq!(fs::read(folder.file("g.xtp")).unwrap(), vector("ranks.xtp"));
    assert_eq!(fs::read(folder.file("r.xtp")).unwrap(), vector("reduced.xtp"));
    assert_eq!(folder.names(), ["g.xtp", "p.xtp", "r.xtp"]);
}

#[test]
fn streams() {
    let profile = Profile::load(vector_path("full.xtp")).unwrap();
    let mut bytes = Vec::new();
    for _ in 0..3 {
        profile.write_to(&mut bytes).unwrap();
    }
    // One is read at a time, and what is behind it stays.
    let mut stream = Cursor::new(&bytes);
    for _ in 0..3 {
        assert_eq!(Profile::read_from(&mut stream).unwrap(), profile);
    }
    let end = Profile::read_from(&mut stream).unwrap_err();
    assert_eq!(
        end.to_string(),
        "the stream, at byte 0: it ends before the 16 bytes of a profile's header"
    );
    let cut = Profile::read_from(&bytes[..100]).unwrap_err();
    assert_eq!(
        cut.to_string(),
        format!(
            "the stream, at byte 8: the header tells {} bytes, but there are 100",
            bytes.len() / 3
        )
    );
    let gathered = Gathered::read_from(Cursor::new(vector("ranks.xtp"))).unwrap();
    let mut again = Vec::new();
    gathered.write_to(&mut again).unwrap();
    assert_eq!(again, vector("ranks.xtp"));
    let twice = Gathered::read_from(Cursor::new(vector("full.xtp").repeat(2))).unwrap_err();
    assert!(twice.to_string().starts_with("the stream: Two profiles are of rank 4294967295"));
}

/// Takes so many bytes, then refuses.
struct Full(usize);

impl Write for Full {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        let taken = bytes.len().min(self.0);
        self.0 -= taken;
        if taken == 0 { Err(std::io::ErrorKind::StorageFull.into()) } else { Ok(taken) }
    }
    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[test]
fn errors_name_the_file_and_the_offset() {
    let folder = Folder::new("errors");
    let missing = folder.file("missing.xtp");
    let error = Profile::load(&missing).unwrap_err();
    assert!(error.to_string().starts_with(&format!("cannot open '{}': ", missing.display())));
    assert_eq!(error.path(), Some(missing.as_path()));

    let damaged = folder.file("damaged.xtp");
    let mut bytes = vector("full.xtp");
    bytes[60] ^= 4;
    fs::write(&damaged, &bytes).unwrap();
    let sentence = Profile::load(&damaged).unwrap_err().to_string();
    let at = bytes.len() - 4;
    assert!(
        sentence.starts_with(&format!("'{}', at byte {at}: the checksum is", damaged.display()))
    );

    let stream = large(100, 1).write_to(Full(50)).unwrap_err();
    assert!(stream.to_string().starts_with("cannot write to the stream: "), "{stream}");
    for nowhere in [folder.0.clone(), folder.file("none").join("p.xtp"), PathBuf::new()] {
        let error = large(1, 1).save(&nowhere).unwrap_err();
        assert!(error.to_string().contains(&format!("'{}'", nowhere.display())), "{error}");
    }
    assert_eq!(folder.names(), ["damaged.xtp"]);
}

#[cfg(unix)]
#[test]
fn links_permissions_and_devices_stay() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let folder = Folder::new("links");
    let (file, link) = (folder.file("file.xtp"), folder.file("link.xtp"));
    fs::write(&file, "old").unwrap();
    fs::set_permissions(&file, fs::Permissions::from_mode(0o640)).unwrap();
    symlink("file.xtp", &link).unwrap();
    large(1, 1).save(&link).unwrap();
    assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    assert_eq!(Profile::load(&file).unwrap(), large(1, 1));
    assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o640);
    large(5, 1).save("/dev/null").unwrap();
    let long = folder.file(&"n".repeat(255));
    large(1, 1).save(&long).unwrap();
    assert_eq!(Profile::load(&long).unwrap(), large(1, 1));
    assert_eq!(folder.names().len(), 3);
}

/// Runs this test's program as another process which runs one ignored test.
fn child(test: &str, path: &Path) -> Command {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", &format!("files::{test}"), "--ignored"]);
    command.env("XTIMER_PROFILE_TEST_PATH", path).stdout(Stdio::null()).stderr(Stdio::null());
    command
}

/// What the child saves by turns.
fn by_turns() -> [Profile; 2] {
    [large(8_000, 1), large(12_000, 2)]
}

#[test]
#[ignore = "a process that the test below kills"]
fn saves_for_ever() {
    let path = std::env::var_os("XTIMER_PROFILE_TEST_PATH").unwrap();
    for profile in by_turns().iter().rev().cycle() {
        profile.save(&path).unwrap();
    }
}

#[cfg(unix)]
#[test]
fn killed_at_any_moment_the_old_or_the_new_file_is_whole() {
    let kills: u32 =
        std::env::var("XTIMER_PROFILE_KILLS").ok().and_then(|text| text.parse().ok()).unwrap_or(40);
    let folder = Folder::new("killed");
    let path = folder.file("p.xtp");
    let both = by_turns();
    both[0].save(&path).unwrap();
    let (mut seen, mut halves) = ([0; 2], 0);
    for number in 0..kills {
        let mut saving = child("saves_for_ever", &path).spawn().unwrap();
        // From the first save on, at moments spread over some; no outcome depends on which.
        while folder.names().len() == 1 && saving.try_wait().unwrap().is_none() {
            std::thread::yield_now();
        }
        let moment = u64::from(number) * 7_919 % 40_000;
        std::thread::sleep(std::time::Duration::from_micros(moment));
        assert!(saving.try_wait().unwrap().is_none(), "the child ended by itself");
        saving.kill().unwrap(); // SIGKILL
        saving.wait().unwrap();
        let found = Profile::load(&path).unwrap();
        let place = both.iter().position(|profile| *profile == found);
        seen[place.expect("another profile than those saved")] += 1;
        for left in folder.names().iter().filter(|name| *name != "p.xtp") {
            assert!(left.starts_with("p.xtp.") && left.ends_with(".part"), "{left}");
            fs::remove_file(folder.file(left)).unwrap();
            halves += 1;
        }
    }
    eprintln!(
        "{kills} kills: {seen:?} of the two profiles found, {halves} unfinished files beside"
    );
    assert!(kills < 40 || halves > 0, "no kill came in the middle of a save");
    assert!(kills < 40 || seen.iter().all(|&times| times > 0), "no save was ever finished");
}

fn is_root() -> bool {
    // SAFETY: no preconditions.
    unsafe { libc::geteuid() == 0 }
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_keeps_the_old_file() {
    let folder = Folder::new("full");
    let mounted = is_root()
        && Command::new("mount")
            .args(["-t", "tmpfs", "-o", "size=256k", "tmpfs"])
            .arg(&folder.0)
            .stderr(Stdio::null())
            .status()
            .is_ok_and(|status| status.success());
    if !mounted {
        assert!(std::env::var_os("CI").is_none(), "CI can't mount a small tmpfs");
        eprintln!("skipped: a small tmpfs can't be mounted; run the test as root");
        return;
    }
    let unmount = Unmount(folder.0.clone());
    let path = folder.file("p.xtp");
    large(40_000, 1).save(&path).unwrap();
    let error = large(100_000, 2).save(&path).unwrap_err();
    let FileError::Io { action: "write", error: cause, .. } = &error else { panic!("{error}") };
    assert_eq!(cause.kind(), std::io::ErrorKind::StorageFull);
    assert_eq!(Profile::load(&path).unwrap(), large(40_000, 1));
    assert_eq!(folder.names(), ["p.xtp"]);
    // What fits beside the old one goes on.
    large(50_000, 3).save(&path).unwrap();
    assert_eq!(Profile::load(&path).unwrap(), large(50_000, 3));
    drop(unmount);
}

#[cfg(target_os = "linux")]
struct Unmount(PathBuf);

#[cfg(target_os = "linux")]
impl Drop for Unmount {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg(&self.0).status();
    }
}

#[test]
#[ignore = "a process that the test below runs as another user"]
fn saves_where_it_may_not() {
    let path = std::env::var_os("XTIMER_PROFILE_TEST_PATH").unwrap();
    let error = large(1, 2).save(&path).unwrap_err().to_string();
    let expected = format!("cannot create a file beside '{}': ", Path::new(&path).display());
    assert!(error.starts_with(&expected), "{error}");
}

#[cfg(unix)]
#[test]
fn a_read_only_folder_keeps_the_old_file() {
    use std::os::unix::fs::PermissionsExt;
    use std::os::unix::process::CommandExt;
    let folder = Folder::new("read-only");
    let path = folder.file("p.xtp");
    large(1, 1).save(&path).unwrap();
    // Anyone may write the file, nobody may make another one.
    fs::set_permissions(&path, fs::Permissions::from_mode(0o666)).unwrap();
    fs::set_permissions(&folder.0, fs::Permissions::from_mode(0o555)).unwrap();
    let status = if is_root() {
        // Root may do all, so another user tries; who must be able to reach the program.
        let program = std::env::temp_dir().join(format!("xtimer-profile-{}", std::process::id()));
        fs::copy(std::env::current_exe().unwrap(), &program).unwrap();
        let mut command = Command::new(&program);
        command.args(["--exact", "files::saves_where_it_may_not", "--ignored"]);
        command.env("XTIMER_PROFILE_TEST_PATH", &path).current_dir("/").uid(65_534).gid(65_534);
        let status = command.status();
        fs::remove_file(&program).unwrap();
        status
    } else {
        child("saves_where_it_may_not", &path).status()
    };
    assert!(status.unwrap().success());
    assert_eq!(Profile::load(&path).unwrap(), large(1, 1));
    assert_eq!(folder.names(), ["p.xtp"]);
}
