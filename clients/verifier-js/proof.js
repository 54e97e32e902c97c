/** What proves a single event to a viewer, in a bundle or as it happens in a stream. */

import { read } from "./bytes.js";
import { canonical, isCanonical } from "./canonical.js";
import { commitment, recordHash } from "./chain.js";

const OF_A_VIEWER = ["command", "public", "request", "salt"];

/**
 * Return what is wrong with an event as a viewer was shown it, as `{check, what}`; null if it is proved.
 *
 * @param event `{at, payload, proof, seat, type, version}` as the server sent it.
 * @param viewer `{kind, seat}`, of kind "seat", "spectator" or "all".
 * @param previous Hash of the event before; `genesis` of the match for the first.
 */
export async function flaw({ at, payload, proof, seat, type, version }, viewer, previous) {
  const part = canonical(payload);
  const { commitments, schema } = proof;
  const { command = "null", request = null } = proof;
  if (!isMadeFor(viewer, proof, part) || !isCanonical(command)) {
    return { check: "parts", what: "the proof is not one for this viewer" };
  }
  if (proof.previous !== previous) {
    return { check: "chain", what: "the hash before is not that of the event before, or of the match" };
  }
  const shown = "public" in proof ? proof.public : payload;
  const record = { at, commitments, previous, public: shown, schema, seat, type, version };
  if ((await recordHash(record)) !== proof.hash) {
    return { check: "chain", what: "the hash is not that of the event" };
  }
  if (viewer.kind === "spectator") {
    return null;
  }
  const whole = viewer.kind === "all";
  const place = whole ? commitments.length - 1 : viewer.seat;
  const committed = whole ? canonical({ command: JSON.parse(command), event: payload, request }) : part;
  const opened = await opens(commitments[place], proof.salt, committed);
  return opened ? null : { check: "parts", what: "what the viewer was shown is not what was committed to" };
}

/** Return whether a proof has what one for this viewer has, and nothing else. */
function isMadeFor(viewer, proof, part) {
  const fits = {
    all: "salt" in proof,
    seat: "salt" in proof && !("request" in proof || "command" in proof),
    spectator: !OF_A_VIEWER.some((name) => name in proof),
  };
  return fits[viewer.kind] && !("public" in proof && canonical(proof.public) === part);
}

/** Return whether a commitment is one to a part, with a salt. */
async function opens(committed, salt, part) {
  try {
    return (await commitment(read(salt), part)) === committed;
  } catch {
    return false;
  }
}
