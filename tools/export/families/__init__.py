"""One module for each model family: what to build, and how its graph is written."""
