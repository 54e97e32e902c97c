"""What a connection string says to our connections."""

import pytest
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from adapters.postgres.connection.connections import (
    first_schema,
    limited,
    options_in,
    quoted,
    schema_of,
    session_of,
)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("", {}),
        ("-c lock_timeout=7s", {"lock_timeout": "7s"}),
        ("-clock_timeout=7s  --work-mem=4MB", {"lock_timeout": "7s", "work_mem": "4MB"}),
        (r"-c search_path=My\ Own,\ public", {"search_path": "My Own, public"}),
        (
            r"-c application_name=a\\b -c DateStyle=German",
            {"application_name": r"a\b", "datestyle": "German"},
        ),
    ],
)
def test_options_are_read_as_the_server_reads_them(text: str, found: dict[str, str]) -> None:
    """Words apart by spaces, of which a backslash takes the meaning; names in any case."""
    assert options_in(text) == found


@pytest.mark.parametrize("text", ["-d 5", "-c", "-c lock_timeout", "lock_timeout=7s", "-fs"])
def test_other_options_are_refused(text: str) -> None:
    """A switch of the server is no setting."""
    with pytest.raises(ValueError, match="expected -c name=value"):
        options_in(text)


@pytest.mark.parametrize(
    ("path", "schema"),
    [
        ("", ""),
        ("montane", "montane"),
        ("Montane, public", "montane"),
        ('"Montane", public', "Montane"),
        ('"a ""b"", c",public', 'a "b", c'),
        ('"$user", public', "$user"),
    ],
)
def test_the_first_schema_of_a_path_is_ours(path: str, schema: str) -> None:
    """Folded to lower case unless it is quoted."""
    assert first_schema(path) == schema


@pytest.mark.parametrize("schema", ["public", "Other", 'a "b", c', "it's\\so", "schéma"])
def test_a_connection_string_holds_the_schema(schema: str) -> None:
    """However often our settings are added; the server is sent no options, whatever the environment says."""
    held = limited(limited("host=localhost", schema=schema, pooled=True))
    assert schema_of(held) == schema
    session = session_of(held)
    assert session.pooled
    assert session.settings["search_path"] == quoted(schema)
    assert conninfo_to_dict(session.conninfo)["options"] == ""


def test_settings_of_a_connection_string_give_way_to_ours() -> None:
    """But for limits, and what changes nothing of what is read or written."""
    own = make_conninfo(
        "host=localhost client_encoding=LATIN1 application_name=mine",
        options="-c datestyle=German -c lock_timeout=7s -c work_mem=4MB",
    )
    session = session_of(limited(own))
    assert session.settings["datestyle"] == "ISO, MDY"
    assert session.settings["lock_timeout"] == "7s"
    assert session.settings["work_mem"] == "4MB"
    found = conninfo_to_dict(session.conninfo)
    assert (found["client_encoding"], found["application_name"]) == ("UTF8", "mine")


def test_of_several_hosts_the_one_that_writes_is_wanted() -> None:
    """Unless the connection string says which."""
    assert "target_session_attrs" not in limited("host=a")
    assert "target_session_attrs=read-write" in limited("host=a,b")
    assert "target_session_attrs=primary" in limited("host=a,b target_session_attrs=primary")
