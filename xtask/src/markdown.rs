//! Reads the documents: the commands that they show, the links between them.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use crate::places;

/// A Markdown file of the repository.
pub struct Document {
    pub path: PathBuf,
    text: String,
}

/// All Markdown files that the repository holds, without those under ignored folders.
pub fn documents() -> Result<Vec<Document>> {
    let mut documents = Vec::new();
    let mut folders = vec![places::root().to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder)?.flatten() {
            let (path, name) = (entry.path(), entry.file_name());
            let name = name.to_string_lossy();
            if entry.file_type()?.is_dir() {
                if !name.starts_with('.') && name != "target" && name != "node_modules" {
                    folders.push(path);
                }
            } else if name.ends_with(".md") {
                let text = std::fs::read_to_string(&path)
                    .with_context(|| format!("cannot read {}", places::shown(&path)))?;
                documents.push(Document { path, text });
            }
        }
    }
    documents.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(documents)
}

impl Document {
    /// The `cargo xtask` commands in fenced blocks and in code spans, without those two words.
    pub fn commands(&self) -> Vec<String> {
        let mut commands = Vec::new();
        for (line, is_code) in self.lines() {
            if is_code {
                commands
                    .extend(line.trim_start_matches("$ ").strip_prefix("cargo xtask ").map(cut));
            } else {
                let spans = line.split('`').skip(1).step_by(2);
                commands
                    .extend(spans.filter_map(|span| span.strip_prefix("cargo xtask ").map(cut)));
            }
        }
        commands
    }

    /// The fenced blocks in a language, each with the number of its first line.
    pub fn blocks(&self, language: &str) -> Vec<(usize, String)> {
        let mut blocks = Vec::new();
        let mut block: Option<(usize, String)> = None;
        for (number, line) in (1..).zip(self.text.lines()) {
            match (&mut block, line.trim_start().strip_prefix("```")) {
                (None, Some(found)) => block = Some((number + 1, found.trim().to_owned() + "\n")),
                (Some(_), Some(_)) => blocks.extend(block.take()),
                (Some((_, text)), None) => {
                    text.push_str(line);
                    text.push('\n');
                }
                (None, None) => {}
            }
        }
        let opening = format!("{language}\n");
        blocks
            .into_iter()
            .filter_map(|(number, text)| Some((number, text.strip_prefix(&opening)?.to_owned())))
            .collect()
    }

    /// The targets of links and images outside of code.
    pub fn links(&self) -> Vec<&str> {
        let mut links = Vec::new();
        for (line, is_code) in self.lines() {
            let mut in_code = is_code;
            for piece in line.split('`') {
                if !in_code {
                    let targets = piece.split("](").skip(1);
                    links.extend(targets.filter_map(|rest| rest.split([')', ' ']).next()));
                }
                in_code = is_code || !in_code;
            }
        }
        links
    }

    /// The anchors of the headings, as GitHub forms them.
    pub fn anchors(&self) -> Vec<String> {
        let headings = self.lines().filter(|(line, is_code)| !is_code && line.starts_with('#'));
        headings
            .map(|(line, _)| {
                let title = line.trim_start_matches('#').trim().to_lowercase();
                let kept = title.chars().filter(|c| c.is_alphanumeric() || " -_".contains(*c));
                kept.map(|c| if c == ' ' { '-' } else { c }).collect()
            })
            .collect()
    }

    /// Each line, and whether it lies in a fenced block.
    fn lines(&self) -> impl Iterator<Item = (&str, bool)> {
        let mut fenced = false;
        self.text.lines().map(move |line| {
            let is_fence = line.trim_start().starts_with("```");
            if is_fence {
                fenced = !fenced;
            }
            (line, fenced || is_fence)
        })
    }
}

/// Where a relative link leads: a file and the anchor behind `#`. None for other links.
pub fn destination(from: &Path, link: &str) -> Option<(PathBuf, Option<String>)> {
    if link.contains("://") || link.starts_with("mailto:") || link.is_empty() {
        return None;
    }
    let (file, anchor) =
        link.split_once('#').map_or((link, None), |(f, a)| (f, Some(a.to_owned())));
    let target = if file.is_empty() { from.to_path_buf() } else { from.parent()?.join(file) };
    Some((target, anchor))
}

/// A command without the comment behind it.
fn cut(command: &str) -> String {
    command.split(" #").next().unwrap_or_default().trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn document(text: &str) -> Document {
        Document { path: "/a/README.md".into(), text: text.to_owned() }
    }

    #[test]
    fn commands_come_from_blocks_and_spans() {
        let found = document(
            "Run `cargo xtask demo`.\n```sh\n$ cargo xtask test core # only that\nls\n```\n",
        );
        assert_eq!(found.commands(), ["demo", "test core"]);
    }

    #[test]
    fn blocks_are_those_of_their_language() {
        let found = document("a\n```cpp\nint x;\n\nint y;\n```\n```\nno\n```\n```cpp\nz\n```\n");
        assert_eq!(found.blocks("cpp"), [(3, "int x;\n\nint y;\n".into()), (11, "z\n".into())]);
        assert!(found.blocks("rust").is_empty());
    }

    #[test]
    fn links_inside_code_are_none() {
        let found = document("[a](b.md) `[c](d)` ![e](f.png \"g\")\n```\n[h](i)\n```\n");
        assert_eq!(found.links(), ["b.md", "f.png"]);
    }

    #[test]
    fn anchors_are_formed_as_on_the_web() {
        assert_eq!(document("## Who writes what?\n").anchors(), ["who-writes-what"]);
    }

    #[test]
    fn only_relative_links_have_a_destination() {
        let from = Path::new("/a/README.md");
        assert_eq!(destination(from, "https://example.org"), None);
        assert_eq!(
            destination(from, "docs/b.md#c"),
            Some(("/a/docs/b.md".into(), Some("c".to_owned())))
        );
        assert_eq!(destination(from, "#c"), Some(("/a/README.md".into(), Some("c".to_owned()))));
    }
}
