/** Checks that this verifier gives what the test vectors of `docs/vectors` say, in Node and in browsers. */

import { hex, hmacKey, read, unhex, utf8, written } from "./bytes.js";
import { canonical } from "./canonical.js";
import { commitment, genesis, recordHash, requestHash, salt } from "./chain.js";
import { ByteStream, decisionChance, seedCommitment } from "./chance.js";
import { included, isSigned, rootOf, signedDay, signedHead } from "./heads.js";

/** The files of vectors, and how each is checked: what is given, beside what has to come out. */
export const VECTORS = {
  "canonical.json": ofCanonical,
  "chance.json": ofChance,
  "chain.json": ofChain,
  "heads.json": ofHeads,
};

/** Return how many vectors of a file were checked; throw at the first that differs. */
export async function checked(name, vectors) {
  let count = 0;
  for await (const [what, given, expected] of VECTORS[name](vectors)) {
    if (canonical(given) !== canonical(expected)) {
      throw new Error(`${name}, ${what}: ${canonical(given)} instead of ${canonical(expected)}`);
    }
    count += 1;
  }
  return count;
}

async function* ofCanonical(vectors) {
  for (const vector of vectors) {
    yield ["canonical", canonical(vector.value), vector.canonical];
  }
}

async function* ofChance({ streams, numbers, shuffles, decisions }) {
  for (const { key, context, bytes } of streams) {
    yield ["stream", hex(await new ByteStream(unhex(key), context).take(bytes.length / 2)), bytes];
  }
  for (const { key, context, bounds, numbers: expected } of numbers) {
    const stream = new ByteStream(unhex(key), context);
    for (const [place, bound] of bounds.entries()) {
      yield ["number", await stream.below(bound), expected[place]];
    }
  }
  for (const { key, context, size, order } of shuffles) {
    yield ["shuffle", await new ByteStream(unhex(key), context).shuffle(Array(size).keys()), order];
  }
  for (const { seed, match, entropies, version, draws } of decisions) {
    const chance = await decisionChance(unhex(seed), match, entropies, version);
    for (const { shuffle, below, gives } of draws) {
      const drawn = shuffle === undefined ? chance.below(below) : chance.shuffle(Array(shuffle).keys());
      yield ["draw", await drawn, gives];
    }
  }
}

async function* ofChain(vectors) {
  for (const { match, previous } of vectors.genesis) {
    yield ["genesis", await genesis(match), previous];
  }
  for (const { seed, seed_commitment } of vectors.seeds) {
    yield ["seed", await seedCommitment(unhex(seed)), seed_commitment];
  }
  for (const { seed, match, version, seats, salts } of vectors.salts) {
    for (let place = 0; place <= seats; place += 1) {
      yield ["salt", written(await salt(hmacKey(unhex(seed)), match, version, place)), salts[place]];
    }
  }
  for (const vector of vectors.commitments) {
    yield ["commitment", await commitment(read(vector.salt), vector.part), vector.commitment];
  }
  for (const { by, key, digest, request } of vectors.requests) {
    yield ["request", await requestHash(by, key, digest), request];
  }
  for (const { record, hash } of vectors.records) {
    yield ["record", await recordHash(record), hash];
  }
}

async function* ofHeads({ key, trees, days, heads }) {
  for (const { leaves, root, paths } of trees) {
    for (const [place, path] of paths.entries()) {
      const [leaf, size] = [utf8(leaves[place]), leaves.length];
      yield ["root", hex(await rootOf(leaf, place, size, path.map(unhex))), root];
      yield ["longer path", await rootOf(leaf, place, size, [...path, root].map(unhex)), null];
    }
  }
  for (const { day, signed, signature, heads: proved } of days) {
    yield ["day", signedDay(day), signed];
    yield ["signature of a day", await isSigned(signed, signature, key.public), true];
    yield ["signature of another day", await isSigned(`${signed} `, signature, key.public), false];
    for (const { head, inclusion } of proved) {
      yield ["inclusion", await included(head, inclusion, day), true];
      yield ["other head", await included({ ...head, version: 0 }, inclusion, day), false];
    }
  }
  for (const { head, signed, signature } of heads) {
    yield ["head", signedHead(head), signed];
    yield ["signature", await isSigned(signed, signature, key.public), true];
    yield ["other key", await isSigned(signed, signature, { ...key.public, kid: key.public.x }), false];
  }
}
