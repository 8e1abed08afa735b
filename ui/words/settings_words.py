"""What settings, their pages and their choices are called in the window.

Owns the labels. The help is the one that is declared with each setting; it is listed here so that
it can be translated, and a test proves that both say the same. A setting that is not here goes by
its name.
"""

from __future__ import annotations

from indexer.api.translation import N_
from ui.words.translate import say

GROUPS = {
    "window": N_("Window"),
    "search": N_("Search"),
    "reading": N_("Reading"),
    "library": N_("Library"),
    "advanced": N_("Advanced"),
}

# Name: label and help.
SETTINGS = {
    "theme": (
        N_("Colours"),
        N_("Colours of the window."),
    ),
    "language": (
        N_("Language"),
        N_("Language of the window."),
    ),
    "text_scale": (
        N_("Size of text (%)"),
        N_("Size of the window's text, in percent of the system's."),
    ),
    "preview": (
        N_("Preview"),
        N_("Show the page of the selected passage beside the results."
        ),
    ),
    "viewer": (
        N_("Viewer"),
        N_("Command that opens a document at a page, such as okular --page {page} {path}; "
            "empty: the system's viewer.",
        ),
    ),
    "close_to_tray": (
        N_("Close to the tray"),
        N_("Closing the window leaves Lectern in the tray, watching the folders."
        ),
    ),
    "start_at_login": (
        N_("Start at login"),
        N_("Start Lectern in the tray when you log in."),
    ),
    "hotkey": (
        N_("Hotkey"),
        N_("Keys that open the search from anywhere, such as Ctrl+Alt+L; empty: none.",
        ),
    ),
    "history": (
        N_("History"),
        N_("Remember what was searched for, on this machine only."),
    ),
    "speed": (
        N_("Speed"),
        N_("How much of the machine indexing may take."),
    ),
    "hidden": (
        N_("Hidden files"),
        N_("Read hidden files and folders too."),
    ),
    "exclude": (
        N_("Leave out everywhere"),
        N_("Patterns to leave out, in gitignore syntax, beside the built-in ones."
        ),
    ),
    "ocr": (
        N_("Recognise text"),
        N_("Recognise the text on scanned pages, where Tesseract is installed."
        ),
    ),
    "ocr_languages": (
        N_("Languages of scans"),
        N_("Languages of scanned pages, the likeliest first, such as de or deu; empty: the "
            "system's, English and others that Tesseract has.",
        ),
    ),
    "min_free_gb": (
        N_("Keep free (GB)"),
        N_("Indexing pauses while less disk than this is free, in GB."),
    ),
    "max_pdf_mb": (
        N_("Largest PDF (MB)"),
        N_("Larger PDF files are left out, in MB."),
    ),
    "max_text_mb": (
        N_("Largest text file (MB)"),
        N_("Larger text files are left out, in MB."),
    ),
    "max_markup_mb": (
        N_("Largest web page (MB)"),
        N_("Larger Markdown and HTML files are left out, in MB."),
    ),
    "library": (
        N_("Place of the library"),
        N_("Folder of the library; empty: a folder in your user data."
        ),
    ),
    "offline": (
        N_("Offline"),
        N_("Never use the network, not even for a model that is missing."
        ),
    ),
    "model": (
        N_("Language model"),
        N_("Embedding model, by name."),
    ),
    "device": (
        N_("Device"),
        N_("Where the model runs."),
    ),
    "precision": (
        N_("Precision of documents"),
        N_("Weights used for documents: int8 is twice as fast, fp32 exact."
        ),
    ),
    "query_precision": (
        N_("Precision of queries"),
        N_("Weights used for queries."),
    ),
    "sentence_vectors": (
        N_("Vectors of sentences"),
        N_("How the vectors of sentences are kept: none saves disk and costs precision.",
        ),
    ),
    "threads": (
        N_("Threads"),
        N_("Threads of the model while indexing; 0: one for each core."
        ),
    ),
    "readers": (
        N_("Readers"),
        N_("Documents read at the same time; 0: half as many as cores, or two."
        ),
    ),
    "document_silence_s": (
        N_("Patience (s)"),
        N_("A document without a sign of progress for so many seconds is given up."
        ),
    ),
    "document_memory_mb": (
        N_("Memory for a document (MB)"),
        N_("Memory that reading one document may take, in MB."),
    ),
}  # fmt: skip

_CHOICES = {
    "system": N_("As the system"),
    "light": N_("Light"),
    "dark": N_("Dark"),
    "en": "English",
    "de": "Deutsch",
    "slow": N_("Slow"),
    "normal": N_("Normal"),
    "fast": N_("Fast"),
    "auto": N_("The best there is"),
    "cpu": "CPU",
    "cuda": "CUDA",
    "directml": "DirectML",
    "coreml": "Core ML",
    "none": N_("None"),
}

# These count at once; the others when the engine, or the window, is started again.
AT_ONCE = frozenset({
    "theme", "text_scale", "preview", "viewer", "close_to_tray", "start_at_login", "hotkey",
    "history", "speed",
})  # fmt: skip


def setting(name: str) -> str:
    """The label of a setting."""
    known = SETTINGS.get(name)
    return say(known[0]) if known else name.replace("_", " ").capitalize()


def setting_help(text: str) -> str:
    """The declared help of a setting, translated where it can be."""
    return say(text)


def group(name: str) -> str:
    """The label of a page of settings."""
    return say(GROUPS[name]) if name in GROUPS else name.replace("_", " ").capitalize()


def choice(value: str) -> str:
    """The label of a value that can be chosen."""
    return say(_CHOICES[value]) if value in _CHOICES else value


def counts_at_once(name: str) -> bool:
    """Whether a change counts without a new start."""
    return name in AT_ONCE
