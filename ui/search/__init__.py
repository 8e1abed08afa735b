"""The search page: the box and its filters, the results, and what one can do with them.

Owns everything between what is typed and the hit that is chosen. It must not know how a hit is
previewed or opened, nor how the engine answers.
"""
