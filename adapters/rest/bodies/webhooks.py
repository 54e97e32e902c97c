"""What clients send and get around webhooks."""

from typing import Annotated

from msgspec import UNSET, Meta, Struct, UnsetType

from services.notify.addresses import LONGEST_URL
from services.notify.subscriptions import LONGEST_DESCRIPTION, MessageType, Webhook, WebhookOwner

type Url = Annotated[str, Meta(min_length=1, max_length=LONGEST_URL)]
type Description = Annotated[str, Meta(max_length=LONGEST_DESCRIPTION)]
type Types = Annotated[tuple[MessageType, ...], Meta(min_length=1, max_length=64)]


class WebhookRequest(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A webhook to make.

    Attributes:
        url: Where messages are sent: `https://...`, without user and fragment. An address of a private
            network is refused, unless the server allows these.
        events: The types of messages that are sent. `invited` and `chat` are not for the deployment.
        description: What it is for, at most 200 printable characters.
        owner: Whose it is; the deployment's needs the scope `admin`.
    """

    url: Url
    events: Types
    description: Description = ""
    owner: WebhookOwner = WebhookOwner.PLAYER


class WebhookChangesRequest(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What is to be different of a webhook; what is left out stays as it is.

    Attributes:
        url: Where messages are sent, those that are pending too, once the target has echoed a challenge.
        events: The types of messages that are sent.
        description: What it is for, at most 200 printable characters.
        enabled: Whether messages are sent. One that is disabled gives up what is pending; one that is enabled
            is notified of what happens from then on. So is one that is paused, by `true`; of what is
            pending for it the newest 500 messages are sent at once and the others given up.
    """

    url: Url | UnsetType = UNSET
    events: Types | UnsetType = UNSET
    description: Description | UnsetType = UNSET
    enabled: bool | UnsetType = UNSET


class NewWebhook(Struct, frozen=True):
    """A fresh webhook.

    Attributes:
        webhook: The webhook.
        secret: What verifies its messages, `whsec_...`. It is shown this once. The server has to keep it as
            it is, for it signs with it.
    """

    webhook: Webhook
    secret: str


class WebhookSecret(Struct, frozen=True):
    """A new secret of a webhook.

    Attributes:
        secret: What verifies its messages from now on, `whsec_...`. It is shown this once.
    """

    secret: str
