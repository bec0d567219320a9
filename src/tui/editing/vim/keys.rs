//! Strokes → commands: what was pressed so far is a whole command, the beginning of one, or nothing.

use super::{BACKSPACE, ENTER, HALF_DOWN, HALF_UP, MAX_COUNT, REDO};

/// The number of a line is never taken for more than this.
const MAX_LINE_NUMBER: usize = 1 << 30;

/// A command with its count.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct VimCommand {
    pub(crate) count: Option<usize>,
    /// Whether what is copied goes to the clipboard too.
    pub(crate) clipboard: bool,
    pub(crate) what: VimAction,
}

impl VimCommand {
    pub(super) fn times(&self) -> usize {
        self.count.unwrap_or(1)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum VimAction {
    Move(Move),
    /// An operator over what a move, an object or its own key again names.
    Operate(Operator, OperatorRange),
    /// A command of one key, as it is pressed in this mode.
    Key(char),
    /// `r` and its letter.
    Replace(char),
    /// In visual mode: an object.
    Object(Object),
    /// `:`.
    GoToLine,
}

impl VimAction {
    /// Whether its count is of lines, or the number of one: those are gone to at once, and not one after the other.
    fn counts_lines(self) -> bool {
        let lines = |found| {
            use Move::{Bottom, Down, FirstAbove, FirstBelow, Top, Up};
            matches!(found, Top | Bottom | Up | Down | FirstAbove | FirstBelow)
        };
        match self {
            VimAction::Move(found) | VimAction::Operate(_, OperatorRange::Move(found)) => lines(found),
            VimAction::Operate(_, OperatorRange::Rows) => true,
            _ => false,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum OperatorRange {
    Move(Move),
    Object(Object),
    Rows,
}

/// What is done to a range.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Operator {
    Delete,
    Change,
    Yank,
    In,
    Out,
    Lower,
    Upper,
    Swap,
    Comment,
}

/// A thing that the cursor stands in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Object {
    pub(crate) around: bool,
    pub(crate) kind: char,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Move {
    Left,
    Right,
    Up,
    Down,
    /// By rows, as the text is shown.
    RowUp,
    RowDown,
    HalfUp,
    HalfDown,
    /// `+` and Enter.
    FirstBelow,
    /// `-`.
    FirstAbove,
    Word(bool),
    WordEnd(bool),
    WordBack(bool),
    WordEndBack(bool),
    LineStart,
    FirstText,
    LineEnd,
    Top,
    Bottom,
    Bracket,
    ParagraphUp,
    ParagraphDown,
    /// To a letter on the line: backwards, in front of it.
    Seek(char, bool, bool),
    /// `;` and `,`.
    SeekAgain(bool),
    /// `n` and `N`.
    Match(bool),
    /// `*` and `#`.
    Star(bool),
}

/// How far strokes are a command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum ParseResult {
    /// More is needed.
    More,
    /// They are none.
    Nothing,
    Whole(VimCommand),
}

/// Reads what was pressed so far; `visual`: something is selected.
pub(super) fn parse(strokes: &str, visual: bool) -> ParseResult {
    let mut reader = Reader { rest: strokes.chars().peekable(), clipboard: false };
    let first = reader.prefix();
    let Some(what) = reader.what(visual) else { return ParseResult::More };
    let Some((what, second)) = what else { return ParseResult::Nothing };
    let count = match (first, second) {
        (None, None) => None,
        (first, second) => {
            let most = if what.counts_lines() { MAX_LINE_NUMBER } else { MAX_COUNT };
            Some((first.unwrap_or(1).saturating_mul(second.unwrap_or(1))).min(most))
        }
    };
    ParseResult::Whole(VimCommand { count, clipboard: reader.clipboard, what })
}

struct Reader<'a> {
    rest: std::iter::Peekable<std::str::Chars<'a>>,
    clipboard: bool,
}

/// What was read: nothing yet, nothing at all, or something.
type ReadResult<T> = Option<Option<T>>;

/// The same with a count of its own.
type CountedRead<T> = ReadResult<(T, Option<usize>)>;

impl Reader<'_> {
    /// A register and a count, in any order.
    fn prefix(&mut self) -> Option<usize> {
        let mut count = self.count();
        while self.rest.peek() == Some(&'"') {
            let mut ahead = self.rest.clone();
            ahead.next();
            let Some(register) = ahead.next() else { return count };
            self.rest = ahead;
            self.clipboard |= matches!(register, '+' | '*');
            count = self.count().or(count);
        }
        count
    }

    fn count(&mut self) -> Option<usize> {
        let mut count: Option<usize> = None;
        while let Some(digit) = self.rest.peek().and_then(|c| c.to_digit(10)) {
            if digit == 0 && count.is_none() {
                break;
            }
            self.rest.next();
            count = Some((count.unwrap_or(0) * 10 + digit as usize).min(MAX_LINE_NUMBER));
        }
        count
    }

    fn what(&mut self, visual: bool) -> CountedRead<VimAction> {
        let key = *self.rest.peek()?;
        if key == '"' {
            return None;
        }
        if visual && matches!(key, 'i' | 'a') {
            self.rest.next();
            return self
                .object(key == 'a')
                .map(|found| found.map(|object| (VimAction::Object(object), None)));
        }
        if let Some(operator) = self.operator()? {
            if visual {
                return Some(Some((VimAction::Operate(operator, OperatorRange::Rows), None)));
            }
            return self.over(operator, key);
        }
        if let Some(found) = self.movement()? {
            return Some(Some((VimAction::Move(found), None)));
        }
        let key = self.rest.next()?;
        let what = match key {
            'r' => VimAction::Replace(self.rest.next()?),
            // What is not here takes its second key with it: no half of it is another command.
            'Z' | 'z' | 'q' | 'm' | '@' | '\'' | '`' | '[' | ']' => {
                self.rest.next()?;
                return Some(None);
            }
            ':' => VimAction::GoToLine,
            'x' | 'X' | 's' | 'S' | 'D' | 'C' | 'Y' | 'p' | 'P' | 'u' | 'U' | 'o' | 'O' | 'A' | 'I' | 'a'
            | 'i' | 'v' | 'V' | 'J' | '~' | '.' | '/' | '?' | REDO => VimAction::Key(key),
            _ => return Some(None),
        };
        Some(Some((what, None)))
    }

    /// `d`, `gu`; nothing where no operator stands here.
    fn operator(&mut self) -> ReadResult<Operator> {
        let mut ahead = self.rest.clone();
        let operator = match ahead.next()? {
            'd' => Operator::Delete,
            'c' => Operator::Change,
            'y' => Operator::Yank,
            '>' => Operator::In,
            '<' => Operator::Out,
            'g' => match ahead.next()? {
                'u' => Operator::Lower,
                'U' => Operator::Upper,
                '~' => Operator::Swap,
                'c' => Operator::Comment,
                _ => return Some(None),
            },
            _ => return Some(None),
        };
        self.rest = ahead;
        Some(Some(operator))
    }

    /// What an operator works on.
    fn over(&mut self, operator: Operator, key: char) -> CountedRead<VimAction> {
        let count = self.count();
        let next = *self.rest.peek()?;
        // Its own key again: lines. Of two letters the last is enough.
        let again = match operator {
            Operator::Lower => next == 'u',
            Operator::Upper => next == 'U',
            Operator::Swap => next == '~',
            Operator::Comment => next == 'c',
            _ => next == key,
        };
        if again {
            return Some(Some((VimAction::Operate(operator, OperatorRange::Rows), count)));
        }
        if matches!(next, 'i' | 'a') {
            self.rest.next();
            let object = self.object(next == 'a')?;
            return Some(
                object.map(|object| (VimAction::Operate(operator, OperatorRange::Object(object)), count)),
            );
        }
        let found = self.movement()?;
        Some(found.map(|found| (VimAction::Operate(operator, OperatorRange::Move(found)), count)))
    }

    fn object(&mut self, around: bool) -> ReadResult<Object> {
        let kind = match self.rest.next()? {
            ')' | 'b' => '(',
            ']' => '[',
            '}' | 'B' => '{',
            '>' => '<',
            kind @ ('w' | 'W' | 'p' | '"' | '\'' | '`' | '(' | '[' | '{' | '<') => kind,
            _ => return Some(None),
        };
        Some(Some(Object { around, kind }))
    }

    /// A move; nothing where none stands here.
    fn movement(&mut self) -> ReadResult<Move> {
        let mut ahead = self.rest.clone();
        let found = match ahead.next()? {
            'h' | BACKSPACE => Move::Left,
            'l' | ' ' => Move::Right,
            'k' => Move::Up,
            'j' => Move::Down,
            HALF_UP => Move::HalfUp,
            HALF_DOWN => Move::HalfDown,
            '+' | ENTER => Move::FirstBelow,
            '-' => Move::FirstAbove,
            'w' => Move::Word(false),
            'W' => Move::Word(true),
            'e' => Move::WordEnd(false),
            'E' => Move::WordEnd(true),
            'b' => Move::WordBack(false),
            'B' => Move::WordBack(true),
            '0' => Move::LineStart,
            '^' | '_' => Move::FirstText,
            '$' => Move::LineEnd,
            'G' => Move::Bottom,
            '%' => Move::Bracket,
            '{' => Move::ParagraphUp,
            '}' => Move::ParagraphDown,
            'f' => Move::Seek(ahead.next()?, false, false),
            'F' => Move::Seek(ahead.next()?, true, false),
            't' => Move::Seek(ahead.next()?, false, true),
            'T' => Move::Seek(ahead.next()?, true, true),
            ';' => Move::SeekAgain(false),
            ',' => Move::SeekAgain(true),
            'n' => Move::Match(false),
            'N' => Move::Match(true),
            '*' => Move::Star(false),
            '#' => Move::Star(true),
            'g' => match ahead.next()? {
                'g' => Move::Top,
                'e' => Move::WordEndBack(false),
                'E' => Move::WordEndBack(true),
                'j' => Move::RowDown,
                'k' => Move::RowUp,
                _ => return Some(None),
            },
            _ => return Some(None),
        };
        self.rest = ahead;
        Some(Some(found))
    }
}
