"""What rows are."""

import enum


class Partition(enum.Enum):
    """What the rows of a predicate are: known, to be inferred, or to learn from and be scored by."""

    OBSERVATIONS = "observations"
    TARGETS = "targets"
    TRUTH = "truth"
