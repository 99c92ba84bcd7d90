import process from 'node:process';
import { median } from './numbers.ts';

// What a bench is: a function that measures ours and something to measure it by, and returns rows.

export type Options = {
  /** How long one turn lasts. */
  seconds: number;
  /** How many turns each of the measured gets. */
  rounds: number;
  /** How many tasks a backlog has. */
  tasks: number;
  /** How long the soak lasts. */
  minutes: number;
};

export type Row = {
  id: string;
  what: string;
  unit: string;
  ours: number;
  /** The floor or the peer, and its number; without one the number itself is judged. */
  against?: string;
  other?: number;
  ratio?: number;
  /** The least or the most that the ratio, or without one the number, may be. A row without a target is there to be read. */
  target?: { least: number } | { most: number };
  /** Why there is nothing to compare with. */
  missing?: string;
  /** Requests without the right answer: a row with any has measured nothing. */
  errors?: number;
};

export type Bench = (options: Options) => Promise<Row[]>;

type Turns = Record<string, () => Promise<unknown>>;
type Results<Names extends Turns> = {
  [Name in keyof Names]: Array<Awaited<ReturnType<Names[Name]>>>;
};

/**
 * Gives each of the turns its part of every round, in another order each time: whatever else the machine does meets all of
 * them alike, and what one leaves in the caches is not always the same other's advantage. A round ahead warms up.
 */
export async function interleave<Names extends Turns>(
  turns: Names,
  rounds: number,
): Promise<Results<Names>> {
  const entries = Object.entries(turns);
  const results = Object.fromEntries(entries.map(([name]) => [name, [] as unknown[]]));
  for (let round = -1; round < rounds; round++) {
    for (const [name, turn] of entries.toSorted(() => Math.random() - 0.5)) {
      const result = await turn();
      if (round >= 0) results[name]?.push(result);
    }
    process.stderr.write('.');
  }
  return results as Results<Names>;
}

type Judged = Pick<Row, 'id' | 'what' | 'unit' | 'target'> & { against: string };

/** A row of two series of one run: the medians of both, and the median of the ratios of each round. */
export function compare(row: Judged, ours: readonly number[], other: readonly number[]): Row {
  const ratios = ours.map((value, round) => value / (other[round] ?? Number.NaN));
  return { ...row, ours: median(ours), other: median(other), ratio: median(ratios) };
}

/** The same where less is better and the target says how many times as good ours has to be. */
export function compareCost(row: Judged, ours: readonly number[], other: readonly number[]): Row {
  return {
    ...compare(row, ours, other),
    ratio: median(other.map((value, round) => value / (ours[round] ?? Number.NaN))),
  };
}

/** Adds the errors of everything that a row was made of. */
export function withErrors(
  row: Row,
  ...series: ReadonlyArray<ReadonlyArray<{ errors: number }>>
): Row {
  return { ...row, errors: series.flat().reduce((total, { errors }) => total + errors, 0) };
}

export function isMet({ ours, ratio, target, missing, errors = 0 }: Row): boolean | undefined {
  if (!target || missing !== undefined) return undefined;
  const judged = ratio ?? ours;
  return errors === 0 && ('least' in target ? judged >= target.least : judged <= target.most);
}
