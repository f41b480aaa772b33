"""What networks read of a position: where which number stands, and the kernels that write them."""

from warlight_env.features.describing import Describer
from warlight_env.features.layout import Feature, Features, Part, global_features, node_features, observed_features

__all__ = ["Describer", "Feature", "Features", "Part", "global_features", "node_features", "observed_features"]
