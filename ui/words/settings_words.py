"""What settings, their pages and their choices are called in the window.

Owns the labels. The help is the one that is declared with each setting; it is listed here so that
it can be translated, and a test proves that both say the same. A setting that is not here goes by
its name.
"""

from __future__ import annotations

from ui.words.mark import QT_TRANSLATE_NOOP, say

GROUPS = {
    "window": QT_TRANSLATE_NOOP("Words", "Window"),
    "search": QT_TRANSLATE_NOOP("Words", "Search"),
    "reading": QT_TRANSLATE_NOOP("Words", "Reading"),
    "library": QT_TRANSLATE_NOOP("Words", "Library"),
    "advanced": QT_TRANSLATE_NOOP("Words", "Advanced"),
}

# Name: label and help.
SETTINGS = {
    "theme": (
        QT_TRANSLATE_NOOP("Words", "Colours"),
        QT_TRANSLATE_NOOP("Words", "Colours of the window."),
    ),
    "language": (
        QT_TRANSLATE_NOOP("Words", "Language"),
        QT_TRANSLATE_NOOP("Words", "Language of the window."),
    ),
    "text_scale": (
        QT_TRANSLATE_NOOP("Words", "Size of text (%)"),
        QT_TRANSLATE_NOOP("Words", "Size of the window's text, in percent of the system's."),
    ),
    "preview": (
        QT_TRANSLATE_NOOP("Words", "Preview"),
        QT_TRANSLATE_NOOP(
            "Words", "Show the page of the selected passage beside the results."
        ),
    ),
    "viewer": (
        QT_TRANSLATE_NOOP("Words", "Viewer"),
        QT_TRANSLATE_NOOP(
            "Words",
            "Command that opens a document at a page, such as okular --page {page} {path}; "
            "empty: the system's viewer.",
        ),
    ),
    "close_to_tray": (
        QT_TRANSLATE_NOOP("Words", "Close to the tray"),
        QT_TRANSLATE_NOOP(
            "Words", "Closing the window leaves Lectern in the tray, watching the folders."
        ),
    ),
    "start_at_login": (
        QT_TRANSLATE_NOOP("Words", "Start at login"),
        QT_TRANSLATE_NOOP("Words", "Start Lectern in the tray when you log in."),
    ),
    "hotkey": (
        QT_TRANSLATE_NOOP("Words", "Hotkey"),
        QT_TRANSLATE_NOOP(
            "Words",
            "Keys that open the search from anywhere, such as Ctrl+Alt+L; empty: none.",
        ),
    ),
    "history": (
        QT_TRANSLATE_NOOP("Words", "History"),
        QT_TRANSLATE_NOOP("Words", "Remember what was searched for, on this machine only."),
    ),
    "speed": (
        QT_TRANSLATE_NOOP("Words", "Speed"),
        QT_TRANSLATE_NOOP("Words", "How much of the machine indexing may take."),
    ),
    "hidden": (
        QT_TRANSLATE_NOOP("Words", "Hidden files"),
        QT_TRANSLATE_NOOP("Words", "Read hidden files and folders too."),
    ),
    "exclude": (
        QT_TRANSLATE_NOOP("Words", "Leave out everywhere"),
        QT_TRANSLATE_NOOP(
            "Words", "Patterns to leave out, in gitignore syntax, beside the built-in ones."
        ),
    ),
    "ocr": (
        QT_TRANSLATE_NOOP("Words", "Recognise text"),
        QT_TRANSLATE_NOOP(
            "Words", "Recognise the text on scanned pages, where Tesseract is installed."
        ),
    ),
    "ocr_languages": (
        QT_TRANSLATE_NOOP("Words", "Languages of scans"),
        QT_TRANSLATE_NOOP(
            "Words",
            "Languages of scanned pages, the likeliest first, such as de or deu; empty: the "
            "system's, English and others that Tesseract has.",
        ),
    ),
    "min_free_gb": (
        QT_TRANSLATE_NOOP("Words", "Keep free (GB)"),
        QT_TRANSLATE_NOOP("Words", "Indexing pauses while less disk than this is free, in GB."),
    ),
    "max_pdf_mb": (
        QT_TRANSLATE_NOOP("Words", "Largest PDF (MB)"),
        QT_TRANSLATE_NOOP("Words", "Larger PDF files are left out, in MB."),
    ),
    "max_text_mb": (
        QT_TRANSLATE_NOOP("Words", "Largest text file (MB)"),
        QT_TRANSLATE_NOOP("Words", "Larger text files are left out, in MB."),
    ),
    "max_markup_mb": (
        QT_TRANSLATE_NOOP("Words", "Largest web page (MB)"),
        QT_TRANSLATE_NOOP("Words", "Larger Markdown and HTML files are left out, in MB."),
    ),
    "library": (
        QT_TRANSLATE_NOOP("Words", "Place of the library"),
        QT_TRANSLATE_NOOP(
            "Words", "Folder of the library; empty: a folder in your user data."
        ),
    ),
    "offline": (
        QT_TRANSLATE_NOOP("Words", "Offline"),
        QT_TRANSLATE_NOOP(
            "Words", "Never use the network, not even for a model that is missing."
        ),
    ),
    "model": (
        QT_TRANSLATE_NOOP("Words", "Language model"),
        QT_TRANSLATE_NOOP("Words", "Embedding model, by name."),
    ),
    "device": (
        QT_TRANSLATE_NOOP("Words", "Device"),
        QT_TRANSLATE_NOOP("Words", "Where the model runs."),
    ),
    "precision": (
        QT_TRANSLATE_NOOP("Words", "Precision of documents"),
        QT_TRANSLATE_NOOP(
            "Words", "Weights used for documents: int8 is twice as fast, fp32 exact."
        ),
    ),
    "query_precision": (
        QT_TRANSLATE_NOOP("Words", "Precision of queries"),
        QT_TRANSLATE_NOOP("Words", "Weights used for queries."),
    ),
    "sentence_vectors": (
        QT_TRANSLATE_NOOP("Words", "Vectors of sentences"),
        QT_TRANSLATE_NOOP(
            "Words",
            "How the vectors of sentences are kept: none saves disk and costs precision.",
        ),
    ),
    "threads": (
        QT_TRANSLATE_NOOP("Words", "Threads"),
        QT_TRANSLATE_NOOP(
            "Words", "Threads of the model while indexing; 0: one for each core."
        ),
    ),
    "readers": (
        QT_TRANSLATE_NOOP("Words", "Readers"),
        QT_TRANSLATE_NOOP(
            "Words", "Documents read at the same time; 0: half as many as cores, or two."
        ),
    ),
    "document_silence_s": (
        QT_TRANSLATE_NOOP("Words", "Patience (s)"),
        QT_TRANSLATE_NOOP(
            "Words", "A document without a sign of progress for so many seconds is given up."
        ),
    ),
    "document_memory_mb": (
        QT_TRANSLATE_NOOP("Words", "Memory for a document (MB)"),
        QT_TRANSLATE_NOOP("Words", "Memory that reading one document may take, in MB."),
    ),
}  # fmt: skip

_CHOICES = {
    "system": QT_TRANSLATE_NOOP("Words", "As the system"),
    "light": QT_TRANSLATE_NOOP("Words", "Light"),
    "dark": QT_TRANSLATE_NOOP("Words", "Dark"),
    "en": "English",
    "de": "Deutsch",
    "slow": QT_TRANSLATE_NOOP("Words", "Slow"),
    "normal": QT_TRANSLATE_NOOP("Words", "Normal"),
    "fast": QT_TRANSLATE_NOOP("Words", "Fast"),
    "auto": QT_TRANSLATE_NOOP("Words", "The best there is"),
    "cpu": "CPU",
    "cuda": "CUDA",
    "directml": "DirectML",
    "coreml": "Core ML",
    "none": QT_TRANSLATE_NOOP("Words", "None"),
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
