"""A lesson in a fresh process: what its user waits for, from starting Python to a trained network.

`python -m training.cold iris --device cpu --epochs 20000 --log-interval 1` prints one JSON object:
`start_up_time_s` (importing torch and the lesson, reading the data, a first tensor on the device,
the network and its optimizer),
`first_step_time_s`, `loop_time_s` (all steps, the first included), mean losses before and after, `accuracy` and the
thinned `loss_curve`.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from pathlib import Path

LESSONS = ("iris", "cnn")


def arguments(argv: list[str] | None = None) -> argparse.Namespace:
    """Parse the command line; `log_interval` is a number of epochs or "never"."""
    parser = argparse.ArgumentParser(prog="python -m training.cold", description=__doc__.splitlines()[0])
    parser.add_argument("lesson", choices=LESSONS)
    parser.add_argument("--device", default="cpu", help="name of the device (default: %(default)s)")
    parser.add_argument("--epochs", type=_count, default=1, help="passes over the data (default: %(default)s)")
    parser.add_argument(
        "--log-interval",
        type=_log_interval,
        default="never",
        help="epochs between reads, or never (default: %(default)s)",
    )
    parser.add_argument("--data-dir", type=Path, default=None, help="folder of MNIST, else digits (default: the cache)")
    return parser.parse_args(argv)


def _count(text: str) -> int:
    count = int(text)
    if count < 1:
        raise ValueError(text)
    return count


def _log_interval(text: str) -> int | str:
    return text if text == "never" else _count(text)


_count.__name__ = "number above zero"
_log_interval.__name__ = 'number of epochs above zero, or "never",'


def measure(options: argparse.Namespace) -> dict[str, object]:
    """Prepare and run one lesson, timing its parts; seconds everywhere.

    Raises:
        SystemExit: the device is unknown or not there, or the data folder is damaged; says so in one line.
    """
    start = time.perf_counter()
    # Importing torch is part of what is measured, so it happens here.
    from training import data, lessons, mnist  # noqa: PLC0415
    from training.devices import DEVICES, fix_precision, hardware_name  # noqa: PLC0415

    fix_precision()
    if options.device not in DEVICES:
        raise SystemExit(f"--device: unknown {options.device}; known: {', '.join(DEVICES)}")
    device = DEVICES[options.device]
    missing = device.missing()
    if missing is not None:
        raise SystemExit(missing)
    with device.host_threads():

        def prepare() -> lessons.Lesson:
            if options.lesson == "iris":
                return lessons.iris_lesson(data.iris(), device, options.epochs, options.log_interval)
            images = data.handwriting(options.data_dir or mnist.default_folder(), download=False)
            return lessons.cnn_lesson(images, device, options.epochs)

        try:
            lesson = prepare()
        except mnist.DataError as error:
            raise SystemExit(str(error)) from error
        lesson.time_first_step = True
        ready = device.clock()
        lesson.train()
        end = device.clock()
        return {
            "start_up_time_s": ready - start,
            "first_step_time_s": lesson.first_step_time_s,
            "loop_time_s": end - ready,
            "dataset": lesson.dataset.name,
            "device_name": hardware_name(lesson.placed_on()),
            "first_loss": prepare().mean_loss(),
            "last_loss": lesson.mean_loss(),
            "accuracy": lesson.accuracy(),
            "loss_curve": lessons.thinned(lesson.curve),
        }


def main() -> None:
    """Measure what the command line asks for and print it as JSON."""
    json.dump(measure(arguments()), sys.stdout)


if __name__ == "__main__":
    main()
