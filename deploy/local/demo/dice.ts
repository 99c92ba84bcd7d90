/** Numbers that look random and are the same in every filling (mulberry32). */
export function createDice() {
  let state = 20_260_101;
  const next = (): number => {
    state = (state + 0x6d_2b_79_f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
  const between = ([least, most]: [number, number]): number =>
    least + Math.floor(next() * (most - least + 1));
  return {
    /** 0 to below 1. */
    next,
    /** A whole number, both ends included. */
    between,
    pick<T>(choices: readonly T[]): T {
      const choice = choices[between([0, choices.length - 1])];
      if (choice === undefined) throw new Error('nothing to pick from');
      return choice;
    },
  };
}

export type Dice = ReturnType<typeof createDice>;
