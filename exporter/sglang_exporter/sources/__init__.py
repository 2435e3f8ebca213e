"""What is followed: the files of each entry of the configuration, and what their lines are folded into."""
