"""Words of whole documents and of names: which document is meant, which word was meant.

In: the folded words of documents, titles and names. Out: scores of documents, files by name, and
the words behind prefixes, forms and typos. It must not know passages: their words are searched in
the store. Open ``lexicon`` first, then ``scores``; ``segments``, ``pending`` and ``postings`` are
how counts are kept, ``vocabulary`` and ``typos`` the words themselves.
"""
