//! A value that several owners share ([`SharedValue`]).

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::ops::{Deref, DerefMut};
use std::sync::Arc;

/// A value that is stored in memory once, however many owners share it; changing it copies it first. It is serialized
/// as the plain value. Nearly all runs of a session have the same rights, which take more memory than most of their
/// code.
#[derive(Clone, Debug, Default)]
pub struct SharedValue<T>(Arc<T>);

impl<T: PartialEq> SharedValue<T> {
    /// Shares the other's allocation if both values are equal.
    pub(crate) fn share_with(&mut self, other: &Self) {
        if self == other {
            self.0 = other.0.clone();
        }
    }
}

impl<T> Deref for SharedValue<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0
    }
}

impl<T: Clone> DerefMut for SharedValue<T> {
    fn deref_mut(&mut self) -> &mut T {
        Arc::make_mut(&mut self.0)
    }
}

impl<T> From<T> for SharedValue<T> {
    fn from(value: T) -> Self {
        Self(Arc::new(value))
    }
}

impl<T: PartialEq> PartialEq for SharedValue<T> {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0) || self.0 == other.0
    }
}

impl<T: Eq> Eq for SharedValue<T> {}

impl<T: Serialize> Serialize for SharedValue<T> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(to)
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for SharedValue<T> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        T::deserialize(from).map(Self::from)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_equal_is_held_once_and_a_change_is_ones_own() {
        let first: SharedValue<String> = "rights".to_owned().into();
        let (mut second, mut third) =
            (SharedValue::from("rights".to_owned()), SharedValue::from("others".to_owned()));
        second.share_with(&first);
        third.share_with(&first);
        assert!(Arc::ptr_eq(&first.0, &second.0) && *third == "others");
        second.push('!');
        assert!(*first == "rights" && *second == "rights!");
        assert_eq!(serde_json::to_string(&first).unwrap(), "\"rights\"");
    }
}
