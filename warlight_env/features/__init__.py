"""Features: the numbers that describe a position as the input of a network, and the kernels that compute them.

The packages `networks`, `agents`, `envs` and `train` import this package. To add a feature, add an entry to
`definitions` and compute it in the kernel of its group.
"""

from warlight_env.features.columns import FeatureBlock, Features, global_features, node_features, observed_features
from warlight_env.features.extraction import FeatureExtractor
from warlight_env.features.registry import Feature, Group

__all__ = [
    "FeatureExtractor",
    "Feature",
    "Features",
    "Group",
    "FeatureBlock",
    "global_features",
    "node_features",
    "observed_features",
]
