"""What a policy rule's SQL may be made of (DESIGN 3, Policy): allow lists, read by the checker of parse trees."""

from __future__ import annotations

from typing import Literal

from inspector.i18n import N_

MAX_LENGTH = 4_000
MAX_DEPTH = 40
MAX_NODES = 500

SqlType = Literal["VARCHAR", "DOUBLE", "BOOLEAN", "TIMESTAMPTZ", "VARCHAR[]", "JSON"]
#: SQL type of each kind of field.
TYPE_OF_KIND: dict[str, SqlType] = {
    "id": "VARCHAR",
    "text": "VARCHAR",
    "word": "VARCHAR",
    "time": "TIMESTAMPTZ",
    "list": "VARCHAR[]",
    "number": "DOUBLE",
    "bool": "BOOLEAN",
    "namespace": "VARCHAR",
    "object": "JSON",
}
#: Lists inside objects whose type is known; every other leaf of an object reaches SQL as text.
INNER_LISTS: frozenset[tuple[str | int, ...]] = frozenset(
    {
        ("principal", "namespaces"),
        ("principal", "roles"),
        ("governs", "any_terms"),
        ("governs", "all_terms"),
        ("governs", "excluded_terms"),
        ("governs", "action_types"),
    }
)


def _words(*lines: str) -> frozenset[str]:
    return frozenset(word for line in lines for word in line.split())


#: Pure functions of their arguments: no clock, no chance, no file, no setting, no state, no output out of proportion.
FUNCTIONS = _words(
    "+ - * / // % ^ ** || ~~ !~~ ~~* !~~* ~~~ like_escape not_like_escape ilike_escape not_ilike_escape",
    "regexp_full_match regexp_matches regexp_extract -> ->> @> && ^@",
    "lower upper lcase ucase trim ltrim rtrim length len strlen contains starts_with ends_with prefix suffix",
    "substring substr left right replace split_part string_split str_split strip_accents nfc_normalize",
    "concat concat_ws position instr strpos levenshtein",
    "list_value list_contains list_has array_contains array_has list_has_any list_has_all array_has_any array_has_all",
    "list_position array_position list_extract array_extract array_length list_distinct list_intersect",
    "json_extract json_extract_string json_extract_path json_extract_path_text json_contains json_exists json_type",
    "json_array_length abs round floor ceil ceiling trunc sign greatest least isnan isfinite nullif if",
    "date_trunc datetrunc date_part datepart date_diff datediff date_sub datesub date_add year month day hour minute",
    "second dayofweek dayofyear isodow week quarter epoch epoch_ms epoch_us timezone to_years to_months to_weeks",
    "to_days to_hours to_minutes to_seconds to_milliseconds to_microseconds",
)
#: Functions that give a value where an argument is NULL.
ABSENCE_FUNCTIONS = _words("concat concat_ws nullif if greatest least list_value")
OPERATORS = _words(
    "OPERATOR_NOT OPERATOR_IS_NULL OPERATOR_IS_NOT_NULL OPERATOR_COALESCE OPERATOR_TRY COMPARE_IN COMPARE_NOT_IN",
    "ARRAY_EXTRACT STRUCT_EXTRACT ARRAY_SLICE",
)
ABSENCE_OPERATORS = _words("OPERATOR_IS_NULL OPERATOR_IS_NOT_NULL OPERATOR_COALESCE OPERATOR_TRY")
ABSENCE_COMPARISONS = _words("COMPARE_DISTINCT_FROM COMPARE_NOT_DISTINCT_FROM")
COMPARISONS = ABSENCE_COMPARISONS | _words(
    "COMPARE_EQUAL COMPARE_NOTEQUAL COMPARE_LESSTHAN COMPARE_GREATERTHAN COMPARE_LESSTHANOREQUALTO",
    "COMPARE_GREATERTHANOREQUALTO",
)
CASTS = _words(
    "VARCHAR TEXT STRING CHAR BPCHAR BOOLEAN BOOL LOGICAL TINYINT SMALLINT INTEGER INT INT4 INT8 BIGINT HUGEINT",
    "DOUBLE FLOAT8 FLOAT REAL DECIMAL NUMERIC DATE TIME TIMESTAMP DATETIME TIMESTAMPTZ INTERVAL JSON LIST",
) | {"TIMESTAMP WITH TIME ZONE"}
ARITHMETIC = _words("+ - * / // %")
CONSTANTS = _words("STRING INTEGER NUMERIC BOOLEAN NULL_LITERAL")
#: What a refused node is called.
REFUSED = {
    "SUBQUERY": N_("a subquery"),
    "STAR": N_("a star"),
    "WINDOW": N_("a window function"),
    "LAMBDA": N_("a lambda"),
    "PARAMETER": N_("a parameter"),
    "DEFAULT": "DEFAULT",
    "COLLATE": N_("a collation"),
    "POSITIONAL_REFERENCE": N_("a positional reference"),
}
