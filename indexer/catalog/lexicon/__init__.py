"""An inverted index of whole documents and of names: BM25 by document, and query expansion.

In: the folded words of documents, titles and names. Out: scores of documents, files by name, and
the words that complete a prefix, share a stem or correct a typo. It must not know passages: the
store searches their words. Open ``lexicon`` first, then ``scores``; ``segments``, ``pending`` and
``postings`` store the counts, ``vocabulary`` and ``typos`` the words.
"""
