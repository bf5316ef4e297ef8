"""The interface of pslpython, over this engine: change the import and nothing else.

    from deeppsl.compat.pslpython import Model, Partition, Predicate, Rule

or, as there, from deeppsl.compat.pslpython.model import Model, and so on. It needs pandas, and no Java.
"""

from .model import Model, ModelError
from .partition import Partition
from .predicate import Predicate, PredicateError
from .rule import Rule, RuleError

__all__ = ["Model", "ModelError", "Partition", "Predicate", "PredicateError", "Rule", "RuleError"]
