"""One module per document format, the child process that runs them, and its sandbox."""
