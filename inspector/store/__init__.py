"""The workspace: imported records, vectors and the log of edits in one DuckDB file (DESIGN 9, 10, 12).

Importing this package does not import DuckDB; opening a workspace does.
"""

from inspector.store.bundles import Difference, SaveReport
from inspector.store.editlog import Change, EditLog, Effective, Entry, Step
from inspector.store.ledger import UNEDITED, Key, Shift
from inspector.store.patch import read_patch, to_jsonl
from inspector.store.places import Recent, default_path, recent, workspaces_folder
from inspector.store.sqlpatch import DIALECTS, Dialect, SqlReport, to_sql
from inspector.store.workspace import Workspace, WorkspaceHeld

__all__ = [
    "DIALECTS",
    "UNEDITED",
    "Change",
    "Dialect",
    "Difference",
    "EditLog",
    "Effective",
    "Entry",
    "Key",
    "Recent",
    "SaveReport",
    "Shift",
    "SqlReport",
    "Step",
    "Workspace",
    "WorkspaceHeld",
    "default_path",
    "read_patch",
    "recent",
    "to_jsonl",
    "to_sql",
    "workspaces_folder",
]
