//! The types of nodes, known at compile time, so that the node function is compiled for each.
//! Invariant: the root is a PV node.

/// The type of a node, known at compile time.
pub trait NodeType {
    /// A PV node: the window is wider than a null window.
    const PV: bool;
    const ROOT: bool;
}

/// The root.
pub struct Root;
/// A PV node other than the root.
pub struct Pv;
/// A node searched with a null window.
pub struct NonPv;

impl NodeType for Root {
    const PV: bool = true;
    const ROOT: bool = true;
}

impl NodeType for Pv {
    const PV: bool = true;
    const ROOT: bool = false;
}

impl NodeType for NonPv {
    const PV: bool = false;
    const ROOT: bool = false;
}
