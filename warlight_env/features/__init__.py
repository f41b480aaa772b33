"""What networks read of a position: where which number stands, and the kernels that write them."""

from warlight_env.features.columns import Features, Part, global_features, node_features, observed_features
from warlight_env.features.describing import Describer
from warlight_env.features.registry import Feature, Group

__all__ = ["Describer", "Feature", "Features", "Group", "Part", "global_features", "node_features", "observed_features"]
