/** node --test: the vectors of `docs/vectors`, and the bundles there. */

import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import test from "node:test";

import { Altered, flaw, genesis, verify } from "./index.js";
import { VECTORS, checked } from "./vectors.js";

const FOLDER = new URL("../../docs/vectors/", import.meta.url);
const BUNDLES = new URL("bundles/", FOLDER);

for (const name of Object.keys(VECTORS)) {
  test(`the vectors of ${name}`, async () => {
    const vectors = JSON.parse(readFileSync(new URL(name, FOLDER), "utf8"));
    assert.ok((await checked(name, vectors)) > 10);
  });
}

for (const name of readdirSync(BUNDLES)) {
  const bytes = readFileSync(new URL(name, BUNDLES));
  const events = bytes.toString().split("\n").length - 3;
  const { kind } = JSON.parse(bytes.toString().split("\n")[0]).viewer;
  const whole = kind === "all";

  test(`the bundle ${name}`, async () => {
    const counts = await verify(bytes);
    assert.deepEqual([counts.lines, counts.chain, counts.signature], [events + 2, events, 1]);
    assert.equal(counts.parts, kind === "spectator" ? 0 : events);
    assert.deepEqual([counts.seed, counts.salts], whole ? [1, events] : [0, 0]);
    assert.equal(counts.deals, whole && !name.includes("_branch") ? 1 : 0);
    assert.ok(!name.includes("_draws") || counts.draws > 0);
  });

  test(`the events of ${name}, one by one`, async () => {
    const [header, ...lines] = bytes.toString().trimEnd().split("\n").map((line) => JSON.parse(line));
    let previous = await genesis(header.match);
    for (const event of lines.slice(0, -1)) {
      assert.equal(await flaw(event, header.viewer, previous), null);
      assert.equal((await flaw(event, header.viewer, header.match)).check, "chain");
      assert.equal((await flaw({ ...event, payload: {} }, header.viewer, previous)).what.length > 0, true);
      previous = event.proof.hash;
    }
  });

  test(`the bundle ${name} with a byte altered`, async () => {
    for (let place = 0; place < bytes.length; place += Math.max(997, bytes.length >> 5)) {
      const altered = Uint8Array.from(bytes);
      altered[place] ^= 1 << place % 8;
      const line = bytes.subarray(0, place).toString().split("\n").length - 1;
      await assert.rejects(verify(altered), (error) => {
        assert.ok(error instanceof Altered, error);
        assert.ok(error.version === line || line === 0, `${place}: ${error.message}`);
        return true;
      });
    }
  });
}
