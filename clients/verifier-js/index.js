/** Checks bundles of Montane matches, in Node and in browsers; `docs/fairness.md` describes all of it. */

export { hex, read, unhex, written } from "./bytes.js";
export { canonical } from "./canonical.js";
export { commitment, genesis, recordHash, requestHash, salt } from "./chain.js";
export { ByteStream, decisionChance, seedCommitment } from "./chance.js";
export { included, isSigned, rootOf, signedDay, signedHead } from "./heads.js";
export { Altered, Verifier, linesOf, verify } from "./bundle.js";
export { flaw } from "./proof.js";
