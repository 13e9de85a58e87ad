"""Why a step takes as long as it does, and what cures it: from measured primitives, counts and ablations.

The stages are the nouns: `primitives` and `facts` are read from the cases of a session, `prediction` puts them together
with the model of overlap in `pipeline`, `explanation` names shares, cause and cure.
"""
