"""Checks values against the part of JSON Schema that docs/schema uses; an unknown keyword is an error, not a pass."""

_TYPES = {
    "object": lambda v: isinstance(v, dict),
    "array": lambda v: isinstance(v, list),
    "string": lambda v: isinstance(v, str),
    "number": lambda v: isinstance(v, (int, float)) and not isinstance(v, bool),
    "integer": lambda v: isinstance(v, int) and not isinstance(v, bool),
    "null": lambda v: v is None,
}
_ANNOTATIONS = {"$schema", "$defs", "title", "description"}


def errors(value, schema, path="$", root=None):
    """Everything that is wrong with a value, as "path: what" texts. `root` holds the $defs; `schema` itself if it is left out."""
    root = schema if root is None else root
    if schema is False:
        return [f"{path}: nothing is allowed here"]
    found = []
    for keyword, argument in schema.items():
        if keyword in _ANNOTATIONS:
            continue
        if keyword not in _KEYWORDS:
            raise ValueError(f"the schema uses {keyword}, which this validator does not know")
        found += _KEYWORDS[keyword](value, argument, schema, path, root)
    return found


def _ref(value, pointer, _, path, root):
    prefix, name = pointer.rsplit("/", 1)
    if prefix != "#/$defs":
        raise ValueError(f"the schema refers to {pointer}, which this validator does not follow")
    return errors(value, root["$defs"][name], path, root)


def _type(value, names, _, path, _root):
    """One type, or a list of those that are allowed."""
    any_of = [names] if isinstance(names, str) else names
    return [] if any(_TYPES[name](value) for name in any_of) else [f"{path}: {value!r} is not of type {names}"]


def _enum(value, values, _, path, _root):
    return [] if value in values else [f"{path}: {value!r} is none of {values}"]


def _required(value, names, _, path, _root):
    return [f"{path}: {name} is missing" for name in names if isinstance(value, dict) and name not in value]


def _properties(value, schemas, _, path, root):
    if not isinstance(value, dict):
        return []
    return [
        e for name, schema in schemas.items() if name in value for e in errors(value[name], schema, f"{path}.{name}", root)
    ]


def _additional_properties(value, schema, parent, path, root):
    if not isinstance(value, dict):
        return []
    others = set(value) - set(parent.get("properties", {}))
    return [e for name in sorted(others) for e in errors(value[name], schema, f"{path}.{name}", root)]


def _prefix_items(value, schemas, _, path, root):
    if not isinstance(value, list):
        return []
    return [e for i, (item, schema) in enumerate(zip(value, schemas)) for e in errors(item, schema, f"{path}[{i}]", root)]


def _items(value, schema, parent, path, root):
    if not isinstance(value, list):
        return []
    first = len(parent.get("prefixItems", []))
    return [e for i, item in enumerate(value) if i >= first for e in errors(item, schema, f"{path}[{i}]", root)]


def _bound(holds, text):
    def check(value, bound, _, path, _root):
        return [] if not _TYPES["number"](value) or holds(value, bound) else [f"{path}: {value} is {text} {bound}"]

    return check


def _length(holds, text):
    def check(value, bound, _, path, _root):
        return [] if not isinstance(value, list) or holds(len(value), bound) else [f"{path}: {text} {bound} items"]

    return check


_KEYWORDS = {
    "$ref": _ref,
    "additionalProperties": _additional_properties,
    "type": _type,
    "enum": _enum,
    "required": _required,
    "properties": _properties,
    "prefixItems": _prefix_items,
    "items": _items,
    "minimum": _bound(lambda value, bound: value >= bound, "below"),
    "maximum": _bound(lambda value, bound: value <= bound, "above"),
    "minItems": _length(lambda length, bound: length >= bound, "fewer than"),
    "maxItems": _length(lambda length, bound: length <= bound, "more than"),
}
