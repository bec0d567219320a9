//! Views: functions of the state, of where the person stands, and of the theme → cells. They decide nothing.

pub mod chat;
pub mod code;
pub mod frame;
pub mod layout;
pub mod look;
pub mod output;
pub mod pictures;
pub mod roll;
pub mod safe;
pub mod words;
