import process from 'node:process';
import { median } from '@bailiwick/test/support/numbers.ts';

// A bench is a function that measures Bailiwick and a reference, and returns rows.

export type Options = {
  /** Duration of one turn. */
  seconds: number;
  /** Turns for each measured system. */
  rounds: number;
  /** Tasks in a backlog. */
  tasks: number;
  /** Duration of the soak. */
  minutes: number;
  /** G33 measures only this number of callers. */
  callers?: number;
  /** Users of the large installation. */
  users: number;
};

export type Row = {
  id: string;
  what: string;
  unit: string;
  ours: number;
  /**
   * The floor or the peer, and its number. Without one, the target applies to the number itself.
   */
  against?: string;
  other?: number;
  ratio?: number;
  /**
   * The limit for the ratio, or for the number if there is no ratio. A row without a target is only
   * informative.
   */
  target?: { least: number } | { most: number };
  /** The reason why there is no reference. */
  missing?: string;
  /** Requests without the right answer. A row with errors is not a measurement. */
  errors?: number;
};

export type Bench = (options: Options) => Promise<Row[]>;

type Turns = Record<string, () => Promise<unknown>>;
type Results<Names extends Turns> = {
  [Name in keyof Names]: Array<Awaited<ReturnType<Names[Name]>>>;
};

/**
 * Runs each turn once in every round, in random order: other load on the machine affects all of
 * them alike, and the contents of the caches do not always favour the same one. A first round warms
 * up and is not counted.
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

/**
 * A row from two series of one run: the medians of both, and the median of the ratios of each
 * round.
 */
export function compare(row: Judged, ours: readonly number[], other: readonly number[]): Row {
  const ratios = ours.map((rate, round) => rate / (other[round] ?? Number.NaN));
  return { ...row, ours: median(ours), other: median(other), ratio: median(ratios) };
}

/** The same for costs: less is better, and the target is how many times as good ours must be. */
export function compareCost(row: Judged, ours: readonly number[], other: readonly number[]): Row {
  return {
    ...compare(row, ours, other),
    ratio: median(other.map((cost, round) => cost / (ours[round] ?? Number.NaN))),
  };
}

/** Adds the errors of all parts of a row. */
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
