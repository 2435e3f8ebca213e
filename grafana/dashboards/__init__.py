"""The dashboards, one module or package each."""
