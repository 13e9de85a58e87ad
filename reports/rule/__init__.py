"""The verdict rule: every session's history replayed, each stage a small function on arrays of cases."""
