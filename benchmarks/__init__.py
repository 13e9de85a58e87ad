"""What is timed: the axes of the matrix, and benchmarks whose bodies read like sentences."""
