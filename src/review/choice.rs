//! Values that may be one of several: the results of a choice, a branch, a loop or several returns. All of them count.
//!
//! A choice is kept flat, and expanded at the call that uses it: each combination of arguments is judged by itself.
//! Limits apply; what exceeds them is unknown, which is itself one of the values: behind as many combinations as are
//! allowed, one has unknown values in the place of all choices.

use super::value::{Act, Taint, Value, ValueKind};

/// The most values that a choice may have.
const MAX_VALUES: usize = 24;

/// The most combinations in which the choices of some parts are considered with each other; of more, each part is varied
/// by itself.
const MAX_CROSSED: usize = 48;

/// The most combinations in which one call is examined, and the most values that a part of it may have.
pub(super) const MAX_VARIANTS: usize = 3 * MAX_CROSSED;

/// What the combinations of one value may weigh together, in the units of `Value::weight`.
const MAX_WORK: usize = 48 * 1024;

/// Heaviest choice that is kept, in the units of `Value::weight`.
const MAX_WEIGHT: usize = 512;

impl Value {
    /// A choice between these values.
    pub(super) fn any(values: impl IntoIterator<Item = Value>) -> Value {
        let mut all: Vec<Value> = Vec::new();
        let (mut rest, mut taint, mut weight) = (false, Taint::default(), 0);
        let mut take = |value: Value| match value.kind {
            ValueKind::Unknown => {
                rest = true;
                taint = taint.with(value.taint);
            }
            _ if all.contains(&value) => {}
            _ => {
                weight += value.weight();
                if all.len() < MAX_VALUES && weight <= MAX_WEIGHT {
                    all.push(value);
                } else {
                    rest = true;
                    taint = taint.with(value.all_taint());
                }
            }
        };
        for value in values {
            match value.kind {
                ValueKind::Any(items) => items.into_iter().for_each(|item| take(item.tainted(value.taint))),
                _ => take(value),
            }
        }
        if rest {
            all.push(Value::unknown().tainted(taint));
        }
        match all.len() {
            0 => Value::unknown(),
            1 => all.remove(0),
            _ => Value::new(ValueKind::Any(all)),
        }
    }

    /// Whether the value, or a part of it, is a choice.
    pub(super) fn has_choice(&self) -> bool {
        match &self.kind {
            ValueKind::Any(_) => true,
            ValueKind::List(items) => items.iter().any(Value::has_choice),
            ValueKind::Map(items) => items.iter().any(|(_, value)| value.has_choice()),
            ValueKind::Name { about: Some(about), .. } => about.has_choice(),
            _ => false,
        }
    }

    /// The values that it may be, none of which contains a choice.
    pub(super) fn alternatives(&self) -> Vec<Value> {
        self.alternatives_within(MAX_WORK)
    }

    /// The same, as far as they weigh no more than `work` together; each part of a value has its share of that.
    fn alternatives_within(&self, work: usize) -> Vec<Value> {
        if !self.has_choice() {
            return vec![self.clone()];
        }
        let same = |kind: ValueKind| Value { kind, taint: self.taint };
        let most = most_combinations(work, self.weight());
        match &self.kind {
            ValueKind::Any(items) => {
                let share = work / items.len().max(1);
                let all = items.iter().flat_map(|item| item.alternatives_within(share));
                let mut all: Vec<Value> = all.map(|value| value.tainted(self.taint)).collect();
                if all.len() > MAX_VARIANTS {
                    let rest = any_of(&all.split_off(MAX_VARIANTS - 1));
                    all.push(rest);
                }
                all
            }
            ValueKind::List(items) => {
                let share = work / items.len().max(1);
                let slots: Vec<Vec<Value>> =
                    items.iter().map(|item| item.alternatives_within(share)).collect();
                combinations(&slots, most).into_iter().map(|items| same(ValueKind::List(items))).collect()
            }
            ValueKind::Map(items) => {
                let share = work / items.len().max(1);
                let slots: Vec<Vec<Value>> =
                    items.iter().map(|(_, value)| value.alternatives_within(share)).collect();
                let keys = || items.iter().map(|(key, _)| key.clone());
                let all = combinations(&slots, most).into_iter();
                all.map(|values| same(ValueKind::Map(keys().zip(values).collect()))).collect()
            }
            ValueKind::Name { path, about: Some(about) } => about
                .alternatives_within(work)
                .into_iter()
                .map(|about| same(ValueKind::Name { path: path.clone(), about: Some(Box::new(about)) }))
                .collect(),
            _ => vec![self.clone()],
        }
    }

    /// Applies an operation to each value that it may be.
    pub(super) fn each(&self, mut of: impl FnMut(&Value) -> Value) -> Value {
        match &self.kind {
            ValueKind::Any(items) => {
                let given: Vec<Value> = items.iter().map(|v| of(&v.clone().tainted(self.taint))).collect();
                Value::any(given)
            }
            _ => of(self),
        }
    }

    /// Applies an operation to each pair of values that the two may be.
    pub(super) fn each_pair(&self, other: &Value, mut of: impl FnMut(&Value, &Value) -> Value) -> Value {
        if !matches!(self.kind, ValueKind::Any(_)) && !matches!(other.kind, ValueKind::Any(_)) {
            return of(self, other);
        }
        let pairs = combinations(&[self.alternatives(), other.alternatives()], MAX_VARIANTS);
        Value::any(pairs.iter().map(|pair| match pair.as_slice() {
            [left, right] => of(left, right),
            _ => Value::unknown(),
        }))
    }
}

/// How many combinations of parts are considered that weigh so much together: the heavier they are, the fewer.
fn most_combinations(work: usize, weight: usize) -> usize {
    (work / weight.max(1)).clamp(4, MAX_VARIANTS)
}

/// All combinations of one value per slot, if they are few; otherwise each slot is varied while the others keep their
/// first value. Of more than `most` (at least one), the last has unknown values in all slots that have a choice.
fn combinations(slots: &[Vec<Value>], most: usize) -> Vec<Vec<Value>> {
    let first: Option<Vec<Value>> = slots.iter().map(|slot| slot.first().cloned()).collect();
    let Some(first) = first else { return Vec::new() };
    let mut all = vec![first];
    for (at, slot) in slots.iter().enumerate().filter(|(_, slot)| slot.len() > 1) {
        let bases = if all.len() * slot.len() <= MAX_CROSSED { all.len() } else { 1 };
        for value in slot.iter().skip(1) {
            for base in 0..bases {
                if all.len() >= most {
                    all.truncate(most.saturating_sub(1));
                    all.push(slots.iter().map(|slot| any_of(slot)).collect());
                    return all;
                }
                let Some(mut combination) = all.get(base).cloned() else { continue };
                if let Some(place) = combination.get_mut(at) {
                    place.clone_from(value);
                }
                all.push(combination);
            }
        }
    }
    all
}

/// What is known of a slot whose values are too many: the one that it has, or the marks of all.
fn any_of(slot: &[Value]) -> Value {
    match slot {
        [value] => value.clone(),
        _ => slot.iter().fold(Value::unknown(), |all, value| all.tainted(value.all_taint())),
    }
}

impl Act {
    /// The acts that the call may mean: one for each combination of the values that its arguments may have. Of more than
    /// `most`, the last has unknown arguments.
    pub(super) fn variants(self, most: usize) -> Vec<Act> {
        let positional = self.arguments.iter().map(|a| &a.value);
        let named = self.named.iter().map(|(_, a)| &a.value);
        let slots: Vec<&Value> =
            self.receiver.iter().chain(positional).chain(named).chain(&self.folder).collect();
        if !slots.iter().any(|value| value.has_choice()) {
            return vec![self];
        }
        let weight = slots.iter().map(|value| value.weight()).sum();
        let most = most.min(most_combinations(MAX_WORK, weight));
        let alternatives = |value: &Value| {
            if value.has_choice() && most < 2 { vec![value.to_unknown()] } else { value.alternatives() }
        };
        let slots: Vec<Vec<Value>> = slots.into_iter().map(alternatives).collect();
        let with = |combination: Vec<Value>| {
            let mut act = self.clone();
            let mut values = combination.into_iter();
            let places = act.receiver.iter_mut();
            let places = places.chain(act.arguments.iter_mut().map(|a| &mut a.value));
            let places = places.chain(act.named.iter_mut().map(|(_, a)| &mut a.value));
            for (place, value) in places.chain(act.folder.iter_mut()).zip(&mut values) {
                *place = value;
            }
            act
        };
        combinations(&slots, most).into_iter().map(with).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::super::value::Argument;
    use super::*;

    fn choice(texts: &[&str]) -> Value {
        Value::any(texts.iter().map(|t| Value::text(*t)))
    }

    #[test]
    fn a_choice_is_flat_and_has_no_value_twice() {
        let nested =
            Value::any([choice(&["a", "b"]), choice(&["b", "c"]), Value::unknown(), Value::unknown()]);
        let ValueKind::Any(items) = &nested.kind else { panic!("{nested:?}") };
        assert_eq!(items.len(), 4);
        assert_eq!(Value::any([Value::text("a"), Value::text("a")]), Value::text("a"));
        assert_eq!(Value::any([]), Value::unknown());
    }

    #[test]
    fn joins_of_choices_give_all_texts() {
        let joined = Value::join(&[choice(&["rm", "ls"]), Value::text(" -r "), choice(&["a", "b"])], "");
        let texts: Vec<String> =
            joined.alternatives().iter().filter_map(|v| v.as_whole_text().map(str::to_owned)).collect();
        assert_eq!(texts, ["rm -r a", "ls -r a", "rm -r b", "ls -r b"]);
    }

    #[test]
    fn variants_stay_few() {
        let wide = choice(&["a", "b", "c", "d", "e", "f", "g", "h", "i", "j"]);
        let argument = |value: Value| Argument { value, span: 0..1 };
        let act = Act::new("f", (0..8).map(|_| argument(wide.clone())).collect(), 0..1);
        let variants = act.variants(MAX_VARIANTS);
        assert!(variants.len() > 10 && variants.len() < 150, "{}", variants.len());
        // Each value occurs at each position.
        for at in 0..8 {
            for text in ["a", "e", "j"] {
                assert!(
                    variants.iter().any(|variant| variant.arguments[at].value == Value::text(text)),
                    "{at} {text}"
                );
            }
        }
    }

    #[test]
    fn behind_the_limit_every_choice_is_unknown() {
        let wide = choice(&["a", "b", "c", "d", "e", "f", "g", "h", "i", "j"]).tainted(Taint::SECRET);
        let list = Value::list([vec![Value::text("ls")], vec![wide.clone(); 20]].concat());
        let all = list.alternatives();
        assert_eq!(all.len(), MAX_VARIANTS);
        let Some(ValueKind::List(items)) = all.last().map(|last| &last.kind) else { panic!("{all:?}") };
        assert_eq!(items[0], Value::text("ls"));
        assert!(items[1..].iter().all(|item| *item == Value::unknown().tainted(Taint::SECRET)));
        let argument = |value: Value| Argument { value, span: 0..1 };
        let act = Act::new("f", vec![argument(Value::text("ls")), argument(wide)], 0..1);
        let of = |most: usize| -> Vec<Value> {
            act.clone().variants(most).into_iter().map(|act| act.arguments[1].value.clone()).collect()
        };
        assert_eq!((of(10).len(), of(9).len(), of(1).len(), of(0).len()), (10, 9, 1, 1));
        assert_eq!(of(9)[..8], of(10)[..8]);
        assert_eq!(of(9)[8], Value::unknown().tainted(Taint::SECRET));
    }
}
