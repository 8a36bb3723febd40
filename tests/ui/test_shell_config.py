"""Settings and keymap files: what is wrong in them is named with file, key and the nearest name; defaults are used."""

from __future__ import annotations

from pathlib import Path

import pytest

from inspector.errors import InspectorError
from inspector.ui.actions import BY_ID, clashes
from inspector.ui.config import LOCAL_FOLDER, SETTINGS, load_config, write_atomically, write_setting
from inspector.ui.keymap import load_keymap, normal_key


def put(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def test_without_files_the_defaults_hold(config_home: Path) -> None:
    config = load_config()
    assert {setting.name: config[setting.name] for setting in SETTINGS} == {s.name: s.default for s in SETTINGS}
    assert config.problems == ()


def test_the_flag_wins_over_the_current_folder_and_that_over_the_user_s(config_home: Path, tmp_path: Path) -> None:
    put(config_home / "settings.toml", 'k = 5\ntheme = "inspector-light"\nroute = "global_bm25"')
    put(Path.cwd() / LOCAL_FOLDER / "settings.toml", 'k = 6\ntheme = "contrast-dark"')
    put(tmp_path / "given" / "settings.toml", "k = 7")
    config = load_config(tmp_path / "given")
    assert (config["k"], config["theme"], config["route"]) == (7, "contrast-dark", "global_bm25")
    assert config.given["k"] == str(tmp_path / "given" / "settings.toml")


@pytest.mark.parametrize(
    ("text", "field", "said"),
    [
        ("tehme = 'x'", "tehme", "did you mean theme?"),
        ("zzz = 1", "zzz", "one of theme"),
        ("k = 'many'", "k", "not a whole number"),
        ("k = true", "k", "not a whole number"),
        ("k = 0", "k", "from 1 to 10000"),
        ("isolation = 'sesion'", "isolation", "did you mean session?"),
        ("animation = 1", "animation", "true or false"),
        ("theme = 3", "theme", "a text in quotes"),
        ("not toml at all", "", "is not TOML"),
        ("k = 5\nk = 6", "", "is not TOML"),
    ],
)
def test_a_bad_setting_is_named_and_the_default_used(config_home: Path, text: str, field: str, said: str) -> None:
    path = put(config_home / "settings.toml", text + "\n")
    config = load_config()
    (problem,) = config.problems
    assert (problem.file, problem.field) == (str(path), field)
    assert said in str(problem)
    assert all(config[s.name] == s.default for s in SETTINGS if s.name != "animation")


def test_a_file_that_is_not_text_is_named(config_home: Path) -> None:
    (config_home / "settings.toml").write_bytes(b"\xff\xfe\x00")
    (problem,) = load_config().problems
    assert "UTF-8" in str(problem)


def test_a_setting_is_written_and_the_rest_of_the_file_kept(config_home: Path) -> None:
    path = put(config_home / "settings.toml", "# mine\nk = 5 # few\ntheme = 'contrast-dark'\n")
    assert write_setting("k", 9) == path
    assert path.read_text(encoding="utf-8") == "# mine\nk = 9\ntheme = 'contrast-dark'\n"
    write_setting("animation", False)
    write_setting("route", 'a"b\\c')
    config = load_config()
    assert (config["k"], config["animation"], config["route"]) == (9, False, 'a"b\\c')
    assert [each.name for each in config_home.iterdir()] == ["settings.toml"]


def test_a_value_that_cannot_stand_is_not_written(config_home: Path) -> None:
    with pytest.raises(InspectorError, match="from 1 to 10000"):
        write_setting("k", 0)
    put(config_home / "settings.toml", "broken")
    with pytest.raises(InspectorError, match="left as it is"):
        write_setting("k", 3)
    assert (config_home / "settings.toml").read_text(encoding="utf-8") == "broken"


def test_a_file_that_cannot_be_written_is_said(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x", encoding="utf-8")
    with pytest.raises(InspectorError, match="cannot be written"):
        write_atomically(tmp_path / "file" / "below", "y")


def test_keys_are_read_in_both_spellings(tmp_path: Path) -> None:
    path = put(tmp_path / "keymap.toml", '"app.help" = "f2"\ninspect.undo = "ctrl+z"\n[grid]\nmark = "m,x"\n')
    keymap = load_keymap([path])
    # x and m are taken by the screen around the table.
    assert keymap.keys == {"app.help": "f2", "inspect.undo": "ctrl+z"}
    (problem,) = keymap.problems
    assert problem.field == "grid.mark"
    assert "already" in problem.wrong


@pytest.mark.parametrize(
    ("text", "field", "said"),
    [
        ('"app.hlep" = "f2"', "app.hlep", "did you mean app.help?"),
        ('"nothing" = "f2"', "nothing", "help screen"),
        ('app.help = "bogus"', "app.help", "'bogus' is not a key"),
        ('app.help = "ctrl+"', "app.help", "is not a key"),
        ("app.help = 3", "app.help", "not a text"),
        ('app.help = ""', "app.help", "one or more keys"),
        ('app.theme = "q"', "app.theme", "q is already app.quit"),
        ('inspect.edit = "?"', "inspect.edit", "? is already app.help"),
        ("[", "", "is not TOML"),
    ],
)
def test_a_bad_key_is_named_and_the_default_stays(tmp_path: Path, text: str, field: str, said: str) -> None:
    path = put(tmp_path / "keymap.toml", text)
    keymap = load_keymap([path])
    assert keymap.keys == {}
    (problem,) = keymap.problems
    assert (problem.file, problem.field) == (str(path), field)
    assert said in str(problem)


def test_two_actions_can_change_places(tmp_path: Path) -> None:
    path = put(tmp_path / "keymap.toml", 'app.copy = "q"\napp.quit = "y"\n')
    keymap = load_keymap([path])
    assert keymap.problems == ()
    assert clashes(keymap.keys) == []


def test_what_is_left_after_a_clash_never_clashes(tmp_path: Path) -> None:
    # undo takes redo's key, redo takes q: q is the app's, so redo's line goes, and then undo's must go too.
    path = put(tmp_path / "keymap.toml", 'inspect.undo = "ctrl+r"\ninspect.redo = "q"\n')
    keymap = load_keymap([path])
    assert keymap.keys == {}
    assert {problem.field for problem in keymap.problems} == {"inspect.undo", "inspect.redo"}


def test_a_missing_keymap_file_is_said(config_home: Path) -> None:
    put(config_home / "settings.toml", 'keymap = "other.toml"\n')
    config = load_config()
    assert config.keymap_files == (config_home / "other.toml",)
    (problem,) = load_keymap(config.keymap_files).problems
    assert "No such file" in str(problem)


@pytest.mark.parametrize(
    ("key", "name"),
    [
        ("?", "question_mark"),
        ("+", "plus"),
        ("ctrl+e", "ctrl+e"),
        ("G", "G"),
        ("한", "한"),
        ("f12", "f12"),
        ("x+y", None),
    ],
)
def test_names_of_keys(key: str, name: str | None) -> None:
    assert normal_key(key) == name


def test_every_default_key_is_a_key() -> None:
    for action in BY_ID.values():
        for key in action.key_list():
            assert normal_key(key) == key, action.id
