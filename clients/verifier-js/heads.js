/** Heads: their signatures, and Merkle trees over those of a day (RFC 6962 §2.1). */

import { joined, read, sha256, utf8, written } from "./bytes.js";
import { canonical } from "./canonical.js";

const LEAF = Uint8Array.of(0);
const NODE = Uint8Array.of(1);

/** Return the root of the tree that has a value at a place, by its path; null if that is no proof. */
export async function rootOf(leaf, place, size, path) {
  if (!(place >= 0 && place < size)) {
    return null;
  }
  const neighbours = [...path];
  let reached = await sha256(joined(LEAF, leaf));
  while (size > 1) {
    const neighbourPlace = place % 2 ? place - 1 : place + 1;
    if (neighbourPlace < size) {
      if (neighbours.length === 0) {
        return null;
      }
      const neighbour = neighbours.shift();
      reached = await sha256(place % 2 ? joined(NODE, neighbour, reached) : joined(NODE, reached, neighbour));
    }
    place = Math.floor(place / 2);
    size = Math.ceil(size / 2);
  }
  return neighbours.length ? null : reached;
}

/** Return whether a head, `{match, version, head}`, is proved to be among those of a day. */
export async function included(head, inclusion, day) {
  const root = await rootOf(utf8(canonical(head)), inclusion.place, day.size, inclusion.path.map(read));
  return root !== null && written(root) === day.root;
}

/** Return what is signed of a finished match. */
export function signedHead({ match, version, head }) {
  return canonical({ tag: "montane/head/1", match, version, head });
}

/** Return what is signed of a day. */
export function signedDay({ date, size, root }) {
  return canonical({ tag: "montane/day/1", date, size, root });
}

/** Return whether a signature of a text is by the holder of a key, a JSON Web Key whose id is its thumbprint. */
export async function isSigned(text, signature, key) {
  const thumbprint = written(await sha256(utf8(canonical({ crv: key.crv, kty: key.kty, x: key.x }))));
  if (key.crv !== "Ed25519" || key.kty !== "OKP" || key.use !== "sig" || key.kid !== thumbprint) {
    return false;
  }
  try {
    const imported = await crypto.subtle.importKey("raw", read(key.x), "Ed25519", false, ["verify"]);
    return await crypto.subtle.verify("Ed25519", imported, read(signature), utf8(text));
  } catch {
    return false;
  }
}
