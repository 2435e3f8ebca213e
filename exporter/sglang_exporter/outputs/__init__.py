"""Records of output files to completions."""
