"""What networks read of a position: where which number stands, and the kernels that write them."""

from warlight_env.features.columns import Feature, Features, Part, global_features, node_features, observed_features
from warlight_env.features.describing import Describer

__all__ = ["Describer", "Feature", "Features", "Part", "global_features", "node_features", "observed_features"]
