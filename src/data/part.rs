//! The settings that the games of a part of a file were made with.
//! Invariant: names and values are single lines, so that the text of a part is read back as it is.

use std::fmt;

/// The value of the setting "contents" of parts whose games are single moves of cut nodes instead
/// of whole games.
pub const CUT_NODES: &str = "cut nodes";

/// Names and values, such as nodes and network, in the order in which they are shown.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct PartInfo {
    settings: Vec<(String, String)>,
}

impl PartInfo {
    /// Adds a setting; line breaks and tabs become spaces. An earlier value of the same name is
    /// replaced.
    ///
    /// # Examples
    /// ```
    /// use brisance::data::PartInfo;
    ///
    /// let part = PartInfo::default().with("nodes", 400);
    /// assert_eq!(part.get("nodes"), Some("400"));
    /// ```
    #[must_use]
    pub fn with(mut self, name: &str, value: impl fmt::Display) -> PartInfo {
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
        lines
            .map(|(name, value)| format!("{name}\t{value}\n"))
            .collect()
    }

    /// Reads [`PartInfo::to_text`]; `None` if a line has no tab.
    pub(super) fn parse(text: &str) -> Option<PartInfo> {
        let mut part = PartInfo::default();
        for line in text.lines() {
            let (name, value) = line.split_once('\t')?;
            part = part.with(name, value);
        }
        Some(part)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_are_read_back_in_order() {
        let part = PartInfo::default()
            .with("network", "net 10,\ttrial\n(CRC-32 00ff)")
            .with("nodes", 400)
            .with("nodes", 800)
            .with("empty", "");
        let shown: Vec<_> = part.settings().collect();
        let network = ("network", "net 10, trial (CRC-32 00ff)");
        assert_eq!(shown, [network, ("nodes", "800"), ("empty", "")]);
        assert_eq!(PartInfo::parse(&part.to_text()), Some(part));
        assert_eq!(PartInfo::parse(""), Some(PartInfo::default()));
        assert_eq!(PartInfo::parse("nodes 400\n"), None);
    }
}
