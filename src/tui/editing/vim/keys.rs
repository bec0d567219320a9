//! Parses strokes into commands: the strokes so far are a complete command, the beginning of one, or no
//! command.

use super::{BACKSPACE, ENTER, HALF_DOWN, HALF_UP, MAX_COUNT, REDO};

/// The largest line number.
const MAX_LINE_NUMBER: usize = 1 << 30;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct VimCommand {
    pub(crate) count: Option<usize>,
    /// Whether copied text also goes to the clipboard.
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
    /// An operator with its range: a move, an object, or its own key again.
    Operate(Operator, OperatorRange),
    /// A command of one key.
    Key(char),
    /// `r` and its letter.
    Replace(char),
    /// An object that is selected in visual mode.
    Object(Object),
    /// `:`.
    GoToLine,
}

impl VimAction {
    /// Whether its count is a number of lines, or a line number: then the move is done at once instead of
    /// repeated.
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

/// What an operator does to its range.
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

/// The operators by their strokes.
const OPERATORS: [(&str, Operator); 9] = [
    ("d", Operator::Delete),
    ("c", Operator::Change),
    ("y", Operator::Yank),
    (">", Operator::In),
    ("<", Operator::Out),
    ("gu", Operator::Lower),
    ("gU", Operator::Upper),
    ("g~", Operator::Swap),
    ("gc", Operator::Comment),
];

impl Operator {
    pub(super) fn strokes(self) -> &'static str {
        OPERATORS.iter().find(|(_, operator)| *operator == self).map_or("", |(strokes, _)| strokes)
    }
}

/// A text object at the cursor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Object {
    pub(crate) around: bool,
    pub(crate) kind: char,
}

/// The search for a letter on the line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct LetterSearch {
    pub(super) letter: char,
    pub(super) back: bool,
    /// Whether to stop beside the letter.
    pub(super) till: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Move {
    Left,
    Right,
    Up,
    Down,
    /// By wrapped rows.
    RowUp,
    RowDown,
    HalfUp,
    HalfDown,
    /// `+` and Enter.
    FirstBelow,
    /// `-`.
    FirstAbove,
    /// `w`; `true`: `W`, which only stops at spaces.
    Word(bool),
    /// `e` and `E`.
    WordEnd(bool),
    /// `b` and `B`.
    WordBack(bool),
    /// `ge` and `gE`.
    WordEndBack(bool),
    LineStart,
    FirstText,
    LineEnd,
    Top,
    Bottom,
    Bracket,
    ParagraphUp,
    ParagraphDown,
    Seek(LetterSearch),
    /// `;` and `,`.
    SeekAgain(bool),
    /// `n` and `N`.
    Match(bool),
    /// `*` and `#`.
    Star(bool),
}

/// The result of parsing the strokes so far.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum ParseResult {
    /// The command is incomplete.
    More,
    /// No command begins like this.
    Nothing,
    Whole(VimCommand),
}

/// Parses the strokes so far; `visual`: something is selected.
pub(super) fn parse(strokes: &str, visual: bool) -> ParseResult {
    let mut reader = Reader { rest: strokes.chars().peekable(), clipboard: false };
    let first = reader.prefix();
    let (what, second) = match reader.what(visual) {
        Ok(Some(found)) => found,
        Ok(None) => return ParseResult::Nothing,
        Err(Incomplete) => return ParseResult::More,
    };
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

/// More strokes are needed.
struct Incomplete;

/// `None`: nothing of this kind is here.
type ReadResult<T> = Result<Option<T>, Incomplete>;

/// Like [`ReadResult`], with a count.
type CountedRead<T> = ReadResult<(T, Option<usize>)>;

impl Reader<'_> {
    fn stroke(&mut self) -> Result<char, Incomplete> {
        self.rest.next().ok_or(Incomplete)
    }

    /// The next stroke, which stays to be read.
    fn peek(&mut self) -> Result<char, Incomplete> {
        self.rest.peek().copied().ok_or(Incomplete)
    }

    /// Reads a register and a count, in any order.
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
        let key = self.peek()?;
        if key == '"' {
            return Err(Incomplete);
        }
        if visual && matches!(key, 'i' | 'a') {
            self.rest.next();
            return Ok(self.object(key == 'a')?.map(|object| (VimAction::Object(object), None)));
        }
        if let Some(operator) = self.operator()? {
            if visual {
                return Ok(Some((VimAction::Operate(operator, OperatorRange::Rows), None)));
            }
            return self.over(operator);
        }
        if let Some(found) = self.movement()? {
            return Ok(Some((VimAction::Move(found), None)));
        }
        let what = match self.stroke()? {
            'r' => VimAction::Replace(self.stroke()?),
            // Unsupported commands of two keys: the second key must not run as a command of its own.
            'Z' | 'z' | 'q' | 'm' | '@' | '\'' | '`' | '[' | ']' => {
                self.stroke()?;
                return Ok(None);
            }
            ':' => VimAction::GoToLine,
            'x' | 'X' | 's' | 'S' | 'D' | 'C' | 'Y' | 'p' | 'P' | 'u' | 'U' | 'o' | 'O' | 'A' | 'I' | 'a'
            | 'i' | 'v' | 'V' | 'J' | '~' | '.' | '/' | '?' | REDO => VimAction::Key(key),
            _ => return Ok(None),
        };
        Ok(Some((what, None)))
    }

    /// Reads an operator such as `d` or `gu`; no match if there is none here.
    fn operator(&mut self) -> ReadResult<Operator> {
        let mut ahead = self.ahead();
        let mut strokes = String::from(ahead.stroke()?);
        if strokes == "g" {
            strokes.push(ahead.stroke()?);
        }
        let found = OPERATORS.iter().find(|(of, _)| *of == strokes);
        if found.is_some() {
            self.rest = ahead.rest;
        }
        Ok(found.map(|(_, operator)| *operator))
    }

    /// Reads the range of an operator.
    fn over(&mut self, operator: Operator) -> CountedRead<VimAction> {
        let count = self.count();
        let next = self.peek()?;
        // The operator's own key again means lines. For an operator of two letters the second is enough.
        if operator.strokes().ends_with(next) {
            return Ok(Some((VimAction::Operate(operator, OperatorRange::Rows), count)));
        }
        let range = if matches!(next, 'i' | 'a') {
            self.rest.next();
            self.object(next == 'a')?.map(OperatorRange::Object)
        } else {
            self.movement()?.map(OperatorRange::Move)
        };
        Ok(range.map(|range| (VimAction::Operate(operator, range), count)))
    }

    /// Reads the same strokes, without taking them from this reader.
    fn ahead(&self) -> Self {
        Self { rest: self.rest.clone(), clipboard: self.clipboard }
    }

    fn object(&mut self, around: bool) -> ReadResult<Object> {
        let kind = match self.stroke()? {
            ')' | 'b' => '(',
            ']' => '[',
            '}' | 'B' => '{',
            '>' => '<',
            kind @ ('w' | 'W' | 'p' | '"' | '\'' | '`' | '(' | '[' | '{' | '<') => kind,
            _ => return Ok(None),
        };
        Ok(Some(Object { around, kind }))
    }

    /// Reads a move; no match if there is none here.
    fn movement(&mut self) -> ReadResult<Move> {
        let mut ahead = self.ahead();
        let found = match ahead.stroke()? {
            'h' | BACKSPACE => Move::Left,
            'l' | ' ' => Move::Right,
            'k' => Move::Up,
            'j' => Move::Down,
            HALF_UP => Move::HalfUp,
            HALF_DOWN => Move::HalfDown,
            '+' | ENTER => Move::FirstBelow,
            '-' => Move::FirstAbove,
            key @ ('w' | 'W') => Move::Word(key == 'W'),
            key @ ('e' | 'E') => Move::WordEnd(key == 'E'),
            key @ ('b' | 'B') => Move::WordBack(key == 'B'),
            '0' => Move::LineStart,
            '^' | '_' => Move::FirstText,
            '$' => Move::LineEnd,
            'G' => Move::Bottom,
            '%' => Move::Bracket,
            '{' => Move::ParagraphUp,
            '}' => Move::ParagraphDown,
            key @ ('f' | 'F' | 't' | 'T') => {
                let (back, till) = (matches!(key, 'F' | 'T'), matches!(key, 't' | 'T'));
                Move::Seek(LetterSearch { letter: ahead.stroke()?, back, till })
            }
            key @ (';' | ',') => Move::SeekAgain(key == ','),
            key @ ('n' | 'N') => Move::Match(key == 'N'),
            key @ ('*' | '#') => Move::Star(key == '#'),
            'g' => match ahead.stroke()? {
                'g' => Move::Top,
                key @ ('e' | 'E') => Move::WordEndBack(key == 'E'),
                'j' => Move::RowDown,
                'k' => Move::RowUp,
                _ => return Ok(None),
            },
            _ => return Ok(None),
        };
        self.rest = ahead.rest;
        Ok(Some(found))
    }
}
