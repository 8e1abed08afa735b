"""The index lane at work: documents are read, written, embedded and written again, overlapping."""
