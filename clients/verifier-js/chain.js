/** The chain `montane/chain/1`: hashes, salts, commitments. */

import { hmac, joined, sha256, utf8, written } from "./bytes.js";
import { canonical } from "./canonical.js";

/** Return a hash over a tag, a zero byte, and what is hashed. */
async function tagged(tag, ...pieces) {
  return written(await sha256(joined(utf8(`${tag}\0`), ...pieces)));
}

/** Return the `previous` of a match's first event. */
export function genesis(match) {
  return tagged("montane/genesis/1", utf8(match));
}

/** Return the commitment to a part in canonical JSON, with a salt of 16 bytes. */
export function commitment(salt, part) {
  return tagged("montane/commitment/1", salt, utf8(part));
}

/** Return the hash of an event's record. */
export function recordHash(record) {
  return tagged("montane/chain/1", utf8(canonical(record)));
}

/** Return the hash of who asked for a command, of its idempotency key and the digest of what was asked. */
export function requestHash(by, key, digest) {
  return tagged("montane/request/1", utf8(canonical({ by, key, digest })));
}

/** Return the salt of the audience at a place: seats in seat order, then all; the key is of `hmacKey`. */
export async function salt(key, match, version, place) {
  const counter = new Uint8Array(8);
  new DataView(counter.buffer).setBigUint64(0, BigInt(Math.floor(place / 2)));
  const block = await hmac(await key, joined(utf8(`montane/salt/1/${match}/${version}`), counter));
  return place % 2 ? block.slice(16) : block.slice(0, 16);
}
