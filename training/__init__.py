"""What is trained: networks, data, devices and the training loops, in plain torch.

Usable from a notebook or a profiler; knows neither pytest nor the reports.
"""
