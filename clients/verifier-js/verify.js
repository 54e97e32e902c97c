#!/usr/bin/env node
/** Checks bundles: `node verify.js FILE...`, `-` for standard input. Exit status 1 if one was altered. */

import { createReadStream } from "node:fs";

import { Altered, verify } from "./index.js";

const asked = process.argv.slice(2);
const files = asked.filter((argument) => argument !== "--json");
if (files.length === 0) {
  console.error("usage: node verify.js [--json] FILE...   (- for standard input, --json for a line of JSON a file)");
  process.exit(2);
}

/** Return what is to be said of a file: that it holds, or what is wrong. */
async function judged(file) {
  try {
    const counts = await verify(file === "-" ? process.stdin : createReadStream(file));
    return { file, holds: true, counts };
  } catch (error) {
    if (error instanceof Altered) {
      const { check, version, what } = error;
      return { file, holds: false, check, version, what };
    }
    throw error;
  }
}

/** Return it in words, a line a check. */
function inWords({ file, holds, counts, check, version, what }) {
  if (!holds) {
    return `${file}\n${check.padEnd(10)} FAILED at version ${version}: ${what}`;
  }
  const lines = Object.entries(counts).map(([name, count]) => name.padEnd(10) + (count ? ` ok ${count}` : " not told"));
  return [file, ...lines].join("\n");
}

for (const file of files) {
  const judgement = await judged(file);
  console.log(asked.includes("--json") ? JSON.stringify(judgement) : inWords(judgement));
  if (!judgement.holds) {
    process.exitCode = 1;
  }
}
