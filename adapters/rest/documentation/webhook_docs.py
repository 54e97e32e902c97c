"""What the server sends to webhooks, in the words of OpenAPI."""

from typing import Any

from services.notify.deliveries import CHALLENGES, PAUSES
from services.notify.subscriptions import KEPT_PENDING, MOST_PENDING, MessageType

MEANINGS = {
    MessageType.YOUR_TURN: "you have to choose now, and had not before; the deployment hears of any seat",
    MessageType.INVITED: "you were invited to a match",
    MessageType.STARTED: "a match began",
    MessageType.ENDED: "a match is over; `outcome` says how it ended",
    MessageType.CANCELLED: "a match was cancelled before it began",
    MessageType.CHAT: "something was said to you in a match; `message` is its id, by which the chat has it",
    MessageType.MATCH_EVENT: "an event of a match, in `event` as your seat sees it, or as a spectator does",
    MessageType.TEST: "the test that you asked for",
    MessageType.CHALLENGE: "a challenge to echo, see below",
}

DESCRIPTION = f"""Sent to the webhooks that subscribe to its type.

{chr(10).join(f"- `{type}`: {meaning}." for type, meaning in MEANINGS.items())}

Messages follow [Standard Webhooks](https://www.standardwebhooks.com): the packages of that name verify them
with the webhook's secret. `webhook-signature` has a second signature while a secret is changed. Refuse what
does not verify, and what is older than five minutes.

A new webhook, and one that was given another address, is `unproved`: nothing of a match is sent to it before
it proves that it wants messages. It gets a `webhook.challenge`, signed like all messages. Verify it, and
answer within 10 seconds with 200 and the body `{{"challenge": "..."}}`, which repeats `data.challenge`. In
Python:

```python
from standardwebhooks import Webhook

def answer(body: bytes, headers: dict[str, str]) -> tuple[int, dict[str, str]]:
    message = Webhook("whsec_...").verify(body, headers)  # raises what does not verify
    if message["type"] == "webhook.challenge":
        return 200, {{"challenge": message["data"]["challenge"]}}
    ...  # what is told, once for each webhook-id
    return 200, {{}}
```

A challenge is tried {CHALLENGES} times within some five minutes; then the webhook is disabled, and `PATCH`
with `enabled` asks again. The webhook is notified of what happens once it is `active`.

Answer all else with 2xx within 10 seconds; the body of the answer is ignored. Anything else, a redirect too,
is an attempt that failed. It is tried again {len(PAUSES)} times within some three days, after
{PAUSES[0].seconds} seconds at first and then more and more rarely, later if `Retry-After` asks for that.
Messages may come more than once, then with the same `webhook-id`, and in any order: `version` tells which is
the later.

Answer 410 to get no more: the webhook is disabled. It is disabled too when no attempt has succeeded for three
days. `GET /v1/webhooks/{{webhook}}` says why, and `PATCH` with `enabled` begins again.

At most {MOST_PENDING:,} messages are pending for a webhook. Then it is `paused`: no more are recorded for it,
and its owner's feed has an item `webhook_paused`. `PATCH` with `enabled` resumes it: of what is pending the
newest {KEPT_PENDING} messages are sent at once, the others are given up.
"""

HEADERS = {
    "webhook-id": "The message's id, `delivery_...`; the same at each attempt.",
    "webhook-timestamp": "When this attempt was made, in seconds since 1970.",
    "webhook-signature": "Signatures of id, timestamp and body: `v1,` and base 64, with spaces between them.",
}


def described(schema: dict[str, Any]) -> dict[str, Any]:
    """Return the document's `webhooks`.

    Args:
        schema: The body of a message.
    """
    operation = {
        "operationId": "receive_message",
        "tags": ["Webhooks"],
        "summary": "Be notified that something happened.",
        "description": DESCRIPTION,
        "parameters": [
            {
                "name": name,
                "in": "header",
                "required": True,
                "description": meaning,
                "schema": {"type": "string"},
            }
            for name, meaning in HEADERS.items()
        ],
        "requestBody": {"required": True, "content": {"application/json": {"schema": schema}}},
        "responses": {
            "2XX": {"description": "It arrived."},
            "410": {"description": "No more, please: the webhook is disabled."},
            "default": {"description": "It is tried again."},
        },
    }
    return {"message": {"post": operation}}
