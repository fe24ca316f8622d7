//! Starts the children, ends them, and looks at what they left.

use std::io::{BufRead, BufReader};
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};

/// A folder of its own, gone at the end.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let folder = std::env::temp_dir().join(format!("xtimer-{}-{name}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        Self(folder)
    }
    fn read(&self, name: &str) -> String {
        let path = self.0.join(name);
        std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path:?}: {error}"))
    }
    fn names(&self) -> Vec<String> {
        let entries = std::fs::read_dir(&self.0).unwrap();
        let mut names: Vec<_> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn command(role: &str, report: &str, folder: &Path) -> Command {
    let mut command = Command::new(std::env::current_exe().unwrap());
    for name in ["XTIMER_DISABLE", "XTIMER_REPORT_EVERY", "OMPI_COMM_WORLD_RANK", "PMIX_RANK"] {
        command.env_remove(name);
    }
    command.env("XTIMER_TEST_ROLE", role).env("XTIMER_REPORT", report).current_dir(folder);
    command.env("RUST_BACKTRACE", "0");
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// Runs to its end: status, standard output and error.
fn run(command: &mut Command) -> (ExitStatus, String, String) {
    let output = command.output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
    (output.status, text(&output.stdout), text(&output.stderr))
}

/// Starts it, and waits until it says that it is ready.
fn ready(command: &mut Command) -> Child {
    let mut child = command.spawn().unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
    assert_eq!(line, "ready\n");
    child
}

fn kill(child: &mut Child, signal: libc::c_int) -> ExitStatus {
    // SAFETY: the child was not waited for, so the number is still its own.
    assert_eq!(unsafe { libc::kill(child.id() as i32, signal) }, 0);
    child.wait().unwrap()
}

/// The row of a section in a JSON: its count, and how often it is open.
fn row(json: &str, path: &[&str]) -> Option<(u64, u64)> {
    let profile: serde_json::Value = serde_json::from_str(json).unwrap();
    let rows = profile["sections"].as_array().unwrap();
    let found = rows.iter().find(|row| row["path"] == serde_json::json!(path))?;
    Some((found["count"].as_u64().unwrap(), found["open"].as_u64().unwrap()))
}

fn ends_in_order() {
    let folder = Folder::new("order");
    for (role, code) in [("returns", 0), ("exits", 7), ("panics", 101), ("goes elsewhere", 0)] {
        let (status, _, _) = run(&mut command(role, "report.json", &folder.0));
        assert_eq!(status.code(), Some(code), "{role}");
        let json = folder.read("report.json");
        assert!(json.ends_with("}\n"));
        assert_eq!(row(&json, &["step"]), Some((3, 0)), "{role}");
        assert_eq!(row(&json, &["step", "load"]), Some((3, 0)), "{role}");
        assert_eq!(folder.names(), ["report.json"], "nothing else is left");
        std::fs::remove_file(folder.0.join("report.json")).unwrap();
    }
}

fn text_goes_to_files_and_standard_error() {
    let folder = Folder::new("text");
    let (_, out, error) = run(&mut command("returns", "-", &folder.0));
    assert_eq!(out, "");
    assert!(error.starts_with("section ") && error.contains("\nstep"), "{error}");
    run(&mut command("returns", "report.txt", &folder.0));
    let times = |text: &str| {
        text.lines().map(|line| line.split("  ").next().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(times(&folder.read("report.txt"))[..3], times(&error)[..3]);
    // In place where it is no plain file.
    let (status, out, error) = run(&mut command("returns", "/dev/stdout", &folder.0));
    assert!(status.success() && out.starts_with("section ") && error.is_empty(), "{out}{error}");
}

fn killed_in_the_middle_of_a_step() {
    let folder = Folder::new("killed");
    for signal in [libc::SIGTERM, libc::SIGINT, libc::SIGHUP] {
        let mut child = ready(&mut command("waits in a step", "report.json", &folder.0));
        assert_eq!(kill(&mut child, signal).signal(), Some(signal));
        let json = folder.read("report.json");
        assert_eq!(row(&json, &["step"]), Some((3, 1)), "closed three times, and open");
        assert_eq!(folder.names(), ["report.json"]);
        std::fs::remove_file(folder.0.join("report.json")).unwrap();
    }
    let (status, _, _) = run(&mut command("aborts", "report.json", &folder.0));
    assert_eq!(status.signal(), Some(libc::SIGABRT));
    assert_eq!(row(&folder.read("report.json"), &["step"]), Some((3, 0)));
}

fn the_programs_own_handler_is_left_alone() {
    let folder = Folder::new("own");
    let mut child = ready(&mut command("handles SIGTERM itself", "report.json", &folder.0));
    assert_eq!(kill(&mut child, libc::SIGTERM).code(), Some(42));
    assert!(folder.names().is_empty(), "_exit runs nothing");
}

fn a_path_that_cannot_be_written_is_one_sentence() {
    let folder = Folder::new("cannot");
    std::fs::create_dir(folder.0.join("folder")).unwrap();
    for (report, why) in
        [("missing/report.json", "there is no such folder"), ("folder", "it is a folder")]
    {
        let (status, _, error) = run(&mut command("exits", report, &folder.0));
        assert_eq!(status.code(), Some(7));
        assert_eq!(error.lines().count(), 1, "{error}");
        assert!(error.contains(why) && error.contains(report), "{error}");
        let mut child = ready(&mut command("waits in a step", report, &folder.0));
        assert_eq!(kill(&mut child, libc::SIGTERM).signal(), Some(libc::SIGTERM));
    }
    assert_eq!(folder.names(), ["folder"]);
}

fn each_rank_and_process_has_its_own() {
    let folder = Folder::new("ranks");
    for rank in ["0", "1"] {
        run(command("returns", "rank-%r.json", &folder.0).env("OMPI_COMM_WORLD_RANK", rank));
    }
    assert_eq!(folder.names(), ["rank-0.json", "rank-1.json"]);
    // The child of a fork leaves its parent's report alone, unless it has one of its own.
    let (status, _, _) = run(&mut command("forks", "one.json", &folder.0));
    assert!(status.success());
    assert_eq!(row(&folder.read("one.json"), &["step"]), Some((3, 0)));
    let folder = Folder::new("processes");
    let (_, child, _) = run(&mut command("forks", "%p.json", &folder.0));
    assert_eq!(folder.names().len(), 2);
    let json = folder.read(&format!("{}.json", child.trim()));
    assert_eq!(row(&json, &["in the child"]), Some((1, 0)));
    assert_eq!(row(&json, &["step"]), None);
}

fn so_often_as_well() {
    let folder = Folder::new("often");
    let mut child =
        ready(command("goes on", "report.json", &folder.0).env("XTIMER_REPORT_EVERY", "0.1"));
    let path = folder.0.join("report.json");
    // However long that takes: it runs until it has written, twice.
    for _ in 0..2 {
        while !path.exists() {
            assert!(child.try_wait().unwrap().is_none(), "it ended");
            std::thread::yield_now();
        }
        assert_eq!(row(&folder.read("report.json"), &["step"]), Some((3, 0)));
        std::fs::remove_file(&path).unwrap();
    }
    drop(child.stdin.take());
    assert!(child.wait().unwrap().success());
    assert_eq!(row(&folder.read("report.json"), &["step"]), Some((3, 0)));
}

fn switched_off() {
    let folder = Folder::new("off");
    let (status, _, error) =
        run(command("is switched off", "report.txt", &folder.0).env("XTIMER_DISABLE", "1"));
    assert!(status.success(), "{error}");
    assert_eq!(folder.read("report.txt"), "xtimer: nothing was recorded\n");
}

fn wrong_values_are_named_once_and_timing_goes_on() {
    let folder = Folder::new("wrong");
    let (status, _, error) = run(command("returns", "report.json", &folder.0)
        .env("XTIMER_DISABLE", "perhaps")
        .env("XTIMER_REPORT_EVERY", "never"));
    assert!(status.success());
    assert_eq!(error.lines().count(), 2, "{error}");
    assert!(error.contains("\"perhaps\"") && error.contains("\"never\""), "{error}");
    assert_eq!(row(&folder.read("report.json"), &["step"]), Some((3, 0)));
}

pub fn check_all() {
    let checks: &[(&str, fn())] = &[
        ("ends in order", ends_in_order),
        ("text goes to files and standard error", text_goes_to_files_and_standard_error),
        ("killed in the middle of a step", killed_in_the_middle_of_a_step),
        ("the program's own handler is left alone", the_programs_own_handler_is_left_alone),
        (
            "a path that cannot be written is one sentence",
            a_path_that_cannot_be_written_is_one_sentence,
        ),
        ("each rank and process has its own", each_rank_and_process_has_its_own),
        ("so often as well", so_often_as_well),
        ("switched off", switched_off),
        ("wrong values are named once", wrong_values_are_named_once_and_timing_goes_on),
    ];
    for (name, check) in checks {
        check();
        println!("test {name} ... ok");
    }
    println!("\ntest result: ok. {} passed; 0 failed", checks.len());
}
