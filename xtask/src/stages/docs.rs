//! Stage `docs`: rustdoc has no warning; documents show commands that exist and links that lead
//! somewhere.

use anyhow::{Result, bail};

use crate::command::cargo;
use crate::line;
use crate::markdown::{self, destination};
use crate::parts::Parts;
use crate::places;
use crate::report::Stage;

pub const STAGE: Stage =
    Stage { name: "docs", about: "rustdoc, the commands and links in the documents", run };

fn run(parts: &mut Parts) {
    parts.part("rustdoc", || {
        cargo(["doc", "--workspace", "--no-deps"]).env("RUSTDOCFLAGS", "-D warnings").run()
    });
    parts.part("commands", commands);
    parts.part("links", links);
}

/// Each `cargo xtask` command in a document is one that the command line understands.
fn commands() -> Result<()> {
    let mut count = 0;
    for document in markdown::documents()? {
        for command in document.commands() {
            // `...`, `DIR`, `[stage]` stand for something: only the command before is checked.
            let is_word = |word: &&str| !word.starts_with(['[', '.', '<']);
            let words: Vec<_> = command.split_whitespace().take_while(is_word).collect();
            if let Err(error) = line::understands(&words) {
                let path = places::shown(&document.path);
                bail!("{path} shows `cargo xtask {command}`: {error}");
            }
            count += 1;
        }
    }
    println!("{count} commands");
    Ok(())
}

/// Each relative link leads to a file, and its anchor to a heading.
fn links() -> Result<()> {
    let documents = markdown::documents()?;
    let mut count = 0;
    for document in &documents {
        for link in document.links() {
            let Some((target, anchor)) = destination(&document.path, link) else {
                continue;
            };
            let path = places::shown(&document.path);
            let Ok(target) = target.canonicalize() else {
                bail!("{path} links to {link}, which is not there");
            };
            let known = documents.iter().find(|other| other.path == target);
            if let (Some(anchor), Some(other)) = (anchor, known)
                && !other.anchors().contains(&anchor)
            {
                bail!("{path} links to {link}, which has no such heading");
            }
            count += 1;
        }
    }
    println!("{count} relative links");
    Ok(())
}
