/** How each game deals at the beginning, from the chance of the decision that begins the match. */

import { ByteStream } from "./chance.js";
import { sha256, utf8 } from "./bytes.js";
import { PACKS } from "./packs.js";

/** Return what the game's `dealt` event says, but for its type; null for a game or ruleset that is not known here. */
export async function dealt(terms, chance) {
  const pack = PACKS[terms.ruleset];
  return pack === undefined ? null : DEALS[terms.ruleset](pack, terms, chance);
}

const DEALS = {
  "montana/1": async ({ cards }, { options }, chance) => {
    const { deal, redeal_policy, redeals } = options;
    if (deal === null) {
      return { cards: await chance.shuffle(cards), deal, redeal_policy, redeals };
    }
    const key = await sha256(utf8(`montane/deal/montana/${deal}`));
    return { cards: await new ByteStream(key, "deal").shuffle(cards), deal, redeal_policy, redeals };
  },

  "montanara/1": async ({ cards }, { options, seats }, chance) => {
    const first_seat = await chosen(options.first_seat, seats, chance);
    const [hands, rest] = taken(await chance.shuffle(cards), Array(seats).fill(3));
    const [mountains] = taken(rest, options.piles);
    const dwarfed = hands.map((hand) => inOrder(["dwarf", ...hand], cards));
    return { first_seat, hands: dwarfed, mountains, tunnel_order: options.tunnel_order };
  },

  "montmartre/1": async ({ cards }, { options, seats }, chance) => {
    const first_seat = await chosen(options.first_seat, seats, chance);
    const [hands, rest] = taken(await chance.shuffle(cards), Array(seats).fill(4));
    const sizes = [0, 1, 2].map((pile) => Math.floor(rest.length / 3) + (pile < rest.length % 3 ? 1 : 0));
    const [piles] = taken(rest, sizes);
    return { first_seat, hands: hands.map((hand) => inOrder(hand, cards)), piles };
  },

  "mount_drago/recon-1": async ({ cards }, { options, seats }, chance) => {
    const first_seat = await chosen(options.first_seat, seats, chance);
    const open_cards = [];
    const left = [...cards];
    let choice = cards;
    for (let seat = 0; seat < seats; seat += 1) {
      const card = choice[await chance.below(choice.length)];
      open_cards.push(card);
      left.splice(left.indexOf(card), 1);
      choice = choice.filter((other) => colour(other) !== colour(card));
    }
    const [hands, draw_pile] = taken(await chance.shuffle(left), Array(seats).fill(6));
    return { draw_pile, first_seat, hands: hands.map((hand) => inOrder(hand, cards)), open_cards };
  },

  "mountains/recon-1": async ({ cards, decks }, { options, seats }, chance) => {
    const first_seat = await chosen(options.first_seat, seats, chance);
    const shuffled = [];
    for (const deck of decks) {
      shuffled.push(await chance.shuffle(deck));
    }
    const size = { 2: 8, 3: 6, 4: 4, 5: 3 }[seats];
    const [hands, draw_pile] = taken(await chance.shuffle(cards), Array(seats).fill(size));
    const sorted = hands.map((hand) => inOrder(hand, cards));
    const { summit_books } = options;
    return { decks: shuffled, draw_pile, first_seat, hands: sorted, stones: 8, summit_books };
  },
};

/** Return the seat that begins: a draw only if chance is asked. */
function chosen(first, seats, chance) {
  return first === "random" ? chance.below(seats) : first;
}

/** Return piles of these sizes, taken from the front one after the other, and what is left. */
function taken(cards, sizes) {
  let place = 0;
  const piles = sizes.map((size) => {
    place += size;
    return cards.slice(place - size, place);
  });
  return [piles, cards.slice(place)];
}

/** Return cards in the order of their pack. */
function inOrder(cards, pack) {
  return [...cards].sort((one, other) => pack.indexOf(one) - pack.indexOf(other));
}

function colour(card) {
  return card.slice(0, card.lastIndexOf("-"));
}
