//! Finds the programs that the steps run, and installs from Debian's packages what is missing.

use std::ffi::OsStr;
use std::path::PathBuf;
use std::sync::OnceLock;
use std::time::Duration;

use anyhow::Result;

use crate::command::Run;
use crate::parts::missing;
use crate::places;

/// The program's full path, where PATH has it.
pub fn find(program: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|folder| folder.join(program)).find(|file| file.is_file())
}

/// `program` from PATH; where it isn't, from `packages`, installed now.
///
/// # Errors
/// `Missing`, naming the packages, where they cannot be installed.
pub fn need(program: &str, packages: &[&str]) -> Result<PathBuf> {
    if let Some(found) = find(program) {
        return Ok(found);
    }
    install(packages)?;
    match find(program) {
        Some(found) => Ok(found),
        None => missing(format!("{program} is not there even with {}", packages.join(" "))),
    }
}

/// Installs Debian packages that are not installed yet; `present` tells whether they are needed.
///
/// # Errors
/// `Missing`, naming the packages, where that is not possible.
pub fn install(packages: &[&str]) -> Result<()> {
    if packages.iter().all(|package| installed_version(package).is_some()) {
        return Ok(());
    }
    let list = packages.join(" ");
    let Some(apt) = Apt::usual() else {
        return missing(format!(
            "needs the packages {list} (as Debian names them), and this user cannot run apt-get"
        ));
    };
    apt.refresh_once();
    if !apt.install(packages, None) {
        return missing(format!("apt-get could not install {list}"));
    }
    Ok(())
}

/// `qemu-system-arm`. Where a newer qemu-utils is installed than the distribution's own, the
/// plain package collides with it, and both have to come from the backports.
pub fn need_qemu_arm() -> Result<PathBuf> {
    const PACKAGE: &str = "qemu-system-arm";
    if let Some(found) = find(PACKAGE) {
        return Ok(found);
    }
    let (Some(utils), Some(usual)) = (installed_version("qemu-utils"), Apt::usual()) else {
        return need(PACKAGE, &[PACKAGE]);
    };
    usual.refresh_once();
    if !newer(&utils, &candidate_version(PACKAGE).unwrap_or_default()) {
        return need(PACKAGE, &[PACKAGE]);
    }
    let backports = Apt::with_backports()?;
    backports.refresh();
    if !backports.install(&[PACKAGE], Some(&backports_suite()?)) {
        return missing(format!(
            "needs {PACKAGE} from the backports, as qemu-utils {utils} is installed"
        ));
    }
    need(PACKAGE, &[PACKAGE])
}

/// A component of the toolchain, such as clippy, which cargo runs by its name.
///
/// # Errors
/// `Missing` where it isn't there and rustup cannot add it.
pub fn need_component(component: &str) -> Result<()> {
    let works = || {
        let name = component.trim_start_matches("rust");
        Run::new("cargo").args([name, "--version"]).succeeds()
    };
    if works() {
        return Ok(());
    }
    let add = Run::new("rustup").args(["component", "add", component]);
    if find("rustup").is_some() && add.limit(Duration::from_secs(300)).run().is_ok() && works() {
        return Ok(());
    }
    missing(format!("needs {component} (`rustup component add {component}`)"))
}

/// The C compiler: what CC names, else gcc.
pub fn c_compiler() -> Result<PathBuf> {
    compiler("CC", "gcc")
}

/// The C++ compiler: what CXX names, else g++.
pub fn cpp_compiler() -> Result<PathBuf> {
    compiler("CXX", "g++")
}

fn compiler(variable: &str, usual: &str) -> Result<PathBuf> {
    match std::env::var_os(variable).filter(|name| !name.is_empty()) {
        Some(chosen) => Ok(chosen.into()),
        None => need(usual, &[usual]),
    }
}

/// apt-get with the sources to use and, for those who need it, sudo in front.
struct Apt {
    sudo: bool,
    sources: Option<PathBuf>,
}

impl Apt {
    /// apt-get as this user may run it; none where it asks for a password or isn't there.
    fn usual() -> Option<Self> {
        find("apt-get")?;
        let is_root = Run::new("id").arg("-u").output().is_ok_and(|id| id.trim() == "0");
        let sudo = !is_root;
        (is_root || Run::new("sudo").args(["-n", "true"]).succeeds())
            .then_some(Self { sudo, sources: None })
    }

    /// The usual sources and the same mirrors' backports beside them, in a folder of our own.
    fn with_backports() -> Result<Self> {
        let Some(usual) = Self::usual() else {
            return missing("needs apt-get and the rights to run it");
        };
        let folder = places::work("xtask/apt-sources")?;
        let suite = backports_suite()?;
        let codename = suite.trim_end_matches("-backports");
        for entry in std::fs::read_dir("/etc/apt/sources.list.d")?.flatten() {
            let path = entry.path();
            let extension = path.extension().and_then(OsStr::to_str);
            if !matches!(extension, Some("list" | "sources")) {
                continue;
            }
            let text = std::fs::read_to_string(&path)?;
            std::fs::write(folder.join(entry.file_name()), &text)?;
            if let Some(added) = backported(&text, codename) {
                let name = format!("backports-{}", entry.file_name().to_string_lossy());
                std::fs::write(folder.join(name), added)?;
            }
        }
        let main = std::fs::read_to_string("/etc/apt/sources.list").unwrap_or_default();
        if let Some(added) = backported(&main, codename) {
            std::fs::write(folder.join("backports-main.list"), added)?;
        }
        Ok(Self { sources: Some(folder), ..usual })
    }

    fn command(&self, action: &str) -> Run {
        let run = if self.sudo {
            // sudo drops the environment: it is said again behind it.
            Run::new("sudo").args(["-n", "DEBIAN_FRONTEND=noninteractive", "apt-get"])
        } else {
            Run::new("apt-get").env("DEBIAN_FRONTEND", "noninteractive")
        };
        let run = run.args([action, "-q", "-o", "DPkg::Lock::Timeout=300"]);
        match &self.sources {
            Some(folder) => run
                .arg("-o")
                .arg(format!("Dir::Etc::sourceparts={}", folder.display()))
                .args(["-o", "APT::Get::List-Cleanup=0"]),
            None => run,
        }
        .limit(Duration::from_secs(600))
    }

    /// Brings the package lists up to date. That may fail in part, for a source that has gone:
    /// whether it was enough shows when something is installed.
    fn refresh(&self) {
        in_few_words(self.command("update"));
    }

    /// The same, once in this process.
    fn refresh_once(&self) {
        static REFRESHED: OnceLock<()> = OnceLock::new();
        REFRESHED.get_or_init(|| self.refresh());
    }

    /// Installs without ever removing what is there.
    fn install(&self, packages: &[&str], suite: Option<&str>) -> bool {
        let run = self.command("install").args(["-y", "--no-install-recommends", "--no-remove"]);
        let run = match suite {
            Some(suite) => run.args(["-t", suite]),
            None => run,
        };
        in_few_words(run.args(packages))
    }
}

/// Runs it with its output shown only where it fails. Whether it succeeded.
fn in_few_words(run: Run) -> bool {
    println!("$ {}", run.line());
    match run.quietly() {
        Ok(()) => true,
        Err(error) => {
            println!("{error:#}");
            false
        }
    }
}

/// The sources in `text` that serve the suite `codename`, with its backports in place of it.
fn backported(text: &str, codename: &str) -> Option<String> {
    let mut out = String::new();
    // A stanza of a .sources file ends at an empty line; each line of a .list file is its own.
    for stanza in text.split("\n\n") {
        let mut found = false;
        let mut lines = String::new();
        for line in stanza.lines() {
            if line.trim_start().starts_with('#') {
                continue;
            }
            let words: Vec<_> = line.split_whitespace().collect();
            if words.first() == Some(&"Suites:") && words.contains(&codename) {
                found = true;
                lines.push_str(&format!("Suites: {codename}-backports\n"));
            } else if words.first() == Some(&"deb") {
                if words.contains(&codename) {
                    found = true;
                    let swapped = format!(" {codename}-backports ");
                    lines.push_str(&line.replacen(&format!(" {codename} "), &swapped, 1));
                    lines.push('\n');
                }
            } else {
                lines.push_str(line);
                lines.push('\n');
            }
        }
        if found {
            out.push_str(&lines);
            out.push('\n');
        }
    }
    (!out.is_empty()).then_some(out)
}

/// `bookworm-backports` and the like.
fn backports_suite() -> Result<String> {
    let release = std::fs::read_to_string("/etc/os-release").unwrap_or_default();
    let codename = release.lines().find_map(|line| line.strip_prefix("VERSION_CODENAME="));
    match codename {
        Some(codename) => Ok(format!("{}-backports", codename.trim_matches('"'))),
        None => missing("needs a Debian release with backports"),
    }
}

/// The installed version of a Debian package.
fn installed_version(package: &str) -> Option<String> {
    let end = Run::new("dpkg-query")
        .args(["-W", "-f", "${db:Status-Status} ${Version}", package])
        .captured()
        .ok()
        .filter(|end| end.status.success())?;
    end.text.strip_prefix("installed ").map(str::to_owned)
}

/// The version that apt-get would install.
fn candidate_version(package: &str) -> Option<String> {
    let text = Run::new("apt-cache").args(["policy", package]).output().ok()?;
    let line = text.lines().find_map(|line| line.trim().strip_prefix("Candidate: "))?;
    Some(line.to_owned())
}

/// Whether the Debian version `a` is newer than `b`.
fn newer(a: &str, b: &str) -> bool {
    Run::new("dpkg").args(["--compare-versions", a, "gt", b]).succeeds()
}

#[cfg(test)]
mod tests {
    use super::backported;

    #[test]
    fn a_stanza_of_the_release_gets_its_backports() {
        let text = "Types: deb\n# old\nURIs: http://a\nSuites: bookworm bookworm-updates\n\n\
                    Types: deb\nURIs: http://b\nSuites: bookworm-security\n";
        let added = "Types: deb\nURIs: http://a\nSuites: bookworm-backports\n\n";
        assert_eq!(backported(text, "bookworm").as_deref(), Some(added));
    }

    #[test]
    fn a_line_of_the_release_gets_its_backports() {
        let text = "deb http://a bookworm main\ndeb http://a bookworm-updates main\n";
        let added = "deb http://a bookworm-backports main\n\n";
        assert_eq!(backported(text, "bookworm").as_deref(), Some(added));
    }
}
