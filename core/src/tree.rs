//! Rows to a tree: the recorded sections, linked in order of first entry.

use crate::paths;
use crate::snapshot::{NO_ROW, Snapshot};

impl Snapshot<'_> {
    /// The recorded sections as a tree in order of first entry.
    pub(crate) fn link(&mut self) {
        let mut found = 0;
        for section in 1..=self.used {
            if self.rows[section as usize].is_recorded() {
                self.rows[found].sorted = section;
                found += 1;
            }
        }
        self.recorded = found as u32;
        self.sort_by_ticket(found);
        for row in self.rows.iter_mut() {
            row.parent = NO_ROW;
            row.first_child = NO_ROW;
            row.last_child = NO_ROW;
            row.next_sibling = NO_ROW;
        }
        for position in 0..found {
            let section = self.rows[position].sorted;
            let parent = paths::parent(self.region, self.layout, section);
            let is_child = parent != 0 && self.rows[parent as usize].is_recorded();
            self.append(section, if is_child { parent } else { NO_ROW });
        }
        self.measure_depth();
    }

    /// Writes how deep each row is.
    pub(crate) fn measure_depth(&mut self) {
        let mut row = self.first;
        while row != NO_ROW {
            let parent = self.rows[row as usize].parent;
            self.rows[row as usize].depth =
                if parent == NO_ROW { 0 } else { self.rows[parent as usize].depth + 1 };
            row = self.next(row);
        }
    }

    /// Heap sort of the `sorted` fields: in place, no recursion, whatever the order.
    fn sort_by_ticket(&mut self, found: usize) {
        for root in (0..found / 2).rev() {
            self.sift_down(root, found);
        }
        for end in (1..found).rev() {
            self.swap_sorted(0, end);
            self.sift_down(0, end);
        }
    }

    fn sift_down(&mut self, mut root: usize, end: usize) {
        loop {
            let mut child = 2 * root + 1;
            if child >= end {
                return;
            }
            if child + 1 < end && self.ticket_at(child) < self.ticket_at(child + 1) {
                child += 1;
            }
            if self.ticket_at(root) >= self.ticket_at(child) {
                return;
            }
            self.swap_sorted(root, child);
            root = child;
        }
    }

    fn ticket_at(&self, position: usize) -> (u64, u32) {
        let section = self.rows[position].sorted;
        (self.rows[section as usize].ticket, section)
    }

    fn swap_sorted(&mut self, left: usize, right: usize) {
        let kept = self.rows[left].sorted;
        self.rows[left].sorted = self.rows[right].sorted;
        self.rows[right].sorted = kept;
    }

    /// Puts a row at the end of its parent's children.
    pub(crate) fn append(&mut self, row: u32, parent: u32) {
        let last = if parent == NO_ROW { self.last } else { self.rows[parent as usize].last_child };
        self.rows[row as usize].parent = parent;
        self.rows[row as usize].next_sibling = NO_ROW;
        match (last, parent) {
            (NO_ROW, NO_ROW) => self.first = row,
            (NO_ROW, parent) => self.rows[parent as usize].first_child = row,
            (last, _) => self.rows[last as usize].next_sibling = row,
        }
        if parent == NO_ROW {
            self.last = row;
        } else {
            self.rows[parent as usize].last_child = row;
        }
    }

    /// The row after this one, depth first.
    pub(crate) fn next(&self, row: u32) -> u32 {
        let mut row = &self.rows[row as usize];
        if row.first_child != NO_ROW {
            return row.first_child;
        }
        while row.next_sibling == NO_ROW {
            if row.parent == NO_ROW {
                return NO_ROW;
            }
            row = &self.rows[row.parent as usize];
        }
        row.next_sibling
    }
}
