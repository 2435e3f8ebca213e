"""What every dashboard is made of."""
