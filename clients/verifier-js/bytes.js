/** Bytes, their texts, and the hashes of WebCrypto, which Node and browsers share. */

const ENCODER = new TextEncoder();

/** Return a text in UTF-8. */
export function utf8(text) {
  return ENCODER.encode(text);
}

/** Return several pieces of bytes as one. */
export function joined(...pieces) {
  const whole = new Uint8Array(pieces.reduce((size, piece) => size + piece.length, 0));
  let place = 0;
  for (const piece of pieces) {
    whole.set(piece, place);
    place += piece.length;
  }
  return whole;
}

/** Return bytes in base64url without padding (RFC 4648 §5). */
export function written(bytes) {
  const text = btoa(String.fromCharCode(...bytes));
  return text.replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

/** Return the bytes that a text in base64url without padding stands for; throw if it is not the one that does. */
export function read(text) {
  let bytes;
  try {
    bytes = Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (letter) => letter.charCodeAt(0));
  } catch {
    throw new Error("not base64url without padding");
  }
  if (written(bytes) !== text) {
    throw new Error("not base64url without padding");
  }
  return bytes;
}

/** Return bytes in hexadecimal. */
export function hex(bytes) {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** Return the bytes that a hexadecimal text stands for. */
export function unhex(text) {
  return Uint8Array.from(text.match(/../g) ?? [], (pair) => parseInt(pair, 16));
}

/** Return whether two pieces of bytes are the same. */
export function same(one, other) {
  return one.length === other.length && one.every((byte, place) => byte === other[place]);
}

/** Return SHA-256. */
export async function sha256(bytes) {
  return new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
}

/** Return a key for `hmac`. */
export function hmacKey(bytes) {
  return crypto.subtle.importKey("raw", bytes, { name: "HMAC", hash: "SHA-256" }, false, ["sign"]);
}

/** Return HMAC-SHA-256. */
export async function hmac(key, bytes) {
  return new Uint8Array(await crypto.subtle.sign("HMAC", key, bytes));
}
