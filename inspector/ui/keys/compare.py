"""Keys of the Compare screen."""

from __future__ import annotations

from collections.abc import Iterator

from inspector.ui.keys.action import Action, actions_of


def compare() -> Iterator[Action]:
    """The screen, its views and its plots."""

    act = actions_of("compare", "Compare")
    yield act("routes", "1", "Routes", "routes side by side at matched recall", run="view('routes')")
    yield act("plots", "2", "Plots", "the figures as plots", run="view('plots')")
    yield act("labels", "3", "Label errors", "what label errors cost each route", run="view('labels')")
    yield act("resolve", "4", "Resolve first", "which ? to resolve first", run="view('resolve')")
    yield act("lens", "5", "Lens", "verifier lens, and agreement of judgments", run="view('lens')")
    yield act("queries", "6", "Queries", "the queries behind the figure chosen last", run="view('queries')")
    yield act("next_view", "right_curly_bracket", "Next view", "the next view", run="step_view(1)")
    yield act("previous_view", "left_curly_bracket", "Previous view", "the view before", run="step_view(-1)")
    yield act("run", "R", "Run", "compare the routes; in 3 and 4 run what is shown there", "run")
    yield act("settings", "r", "Routes and settings", "routes, k, recall, cost, axes, seeds, scores", "choose")
    yield act("base", "b", "Base", "take differences from the route under the cursor", "base")
    yield act(
        "less_recall", "left_square_bracket,less_than_sign", "Less recall", "match .05 less recall", run="tau(-1)"
    )
    yield act(
        "more_recall", "right_square_bracket,greater_than_sign", "More recall", "match .05 more recall", run="tau(1)"
    )
    yield act("scope", "S", "Scope", "leave the scope axis out of the verdict, or take it in", run="axis('scope')")
    yield act("policy", "P", "Policy", "leave the policy axis out of the verdict, or take it in", run="axis('policy')")
    yield act(
        "lifecycle",
        "L",
        "Lifecycle",
        "leave the lifecycle axis out of the verdict, or take it in",
        run="axis('lifecycle')",
    )
    yield act("assumptions", "A", "Assumptions", "the figures without the assumptions, and with them again")
    yield act("variant", "v", "Next variant", "another way of letting through, another kind of label error", "variant")
    yield act("not_evaluable", "N", "Not evaluable", "the queries that require nothing and are left out")
    yield act("next_plot", "n", "Next plot", "to the next plot", run="step_plot(1)")
    yield act("previous_plot", "p", "Previous plot", "to the plot before", run="step_plot(-1)")
    yield act(
        "inspect", "w", "Inspect as it is", "the query in Inspect, on the route that is in force there", "inspect"
    )
    yield act("to_about", "D", "Detail", "to what is said of the figure under the cursor")
    yield act("leave", "o", "Back", "back to where Compare was opened")


def plots() -> Iterator[Action]:
    """Going about in a plot."""

    move = actions_of("plot", "Plot", palette=False)
    yield move("up", "up,k", "Up", "to the route before")
    yield move("down", "down,j", "Down", "to the next route")
    yield move("left", "left,h", "Left", "to a lesser prefix or rate")
    yield move("right", "right,l", "Right", "to a greater prefix or rate")
    yield move("choose", "enter", "Queries", "the queries behind the point under the cursor")
