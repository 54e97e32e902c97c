/** Canonical JSON: RFC 8785 for objects, arrays, text, whole numbers, true, false and null. */

/** Return a value as canonical JSON; throw if it has none. */
export function canonical(value) {
  if (Array.isArray(value)) {
    return `[${value.map(canonical).join(",")}]`;
  }
  if (value !== null && typeof value === "object") {
    const names = Object.keys(value).sort();
    return `{${names.map((name) => `${canonical(name)}:${canonical(value[name])}`).join(",")}}`;
  }
  if (typeof value === "number" && !Number.isSafeInteger(value)) {
    throw new Error("a number that is no safe integer");
  }
  if (typeof value === "string" && !value.isWellFormed()) {
    throw new Error("text with half a character");
  }
  return JSON.stringify(value);
}

/** Return whether a text is canonical JSON. */
export function isCanonical(text) {
  try {
    return canonical(JSON.parse(text)) === text;
  } catch {
    return false;
  }
}
