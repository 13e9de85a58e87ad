"""A training step with one thing changed: the same work done another way, derived from the registry's rows."""
