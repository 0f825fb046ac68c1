"""What the registry of problems reads, as far as pages need it."""

from typing import ClassVar

from harness.base import views as v
from harness.base.formats import plain
from harness.problems.protocol import View

__all__ = ["BENCHMARKS"]


def parts(index, question, choose):
    """The sky, whatever was measured; the town stands between the first part and the second."""
    yield v.Text(f"The weather of **{plain('a *town*')}**")
    town = choose("Town", "town", ["Aachen", "Bern"], show=str.upper, aside=False)
    yield v.Figures((v.Figure("rain in", town, "Millimetres."), v.Figure("sun in", question.target)))
    yield v.Grid(
        "sky",
        (
            v.GridColumn("town", ("Aachen", "Bern"), 100),
            v.GridColumn("rain (mm)", (12.345, None), 100, "%.1f", explain="Of a day."),
        ),
    )
    yield v.TextTable(("town", "said"), (("Aachen", "<b>wet</b>"),))
    rain = v.Series("rain", x=(3.0, 4.0), y=("Aachen", "Bern"), hover=("a", "b"), labels=("three", "four"))
    sun = v.Series("sun", (), (), ())
    yield v.Bars("bars", "Rain of each town", ("Aachen", "Bern"), (rain, sun), v.Axis("rain per day"), (v.Level(3.5),))
    hours = v.Series("cloud", x=(1.0, 2.0, 3.0), y=(10.0, 1.0, 10.0), hover=("a", "b", "c"), filled=False)
    level = v.Level(5.0, "overcast", "worse", "dot", above=False)
    yield v.Heading("Clouds")
    yield v.Steps("steps", "Clouds", (hours,), v.Axis("hour"), v.Axis("oktas", logarithmic=True), (level,))
    yield v.Links((v.Link("runs", "Where this is from", {}),))
    yield v.Text("rain is expected", "warning")
    yield v.Folded("Ask the sky", (v.Code("look --up", "bash"),))
    yield v.Query("SELECT 'sky'", f"harness leaderboard {v.command_options(BENCHMARKS.pages.view_of(question))}")


class Pages:
    """See ``harness.problems.protocol.Pages``."""

    parameters = ("season", "town")
    replay = "look again"
    script = "a barometer"
    views: ClassVar = {"standings": View("Standings", parts)}

    def ask(self, index, every, choose):
        """By the season, of which nothing depends."""
        choose("Season", "season", ["spring", "autumn"], default="autumn")
        return every[0]

    def require(self, index, question):
        """Nothing."""

    def view_of(self, question):
        """The question's."""
        return {"suite": question.suite, "track": question.track}

    def conditions(self, header):
        """The air's."""
        return {"pressure": "1013 hPa"}


class Weather:
    """See ``harness.problems.protocol.Benchmarks``."""

    called = "towns"
    tracks = frozenset({"weather"})
    pages = Pages()


BENCHMARKS = Weather()
