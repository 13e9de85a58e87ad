"""The two lessons as they were written: whole training loops, in seconds per lesson.

A warm lesson times the loop in this process after a short run; a cold one times a fresh process from its start.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from benchmarks.axes import over_cnn_lessons, over_iris_lessons

if TYPE_CHECKING:
    from fixtures.lessons import LessonPlan, MeasureLesson


@over_iris_lessons
def bench_iris_lesson(iris_lesson: LessonPlan, measure_lesson: MeasureLesson) -> None:
    """Full-batch epochs of the iris MLP."""
    measure_lesson(iris_lesson)


@over_cnn_lessons
def bench_cnn_lesson(cnn_lesson: LessonPlan, measure_lesson: MeasureLesson) -> None:
    """One epoch of the CNN at batch 128, every batch copied to the device."""
    measure_lesson(cnn_lesson)
