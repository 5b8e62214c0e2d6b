"""The words: plain immutable values and pure functions, without input or output."""
