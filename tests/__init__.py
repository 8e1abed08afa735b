import indexer  # noqa: F401  # keeps libraries from reporting to anybody; before any of them
