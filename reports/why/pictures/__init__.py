"""The explanation as pictures; each module draws one kind, from the frames of `reports.why`."""
