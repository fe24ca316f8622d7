//! Paths of many profiles in one tree: each distinct path of names is one node.
//!
//! Nodes lie in one list and are walked without recursion, so no depth of nesting is too much.

use alloc::boxed::Box;
use alloc::collections::BTreeMap;
use alloc::vec::Vec;

use crate::profile::owned::Profile;

/// The node above the top.
pub(crate) const ROOT: u32 = 0;

#[derive(Clone, Debug)]
struct Node {
    parent: u32,
    name: Box<str>,
    by_name: BTreeMap<Box<str>, u32>,
    /// In order of first sight.
    children: Vec<u32>,
}

/// A tree of paths. A node's parent has a smaller number.
#[derive(Clone, Debug)]
pub(crate) struct PathTree {
    nodes: Vec<Node>,
}

impl PathTree {
    pub(crate) fn new() -> Self {
        let root =
            Node { parent: ROOT, name: "".into(), by_name: BTreeMap::new(), children: Vec::new() };
        Self { nodes: alloc::vec![root] }
    }

    /// How many nodes there are, the root among them.
    pub(crate) fn len(&self) -> usize {
        self.nodes.len()
    }

    /// The child of that name, made where there is none.
    pub(crate) fn child(&mut self, parent: u32, name: &str) -> u32 {
        if let Some(&node) = self.nodes[parent as usize].by_name.get(name) {
            return node;
        }
        let node = self.nodes.len() as u32;
        let above = &mut self.nodes[parent as usize];
        above.by_name.insert(name.into(), node);
        above.children.push(node);
        let (name, by_name, children) = (name.into(), BTreeMap::new(), Vec::new());
        self.nodes.push(Node { parent, name, by_name, children });
        node
    }

    /// The node of a path, made where there is none.
    pub(crate) fn place<'n>(&mut self, path: impl IntoIterator<Item = &'n str>) -> u32 {
        path.into_iter().fold(ROOT, |parent, name| self.child(parent, name))
    }

    /// The node of a path.
    pub(crate) fn find(&self, path: &[&str]) -> Option<u32> {
        path.iter()
            .try_fold(ROOT, |node, name| self.nodes[node as usize].by_name.get(*name).copied())
    }

    pub(crate) fn name(&self, node: u32) -> &str {
        &self.nodes[node as usize].name
    }

    pub(crate) fn parent(&self, node: u32) -> u32 {
        self.nodes[node as usize].parent
    }

    /// What is directly beneath a node, in order of first sight.
    pub(crate) fn children(&self, node: u32) -> &[u32] {
        &self.nodes[node as usize].children
    }

    /// The names to a node, outermost first.
    pub(crate) fn path(&self, mut node: u32) -> Vec<&str> {
        let mut names = Vec::new();
        while node != ROOT {
            names.push(self.name(node));
            node = self.parent(node);
        }
        names.reverse();
        names
    }

    /// The node of each of a profile's sections.
    pub(crate) fn place_all(&mut self, profile: &Profile) -> Vec<u32> {
        let mut places: Vec<u32> = Vec::with_capacity(profile.sections.len());
        for section in &profile.sections {
            let mut node = section.parent.map_or(ROOT, |parent| places[parent as usize]);
            for name in &section.names_above {
                node = self.child(node, name);
            }
            places.push(self.child(node, &section.name));
        }
        places
    }

    /// All nodes but the root, depth first: in order of first sight, or sorted by name.
    pub(crate) fn walk(&self, is_sorted: bool) -> Vec<u32> {
        let mut order = Vec::with_capacity(self.nodes.len());
        let mut waiting = alloc::vec![ROOT];
        while let Some(node) = waiting.pop() {
            let children = &self.nodes[node as usize];
            if is_sorted {
                waiting.extend(children.by_name.values().rev());
            } else {
                waiting.extend(children.children.iter().rev());
            }
            if node != ROOT {
                order.push(node);
            }
        }
        order
    }
}
