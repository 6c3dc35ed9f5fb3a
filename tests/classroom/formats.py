"""JSON Schemas of what other graders read, written down from their documentation.

Gradescope: https://gradescope-autograders.readthedocs.io/en/latest/specs/ ("Output format").
Classroom 50: schemas/result-v1.schema.json of github.com/foundation50/classroom50, whose rules
are these; that no score exceeds its maximum is checked by its programs, and here by the test.
"""

_VISIBILITY = {"enum": ["hidden", "after_due_date", "after_published", "visible"]}
_FORMAT = {"enum": ["text", "html", "simple_format", "md", "ansi"]}
_TEXT = {"type": "string", "minLength": 1}
_COUNT = {"type": "integer", "minimum": 0}

GRADESCOPE = {
    "type": "object", "additionalProperties": False, "required": ["score", "tests"],
    "properties": {
        "score": {"type": "number"}, "execution_time": {"type": "number", "minimum": 0},
        "output": {"type": "string"}, "output_format": _FORMAT, "test_output_format": _FORMAT,
        "test_name_format": _FORMAT, "visibility": _VISIBILITY, "stdout_visibility": _VISIBILITY,
        "extra_data": {"type": "object"},
        "tests": {"type": "array", "items": {
            "type": "object", "additionalProperties": False, "properties": {
                "score": {"type": "number"}, "max_score": {"type": "number"},
                "status": {"enum": ["passed", "failed"]}, "name": {"type": "string"},
                "name_format": _FORMAT, "number": {"type": "string"},
                "output": {"type": "string"}, "output_format": _FORMAT,
                "tags": {"type": "array", "items": {"type": "string"}},
                "visibility": _VISIBILITY, "extra_data": {"type": "object"},
            },
        }},
        "leaderboard": {"type": "array", "items": {
            "type": "object", "additionalProperties": False, "required": ["name", "value"],
            "properties": {
                "name": {"type": "string"}, "value": {"type": ["number", "string"]},
                "order": {"enum": ["asc", "desc"]},
            },
        }},
    },
}

_MOMENT = {"type": "string", "pattern": r"^\d{4}-\d{2}-\d{2}T([01]\d|2[0-3]):[0-5]\d:[0-5]\dZ$"}
CLASSROOM50 = {
    "type": "object", "additionalProperties": False,
    "required": ["schema", "classroom", "assignment", "assignment_type", "owner", "submission",
                 "commit", "release", "review", "datetime", "score", "max-score", "tests"],
    "properties": {
        "schema": {"const": "classroom50/result/v1"}, "classroom": _TEXT, "assignment": _TEXT,
        "assignment_type": {"enum": ["individual", "group", "team"]}, "owner": _TEXT,
        "submission": {"type": "string", "pattern": "^submit/"}, "commit": _TEXT,
        "release": _TEXT, "review": _TEXT, "datetime": _MOMENT, "graded_at": _MOMENT,
        "submitted_by": {
            "type": "object", "additionalProperties": False, "required": ["username"],
            "properties": {"username": _TEXT, "id": {"type": ["integer", "null"]}},
        },
        "score": _COUNT, "max-score": _COUNT,
        "tests": {"type": "array", "items": {
            "type": "object", "required": ["test-name", "passed", "score", "max-score"],
            "properties": {"test-name": _TEXT, "passed": {"type": "boolean"}, "score": _COUNT,
                           "max-score": _COUNT},
        }},
    },
}
