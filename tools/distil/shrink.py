"""Write a teacher's weights as float16, small enough to travel.

From a safetensors file, or from the four-bit weights (groups of 32, a float16 scale each) of the crate pocket-encoder.
"""
import json
import os
import sys

import numpy as np
from safetensors.numpy import load_file, save_file


def unpack(state, shapes):
    out = {}
    for name, shape in shapes.items():
        if len(shape) < 2:
            out[name] = state[name]
            continue
        packed = state[f"{name}.q4"].view(np.uint8).ravel()
        nibbles = np.stack([packed & 15, packed >> 4], 1).ravel()[: int(np.prod(shape))].astype(np.float32) - 8
        scales = np.repeat(state[f"{name}.scales"].view(np.float16).ravel().astype(np.float32), 32)[: len(nibbles)]
        out[name] = (nibbles * scales).reshape(shape)
    return out


source, target = sys.argv[1:3]
state = load_file(source)
shapes = os.path.join(os.path.dirname(source), "shapes.json")
if os.path.exists(shapes):
    with open(shapes, encoding="utf-8") as handle:
        state = unpack(state, json.load(handle))
save_file({k: v.astype(np.float16) for k, v in state.items() if "position_ids" not in k and "pooler" not in k}, target)
