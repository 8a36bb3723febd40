"""Our themes are readable and told apart by everyone; the user's are checked before they can end the program."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual.color import Color
from textual.theme import Theme

from inspector.resources import resource_dir
from inspector.ui.theming import BACKGROUNDS, DEFAULT_THEME, FOREGROUNDS, OWN_VARIABLES, load_themes, own_defaults

OURS = load_themes().themes


def channels(color: Color) -> list[float]:
    """Linear RGB of sRGB (WCAG 2.2, relative luminance)."""
    return [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in (v / 255 for v in color.rgb)]


def luminance(color: Color) -> float:
    red, green, blue = channels(color)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: Color, other: Color) -> float:
    """WCAG 2.2 contrast ratio."""
    high, low = sorted((luminance(one), luminance(other)), reverse=True)
    return float((high + 0.05) / (low + 0.05))


def deuteranopia(color: Color) -> tuple[float, float, float]:
    """Linear RGB as seen without green cones: the matrix of Machado, Oliveira and Fernandes (2009), severity 1.0."""
    red, green, blue = channels(color)
    return (
        0.367322 * red + 0.860646 * green - 0.227968 * blue,
        0.280085 * red + 0.672501 * green + 0.047413 * blue,
        -0.011820 * red + 0.042940 * green + 0.968881 * blue,
    )


def protanopia(color: Color) -> tuple[float, float, float]:
    """Linear RGB as seen without red cones, from the same paper, severity 1.0."""
    red, green, blue = channels(color)
    return (
        0.152286 * red + 1.052583 * green - 0.204868 * blue,
        0.114503 * red + 0.786281 * green + 0.099216 * blue,
        -0.003882 * red - 0.048116 * green + 1.051998 * blue,
    )


def lab(linear: tuple[float, float, float]) -> tuple[float, float, float]:
    """CIE L*a*b* (D65) of linear RGB."""
    red, green, blue = (min(1.0, max(0.0, value)) for value in linear)
    x = (0.4124 * red + 0.3576 * green + 0.1805 * blue) / 0.95047
    y = 0.2126 * red + 0.7152 * green + 0.0722 * blue
    z = (0.0193 * red + 0.1192 * green + 0.9505 * blue) / 1.08883
    fx, fy, fz = (t ** (1 / 3) if t > 0.008856 else 7.787 * t + 16 / 116 for t in (x, y, z))
    return 116 * fy - 16, 500 * (fx - fy), 200 * (fy - fz)


def distance(one: tuple[float, float, float], other: tuple[float, float, float]) -> float:
    """CIE76 difference; 2.3 is just noticeable."""
    return float(sum((a - b) ** 2 for a, b in zip(lab(one), lab(other), strict=True)) ** 0.5)


def colour(theme: Theme, name: str) -> Color:
    variables = {**own_defaults(theme.dark), **theme.to_color_system().generate(), **theme.variables}
    return Color.parse(variables[name])


def test_there_are_dark_light_high_contrast_and_colour_blind_safe_themes() -> None:
    assert len(OURS) >= 5
    assert DEFAULT_THEME in OURS
    assert {theme.dark for theme in OURS.values()} == {True, False}
    assert load_themes().problems == ()


@pytest.mark.parametrize("name", sorted(OURS))
def test_every_text_is_readable_on_every_ground(name: str) -> None:
    theme = OURS[name]
    least = 7.0 if name.startswith("contrast") else 4.5
    poor = {
        (fore, back): round(contrast(colour(theme, fore), colour(theme, back)), 2)
        for fore in (*FOREGROUNDS, "foreground")
        for back in BACKGROUNDS
        if contrast(colour(theme, fore), colour(theme, back)) < least
    }
    assert poor == {}


@pytest.mark.parametrize("name", sorted(OURS))
@pytest.mark.parametrize("eye", [deuteranopia, protanopia])
def test_one_zero_and_unknown_differ_without_red_or_green_cones(name: str, eye: object) -> None:
    assert callable(eye)
    seen = [eye(colour(OURS[name], trit)) for trit in ("trit-yes", "trit-no", "trit-unknown")]
    # Ten times what is just noticeable between 1 and 0, five times between either and ?.
    assert distance(seen[0], seen[1]) > 23
    assert distance(seen[0], seen[2]) > 11.5
    assert distance(seen[1], seen[2]) > 11.5


@pytest.mark.parametrize("dark", [True, False])
def test_defaults_of_the_own_variables_are_readable(dark: bool) -> None:
    ground = own_defaults(dark)
    for fore in FOREGROUNDS:
        for back in ("cursor", "cursor-cell", "cursor-blurred"):
            assert contrast(Color.parse(ground[fore]), Color.parse(ground[back])) >= 4.5, (fore, back)


def test_our_themes_set_every_own_variable() -> None:
    for theme in OURS.values():
        assert set(OWN_VARIABLES) <= set(theme.variables), theme.name


GOOD = 'name = "mine"\ndark = true\n[colors]\nprimary = "#336699"\n[variables]\ntrit-yes = "#00ff00"\n'


@pytest.mark.parametrize(
    ("text", "field", "said"),
    [
        ("name = 3", "name", "letters"),
        ('name = "a b"', "name", "letters"),
        ('name = "a"\ndrak = true', "drak", "did you mean dark?"),
        ('name = "a"\ndark = "yes"', "dark", "true or false"),
        ('name = "a"\n[colors]\nprimray = "#fff"', "colors.primray", "did you mean primary?"),
        ('name = "a"\n[colors]\nprimary = "blurple"', "colors.primary", "blurple"),
        ('name = "a"\n[colors]\nprimary = 3', "colors", "table of texts"),
        ('name = "a"\n[colors]\naccent = "#fff"', "colors.primary", "missing"),
        (GOOD + 'trit-yess = "#fff"', "variables.trit-yess", "did you mean trit-yes?"),
        (GOOD + 'trit-no = "[red]"', "variables.trit-no", "[red]"),
        ("not toml", "", "is not TOML"),
    ],
)
def test_a_bad_theme_is_named_with_file_and_key_and_left_out(tmp_path: Path, text: str, field: str, said: str) -> None:
    (tmp_path / "bad.toml").write_text(text, encoding="utf-8")
    (tmp_path / "good.toml").write_text(GOOD, encoding="utf-8")
    loaded = load_themes([tmp_path])
    (problem,) = loaded.problems
    assert problem.field == field
    assert str(tmp_path / "bad.toml") in str(problem)
    assert said in str(problem)
    assert "mine" in loaded.themes


def test_a_user_theme_takes_the_place_of_ours(tmp_path: Path) -> None:
    (tmp_path / "x.toml").write_text(GOOD.replace("mine", DEFAULT_THEME), encoding="utf-8")
    assert load_themes([tmp_path]).themes[DEFAULT_THEME].primary == "#336699"


def test_theme_files_are_named_as_the_themes() -> None:
    assert {path.stem for path in resource_dir("themes").glob("*.toml")} == set(OURS)
