"""Write the teacher's weights as float16, small enough to travel."""
import sys

import numpy as np
from safetensors.numpy import load_file, save_file

source, target = sys.argv[1:3]
save_file({k: v.astype(np.float16) for k, v in load_file(source).items() if "position_ids" not in k and "pooler" not in k}, target)
