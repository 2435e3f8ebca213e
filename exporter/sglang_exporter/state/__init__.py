"""Pure folds: events to the state that metrics are read from."""
