/** Bundles, `montane/bundle/1`: a match as one viewer saw it, checked line by line. */

import { hmacKey, read, utf8, written } from "./bytes.js";
import { canonical } from "./canonical.js";
import { genesis, salt } from "./chain.js";
import { decisionChance, seedCommitment } from "./chance.js";
import { dealt } from "./deals.js";
import { redrawing } from "./draws.js";
import { isSigned, signedHead } from "./heads.js";
import { flaw } from "./proof.js";

const HEADER = ["format", "game", "line", "match", "ruleset", "seats", "seed", "viewer"];
const EVENT = ["at", "line", "payload", "proof", "seat", "type", "version"];
const PROOF = ["commitments", "hash", "previous", "schema"];
const OF_PROOF = ["command", "public", "request", "salt"];
const END = ["head", "key", "line", "signature", "version"];
const KEY = ["crv", "kid", "kty", "use", "x"];

/** What is wrong with a bundle: the check that failed, the version at which it shows, and what it is. */
export class Altered extends Error {
  constructor(check, version, what) {
    super(`version ${version}: ${what}`);
    this.check = check;
    this.version = version;
    this.what = what;
  }
}

/** Whether a value is an object with these fields, and perhaps some others, which are not null if they are there. */
function has(value, names, others = []) {
  return (
    value !== null &&
    typeof value === "object" &&
    !Array.isArray(value) &&
    names.every((name) => name in value) &&
    Object.keys(value).every((name) => names.includes(name) || (others.includes(name) && value[name] !== null))
  );
}

function isText(...values) {
  return values.every((value) => typeof value === "string");
}

/** The check of one bundle. */
export class Verifier {
  #header = null;
  #key = null;
  #version = 0;
  #head = "";
  #end = null;
  #terms = null;
  #entropies = [];
  #decidedAt = 0;
  #chance = null;
  #table = null;
  #counts = { lines: 0, chain: 0, parts: 0, seed: 0, salts: 0, deals: 0, draws: 0, signature: 0 };

  /** Check the next line, bytes with a line feed at the end; throw `Altered` if something is wrong with it. */
  async take(bytes) {
    const place = this.#header === null ? 0 : this.#version + 1;
    const line = this.#read(bytes, place);
    if (line.line === "header" && this.#header === null) {
      await this.#begin(line);
    } else if (line.line === "event" && this.#header !== null && this.#end === null) {
      await this.#event(line, place);
    } else if (line.line === "end" && this.#version > 0 && this.#end === null) {
      await this.#close(line, place);
    } else {
      throw new Altered("lines", place, "the line stands in the wrong place");
    }
    this.#counts.lines += 1;
  }

  /** Return how often each check held, 0 where the bundle does not tell enough; throw `Altered` without an end. */
  counts() {
    if (this.#end === null) {
      throw new Altered("lines", this.#version + 1, "the end is missing");
    }
    return { ...this.#counts };
  }

  #read(bytes, place) {
    let line;
    try {
      const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
      line = JSON.parse(text);
      if (`${canonical(line)}\n` !== text) {
        throw new Error("the line is not canonical JSON");
      }
    } catch (error) {
      throw new Altered("lines", place, `not a line of a bundle: ${error.message}`);
    }
    if (!(isHeader(line) || isEvent(line) || isEnd(line))) {
      throw new Altered("lines", place, "not a line of a bundle");
    }
    return line;
  }

  async #begin(header) {
    const { kind, seat } = header.viewer;
    const sits = kind === "seat" ? seat >= 0 && seat < header.seats && seat !== null : seat === null;
    if (!sits || (header.seed === null) === (kind === "all")) {
      throw new Altered("lines", 0, "the header is of no viewer that there can be");
    }
    if (header.seed !== null) {
      try {
        this.#key = await hmacKey(read(header.seed));
      } catch (error) {
        throw new Altered("seed", 0, `the seed is ${error.message}`);
      }
    }
    this.#head = await genesis(header.match);
    this.#header = header;
  }

  async #event(event, version) {
    const { proof, payload } = event;
    if (event.version !== version) {
      throw new Altered("chain", version, `the line says version ${event.version}`);
    }
    if (proof.commitments.length !== this.#header.seats + 1) {
      throw new Altered("parts", version, "there are too few or too many commitments");
    }
    const found = await flaw(event, this.#header.viewer, this.#head);
    if (found !== null) {
      throw new Altered(found.check, version, found.what);
    }
    if (version === 1) {
      await this.#checkOpening(payload);
    }
    if (this.#key !== null) {
      await this.#checkSalt(proof, version);
      await this.#checkDeal(event, version);
      await this.#checkDraw(event, version);
    }
    this.#version = version;
    this.#head = proof.hash;
    this.#counts.chain += 1;
    this.#counts.parts += this.#header.viewer.kind === "spectator" ? 0 : 1;
  }

  async #checkOpening(payload) {
    const { game, ruleset, seats, seed } = this.#header;
    const terms = payload?.terms;
    if (payload?.type !== "match.opened") {
      throw new Altered("lines", 1, "the first event opens no match");
    }
    if (terms?.game !== game || terms.ruleset !== ruleset || terms.seats !== seats) {
      throw new Altered("lines", 1, "the match was opened for another game, ruleset or number of seats");
    }
    if (seed !== null && terms.seed_commitment !== (await seedCommitment(read(seed)))) {
      throw new Altered("seed", 1, "the seed is not the one that the match committed to");
    }
    this.#counts.seed = seed === null ? 0 : 1;
    this.#entropies = Array(seats).fill("");
    this.#terms = terms;
    this.#table = redrawing(terms);
  }

  async #checkSalt(proof, version) {
    const { match, seats } = this.#header;
    if (written(await salt(this.#key, match, version, seats)) !== proof.salt) {
      throw new Altered("salts", version, "the salt does not come from the seed");
    }
    this.#counts.salts += 1;
  }

  /** Check that the cards were dealt as the seed says, and keep what each seat gives to chance. */
  async #checkDeal({ payload, proof, type }, version) {
    if ("command" in proof) {
      this.#decidedAt = version - 1;
      this.#chance = null;
    }
    if (type === "match.seat_taken" || type === "match.seat_left") {
      this.#entropies[payload.seat] = payload.holder?.entropy ?? "";
    } else if (type === `${this.#header.game}.dealt`) {
      const expected = await dealt(this.#terms, await this.#chanceNow());
      if (expected !== null) {
        if (canonical({ ...expected, type }) !== canonical(payload)) {
          throw new Altered("deals", version, "the cards were not dealt as the seed says");
        }
        this.#counts.deals += 1;
      }
    }
  }

  /** Check that whatever was drawn since is what the seed says. */
  async #checkDraw({ payload, type }, version) {
    if (this.#table === null) {
      return;
    }
    if (type === "match.branched") {
      this.#table.begin(JSON.parse(payload.state));
      return;
    }
    const fair = await this.#table.take(payload, () => this.#chanceNow());
    if (fair === false) {
      throw new Altered("draws", version, "what was drawn is not what the seed says");
    }
    this.#counts.draws += fair === true ? 1 : 0;
  }

  /** Return the chance of the decision that is under way: the n-th draw of it has the n-th stream. */
  async #chanceNow() {
    const { match } = this.#header;
    this.#chance ??= await decisionChance(this.#key, match, this.#entropies, this.#decidedAt);
    return this.#chance;
  }

  async #close(end, place) {
    const { match } = this.#header;
    if (end.version !== this.#version || end.head !== this.#head) {
      throw new Altered("chain", place, "the end is not that of the last event");
    }
    if ((end.signature === null) !== (end.key === null)) {
      throw new Altered("signature", place, "signature and key come together");
    }
    if (end.signature !== null) {
      if (!(await isSigned(signedHead({ match, ...end }), end.signature, end.key))) {
        throw new Altered("signature", place, "the signature is not that of the head by this key");
      }
      this.#counts.signature = 1;
    }
    this.#end = end;
  }
}

function isHeader(line) {
  return (
    has(line, HEADER) &&
    line.line === "header" &&
    line.format === "montane/bundle/1" &&
    isText(line.game, line.match, line.ruleset) &&
    Number.isInteger(line.seats) &&
    (line.seed === null || isText(line.seed)) &&
    has(line.viewer, ["kind", "seat"]) &&
    ["seat", "spectator", "all"].includes(line.viewer.kind) &&
    (line.viewer.seat === null || Number.isInteger(line.viewer.seat))
  );
}

function isEvent(line) {
  return (
    has(line, EVENT) &&
    line.line === "event" &&
    has(line.proof, PROOF, OF_PROOF) &&
    Array.isArray(line.proof.commitments) &&
    isText(line.at, line.type, line.proof.hash, line.proof.previous, ...line.proof.commitments) &&
    isText(line.proof.salt ?? "", line.proof.request ?? "", line.proof.command ?? "")
  );
}

function isEnd(line) {
  return (
    has(line, END) &&
    line.line === "end" &&
    isText(line.head) &&
    (line.signature === null || isText(line.signature)) &&
    (line.key === null || (has(line.key, KEY) && isText(...Object.values(line.key))))
  );
}

/** Yield the lines of pieces of bytes, each with its line feed. */
export async function* linesOf(pieces) {
  let rest = new Uint8Array();
  for await (const piece of pieces) {
    let start = 0;
    for (let at = piece.indexOf(10); at >= 0; at = piece.indexOf(10, start)) {
      yield joinedWith(rest, piece.subarray(start, at + 1));
      rest = new Uint8Array();
      start = at + 1;
    }
    rest = joinedWith(rest, piece.subarray(start));
  }
  if (rest.length) {
    yield rest;
  }
}

function joinedWith(rest, piece) {
  const whole = new Uint8Array(rest.length + piece.length);
  whole.set(rest);
  whole.set(piece, rest.length);
  return whole;
}

/**
 * Return how often each check of a bundle held; throw `Altered` if one did not.
 *
 * The bundle is text, bytes, or pieces of bytes as a stream gives them.
 */
export async function verify(bundle) {
  const pieces = typeof bundle === "string" ? [utf8(bundle)] : bundle instanceof Uint8Array ? [bundle] : bundle;
  const verifier = new Verifier();
  for await (const line of linesOf(pieces)) {
    await verifier.take(line);
  }
  return verifier.counts();
}
