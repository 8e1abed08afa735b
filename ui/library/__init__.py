"""The pages about the library itself: folders, activity, coverage, and the first run."""
