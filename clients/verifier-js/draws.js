/** What each game draws after its deal: shufflings, digs, new piles; each kept up with by its events alone. */

import { sha256, utf8 } from "./bytes.js";
import { ByteStream } from "./chance.js";
import { PACKS } from "./packs.js";

/**
 * Return what draws a match of a ruleset again; null for one that is not known here.
 *
 * Its `take(payload, chance)` takes in an event as the viewer that sees all is shown it, after those before
 * it. `chance` gives the chance of the decision. It returns null where nothing is drawn, else whether what was
 * drawn is what the event says.
 */
export function redrawing(terms) {
  const Table = TABLES[terms.ruleset];
  return Table === undefined ? null : new Table(terms, PACKS[terms.ruleset].cards);
}

const ROWS = [0, 1, 2, 3];

/** Rows of 13 cards or nulls; a redeal shuffles all but the finished parts. */
class Montana {
  #deal;
  #ranks;
  #cells = [];
  #redeals = 0;

  constructor({ options }, pack) {
    this.#deal = options.deal;
    this.#ranks = pack;
  }

  /** Go on from the table of a branch: the numbers of its cards as bytes. */
  begin({ cells, redeals_done }) {
    this.#cells = [...Uint8Array.from(atob(cells), (letter) => letter.charCodeAt(0))].map((number) =>
      number === 0 ? null : this.#ranks[number - 1],
    );
    this.#redeals = redeals_done;
  }

  async take(payload, chance) {
    switch (payload.type) {
      case "montana.dealt":
        this.#cells = payload.cards.map((card) => (card.startsWith("A") ? null : card));
        return null;
      case "montana.card_moved":
        this.#cells[payload.from_row * 13 + payload.from_column] = null;
        this.#cells[payload.row * 13 + payload.column] = payload.card;
        return null;
      case "montana.redealt":
        return this.#redeal(payload, chance);
      default:
        return null;
    }
  }

  async #redeal({ cells }, chance) {
    const rows = ROWS.map((row) => this.#cells.slice(row * 13, row * 13 + 13));
    const kept = rows.map((row) => this.#finished(row));
    const gathered = rows.flatMap((row, place) => row.slice(kept[place]).filter((card) => card !== null));
    this.#redeals += 1;
    const laid = await this.#shuffled(gathered, chance);
    this.#cells = rows.flatMap((row, place) => [
      ...row.slice(0, kept[place]),
      null,
      ...laid.splice(0, 12 - kept[place]),
    ]);
    return same(cells, this.#cells);
  }

  async #shuffled(cards, chance) {
    if (this.#deal === null) {
      return (await chance()).shuffle(cards);
    }
    const key = await sha256(utf8(`montane/deal/montana/${this.#deal}`));
    return new ByteStream(key, `redeal/${this.#redeals}`).shuffle(cards);
  }

  /** Return how many cards from the left run 2, 3, 4 ... in one suit. */
  #finished(row) {
    const first = this.#ranks.indexOf(row[0]);
    if (row[0] === null || first % 13 !== 1) {
      return 0;
    }
    const length = row.slice(0, 12).findIndex((card, place) => card !== this.#ranks[first + place]);
    return length < 0 ? 12 : length;
  }
}

/** Hands in the order of the pack, and mountains, the top card first. */
class Montanara {
  #order;
  #hands = [];
  #mountains = [];

  constructor(terms, pack) {
    this.#order = [...new Set(pack)];
  }

  begin({ hands, mountains }) {
    const kinds = (cards) => cards.map((card) => card.kind);
    this.#hands = hands.map((hand) => this.#sorted(kinds(hand)));
    this.#mountains = mountains.map(kinds);
  }

  async take(payload, chance) {
    const { type, seat, mountain } = payload;
    switch (type) {
      case "montanara.dealt":
        this.#hands = payload.hands.map((hand) => this.#sorted(hand));
        this.#mountains = payload.mountains.map((pile) => [...pile]);
        return null;
      case "montanara.card_taken":
        this.#put(seat, this.#mountains[mountain].shift());
        return null;
      case "montanara.dwarf_played":
        this.#play(seat, "dwarf");
        return null;
      case "montanara.cave_in_played":
        this.#play(seat, "cave_in");
        return null;
      case "montanara.theft_played":
        this.#hands = payload.hands.map((hand) => this.#sorted(hand));
        return null;
      case "montanara.tunnel_played":
        this.#play(seat, "tunnel");
        return null;
      case "montanara.drilling_played":
        this.#play(seat, "drilling");
        return null;
      case "montanara.card_placed":
        if (payload.on === "top") {
          this.#mountains[mountain].unshift(this.#mountains[mountain].pop());
        }
        return null;
      case "montanara.open_pit_played":
        this.#play(seat, "open_pit");
        this.#mountains[mountain].reverse();
        this.#put(seat, this.#mountains[mountain].shift());
        return null;
      case "montanara.shaking_played":
        this.#play(seat, "shaking");
        return this.#shake(payload, await chance());
      case "montanara.tunnel_arranged":
        return this.#arrange(payload, chance);
      case "montanara.card_dug":
        return this.#dig(seat, mountain, payload.card, chance);
      case "montanara.crystal_dug":
        return this.#dig(seat, mountain, "crystal", chance);
      case "montanara.cave_in_dug":
        return this.#dig(seat, mountain, "cave_in", chance);
      default:
        return null;
    }
  }

  async #shake({ first, second, mountains }, chance) {
    const order = await chance.shuffle([...this.#mountains[first], ...this.#mountains[second]]);
    [this.#mountains[first], this.#mountains[second]] = mountains.map((pile) => [...pile]);
    return same(order, mountains.flat());
  }

  async #arrange({ mountain, cards, chosen }, chance) {
    const seen = this.#mountains[mountain].splice(0, cards.length, ...cards);
    return chosen ? null : same(await (await chance()).shuffle(seen), cards);
  }

  async #dig(seat, mountain, card, chance) {
    if (mountain !== null) {
      this.#mountains[mountain].shift();
      return null;
    }
    const hand = this.#hands[seat];
    const drawn = hand[await (await chance()).below(hand.length)];
    this.#play(seat, card);
    return drawn === card;
  }

  #play(seat, card) {
    const place = this.#hands[seat].indexOf(card);
    if (place >= 0) {
      this.#hands[seat].splice(place, 1);
    }
  }

  #put(seat, card) {
    this.#hands[seat] = this.#sorted([...this.#hands[seat], card]);
  }

  #sorted(cards) {
    return [...cards].sort((one, other) => this.#order.indexOf(one) - this.#order.indexOf(other));
  }
}

/** Three piles, the top card first, and the discard pile, the oldest card first. */
class Montmartre {
  #piles = [];
  #discarded = [];

  begin({ piles, discard_pile }) {
    this.#piles = piles.map((pile) => [...pile]);
    this.#discarded = [...discard_pile];
  }

  async take(payload, chance) {
    switch (payload.type) {
      case "montmartre.dealt":
        this.#piles = payload.piles.map((pile) => [...pile]);
        return null;
      case "montmartre.cards_picked":
        this.#piles[payload.pile].splice(0, payload.cards.length);
        return null;
      case "montmartre.sold_off":
        this.#discarded.push(...payload.cards);
        return null;
      case "montmartre.painting_sold":
        this.#discarded.push(payload.painting);
        return null;
      case "montmartre.piles_renewed": {
        const cards = await (await chance()).shuffle([...this.#piles.flat(), ...this.#discarded]);
        const sizes = [0, 1, 2].map((pile) => Math.ceil((cards.length - pile) / 3));
        this.#piles = sizes.map((size) => cards.splice(0, size));
        this.#discarded = [];
        return same(this.#piles, payload.piles);
      }
      default:
        return null;
    }
  }
}

/** Open cards and those under them, the newest first; the discard pile, the oldest card first. */
class MountDrago {
  #open = [];
  #under = [];
  #discarded = [];

  begin({ open_cards, under, discard_pile }) {
    this.#open = [...open_cards];
    this.#under = under.map((cards) => [...cards]);
    this.#discarded = [...discard_pile];
  }

  async take(payload, chance) {
    const { type, seat, card } = payload;
    switch (type) {
      case "mount_drago.dealt":
        this.#open = [...payload.open_cards];
        this.#under = payload.open_cards.map(() => []);
        return null;
      case "mount_drago.card_played":
        this.#under[seat].unshift(payload.on_top ? this.#open[seat] : card);
        this.#open[seat] = payload.on_top ? card : this.#open[seat];
        return null;
      case "mount_drago.summit_cards_discarded":
        this.#discarded.push(...payload.cards);
        return null;
      case "mount_drago.draw_pile_renewed": {
        const cards = await (await chance()).shuffle([...this.#discarded, ...this.#under.flat()]);
        this.#under = this.#under.map(() => []);
        this.#discarded = [];
        return same(cards, payload.draw_pile);
      }
      default:
        return null;
    }
  }
}

/** Nothing is drawn after the deal. */
class Mountains {
  begin() {}

  async take() {
    return null;
  }
}

const TABLES = {
  "montana/1": Montana,
  "montanara/1": Montanara,
  "montmartre/1": Montmartre,
  "mount_drago/recon-1": MountDrago,
  "mountains/recon-1": Mountains,
};

function same(one, other) {
  return JSON.stringify(one) === JSON.stringify(other);
}
