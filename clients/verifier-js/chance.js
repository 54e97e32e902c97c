/** Chance: the generator `montane/chance/1`. */

import { hex, hmac, hmacKey, joined, sha256, utf8 } from "./bytes.js";

/** An endless stream of bytes that key and context fix. */
export class ByteStream {
  #key;
  #context;
  #counter = 0;
  #block = new Uint8Array();
  #place = 0;

  /** Begin at the first byte; the key is bytes or what `hmacKey` gave, the context is text. */
  constructor(key, context) {
    this.#key = key instanceof Uint8Array ? hmacKey(key) : key;
    this.#context = utf8(context);
  }

  /** Return the next byte. */
  async next() {
    if (this.#place === this.#block.length) {
      const counter = new Uint8Array(8);
      new DataView(counter.buffer).setBigUint64(0, BigInt(this.#counter));
      this.#block = await hmac(await this.#key, joined(this.#context, counter));
      this.#counter += 1;
      this.#place = 0;
    }
    this.#place += 1;
    return this.#block[this.#place - 1];
  }

  /** Return the next so many bytes. */
  async take(size) {
    const bytes = new Uint8Array(size);
    for (let place = 0; place < size; place += 1) {
      bytes[place] = await this.next();
    }
    return bytes;
  }

  /** Return an unbiased number from 0 to below a bound, which is from 1 to 2^32. */
  async below(bound) {
    const bits = bound === 1 ? 0 : 32 - Math.clz32(bound - 1);
    for (;;) {
      let number = 0;
      for (let taken = 0; taken < bits; taken += 8) {
        number = number * 256 + (await this.next());
      }
      number %= 2 ** bits;
      if (number < bound) {
        return number;
      }
    }
  }

  /** Return items shuffled by Fisher-Yates, from the last index down to 1. */
  async shuffle(items) {
    const order = [...items];
    for (let last = order.length - 1; last > 0; last -= 1) {
      const other = await this.below(last + 1);
      [order[last], order[other]] = [order[other], order[last]];
    }
    return order;
  }
}

/** The chance of one decision: each shuffle or draw has a stream of its own. */
export class Chance {
  #key;
  #context;
  #number = 0;

  /** Take the key and the decision's context. */
  constructor(key, context) {
    this.#key = key;
    this.#context = context;
  }

  #stream() {
    this.#number += 1;
    return new ByteStream(this.#key, `${this.#context}/${this.#number - 1}`);
  }

  /** Return a number from 0 to below a bound. */
  below(bound) {
    return this.#stream().below(bound);
  }

  /** Return items in an order of chance. */
  shuffle(items) {
    return this.#stream().shuffle(items);
  }
}

/** Return the chance of the decision that is taken at a version of a match. */
export async function decisionChance(seed, match, entropies, version) {
  const texts = entropies.flatMap((entropy) => {
    const text = utf8(entropy);
    return [utf8(`${text.length}:`), text];
  });
  const hash = hex(await sha256(joined(...texts)));
  return new Chance(seed, `montane/chance/1/${match}/${hash}/${version}`);
}

/** Return what a match publishes of its seed at opening. */
export async function seedCommitment(seed) {
  return `sha256:${hex(await sha256(seed))}`;
}
