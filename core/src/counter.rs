//! The `[index]` behind a counted section's name, written without allocation.

/// `[index]` as text.
pub(crate) struct Counter {
    bytes: [u8; 22],
    start: usize,
}

impl Counter {
    pub(crate) fn new(index: i64) -> Self {
        let mut bytes = [0; 22];
        let mut start = bytes.len() - 1;
        bytes[start] = b']';
        let mut rest = index.unsigned_abs();
        loop {
            start -= 1;
            bytes[start] = b'0' + (rest % 10) as u8;
            rest /= 10;
            if rest == 0 {
                break;
            }
        }
        if index < 0 {
            start -= 1;
            bytes[start] = b'-';
        }
        start -= 1;
        bytes[start] = b'[';
        Self { bytes, start }
    }

    pub(crate) fn as_bytes(&self) -> &[u8] {
        &self.bytes[self.start..]
    }
}

#[cfg(test)]
mod tests {
    use super::Counter;

    #[test]
    fn every_integer_fits() {
        for index in [0, 7, -7, i64::MAX, i64::MIN] {
            assert_eq!(Counter::new(index).as_bytes(), format!("[{index}]").as_bytes());
        }
    }
}
