//! The header of a segment of a game file: the settings that its games were made with.
//! Invariant: names and values are single lines, so that the text of a header is read back as it is.

use std::fmt;

/// The value of the setting "contents" of segments whose games are single moves of cut nodes instead
/// of whole games.
pub const CUT_NODES: &str = "cut nodes";

/// Names and values, such as nodes and network, in the order in which they are shown.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct SegmentHeader {
    settings: Vec<(String, String)>,
}

impl SegmentHeader {
    /// Adds a setting; line breaks and tabs become spaces. An earlier value of the same name is
    /// replaced.
    ///
    /// # Examples
    /// ```
    /// use brisance::data::SegmentHeader;
    ///
    /// let header = SegmentHeader::default().with("nodes", 400);
    /// assert_eq!(header.get("nodes"), Some("400"));
    /// ```
    #[must_use]
    pub fn with(mut self, name: &str, value: impl fmt::Display) -> SegmentHeader {
        let line = |text: &str| text.replace(['\n', '\r', '\t'], " ");
        let (name, value) = (line(name), line(&value.to_string()));
        match self.settings.iter_mut().find(|setting| setting.0 == name) {
            Some(setting) => setting.1 = value,
            None => self.settings.push((name, value)),
        }
        self
    }

    /// The value of a setting.
    pub fn get(&self, name: &str) -> Option<&str> {
        let found = self.settings.iter().find(|setting| setting.0 == name);
        found.map(|setting| setting.1.as_str())
    }

    /// Names and values.
    pub fn settings(&self) -> impl Iterator<Item = (&str, &str)> {
        let settings = self.settings.iter();
        settings.map(|(name, value)| (name.as_str(), value.as_str()))
    }

    /// One line for each setting: name, tab, value.
    pub(super) fn to_text(&self) -> String {
        let lines = self.settings();
        lines.map(|(name, value)| format!("{name}\t{value}\n")).collect()
    }

    /// Reads [`SegmentHeader::to_text`]; `None` if a line has no tab.
    pub(super) fn parse(text: &str) -> Option<SegmentHeader> {
        text.lines().try_fold(SegmentHeader::default(), |header, line| {
            let (name, value) = line.split_once('\t')?;
            Some(header.with(name, value))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_are_read_back_in_order() {
        let header = SegmentHeader::default()
            .with("network", "net 10,\ttrial\n(CRC-32 00ff)")
            .with("nodes", 400)
            .with("nodes", 800)
            .with("empty", "");
        let shown: Vec<_> = header.settings().collect();
        let network = ("network", "net 10, trial (CRC-32 00ff)");
        assert_eq!(shown, [network, ("nodes", "800"), ("empty", "")]);
        assert_eq!(SegmentHeader::parse(&header.to_text()), Some(header));
        assert_eq!(SegmentHeader::parse(""), Some(SegmentHeader::default()));
        assert_eq!(SegmentHeader::parse("nodes 400\n"), None);
    }
}
