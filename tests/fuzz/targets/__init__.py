"""One module for each kind of input; `Target`s by their names."""
