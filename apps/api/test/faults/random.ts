/** Random choices that a seed repeats. */
export interface Random {
  /** From 0 to 1, 1 excluded. */
  next(): number;
  pick<Choice>(choices: readonly Choice[]): Choice;
}

/** Mulberry32: fair enough to choose faults. */
export function seededRandom(seed: number): Random {
  let state = seed;
  const next = () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  return { next, pick: (choices) => choices[Math.floor(next() * choices.length)] as (typeof choices)[number] };
}
