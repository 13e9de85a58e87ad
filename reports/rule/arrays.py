"""The arrays that the stages pass on: one entry a case, or one row a session or window and one column a case."""

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]
Ints = NDArray[np.int64]
Objects = NDArray[np.object_]
