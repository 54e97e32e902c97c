"""Clients that ask for more than HTTP/1.1, or for less: Java's, which offers HTTP/2, and curl."""

import json
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.faces.server import Server

JAVA = """
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;

class Post {
    public static void main(String[] given) throws Exception {
        HttpClient client = HttpClient.newHttpClient();
        for (int number = 0; number < 3; number++) {
            HttpRequest request = HttpRequest.newBuilder(URI.create(given[0] + "/v1/players"))
                .header("Content-Type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofString("{\\"display_name\\": \\"Ann\\"}"))
                .build();
            HttpResponse<String> answer = client.send(request, HttpResponse.BodyHandlers.ofString());
            System.out.println(answer.statusCode() + " " + answer.version() + " " + answer.body());
        }
        var socket = new StringBuilder();
        var ended = new java.util.concurrent.CountDownLatch(1);
        client.newWebSocketBuilder().buildAsync(
            URI.create(given[0].replace("http", "ws") + "/v1/matches/match_00/socket"),
            new java.net.http.WebSocket.Listener() {
                public java.util.concurrent.CompletionStage<?> onText(
                        java.net.http.WebSocket one, CharSequence text, boolean last) {
                    socket.append(text);
                    one.request(1);
                    return null;
                }
                public java.util.concurrent.CompletionStage<?> onClose(
                        java.net.http.WebSocket one, int code, String reason) {
                    socket.append(" ").append(code);
                    ended.countDown();
                    return null;
                }
            }).join();
        ended.await();
        System.out.println(socket);
    }
}
"""


@pytest.fixture(scope="module")
def server(databases: Any) -> Iterator[Server]:
    """A server, of which nobody complains in the log."""
    with databases.fresh() as database, Server("--database-url", database, face="rest") as running:
        yield running
        said = running.stop()
    assert "ERROR" not in said
    assert "Traceback" not in said


def output(*command: str, within: Path) -> list[str]:
    """Return the lines that a program prints."""
    done = subprocess.run(command, cwd=within, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def three_players(lines: list[str]) -> bool:
    """Return whether three accounts were opened."""
    answers = [line.split(" ", 2) for line in lines]
    names = [json.loads(body)["player"]["display_name"] for _, _, body in answers]
    return [status for status, _, _ in answers] == ["201"] * 3 and names == ["Ann"] * 3


@pytest.mark.skipif(shutil.which("java") is None, reason="there is no Java")
def test_java_posts_and_opens_a_socket(server: Server, tmp_path: Path) -> None:
    """`java.net.http` offers to go on with HTTP/2, in a request that has a body."""
    (tmp_path / "Post.java").write_text(JAVA)
    *posted, socket = output("java", "Post.java", server.url, within=tmp_path)
    assert three_players(posted)
    assert "NO_SUCH_MATCH" in socket
    assert socket.endswith(" 4404")


@pytest.mark.skipif(shutil.which("curl") is None, reason="there is no curl")
def test_curl_posts(server: Server, tmp_path: Path) -> None:
    """With an offer of HTTP/2, asking first whether to go on, and as an old client."""
    (tmp_path / "large.json").write_text(json.dumps({"display_name": "Ann"}) + " " * 5_000)
    for flag in ("--http2", "--http1.0", "-HExpect: 100-continue", "-HTransfer-Encoding: chunked"):
        posted = (
            "--data-binary",
            "@large.json",
            "-HContent-Type: application/json",
            f"{server.url}/v1/players",
        )
        written = ("-w", "\\n%{http_code}")
        (body, status) = output("curl", "-sS", flag, *written, *posted, within=tmp_path)
        assert (status, json.loads(body)["player"]["display_name"]) == ("201", "Ann"), flag
