"""The fuzz targets by name; each type of input has its own module."""
