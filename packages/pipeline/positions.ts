import {
  arePositions,
  type Caller,
  clientCallOf,
  type Operation,
  within,
} from '@bailiwick/contract';
import { type KeyRing, openForPurpose, sealForPurpose } from '@bailiwick/keys';
import type { Log } from '@bailiwick/process';
import type { Database, Position, Reader } from '@bailiwick/store';

// The positions that changes return and lists bring back. They are sealed: in clear they would tell
// how much the installation writes, and a caller could invent one.

const purpose = 'position';
/** A change has been committed: its answer does not wait longer for its position. */
const limitMs = 250;
const warnEveryMs = 60_000;

/** Where a call's lists are read, and the position of its change. */
export type Positions = ReturnType<typeof createPositions>;

type Deps = {
  database: Pick<Database, 'readerAt' | 'readPosition'>;
  keyRing: KeyRing;
  log: Log;
};

/** Creates the positions of a service. Without a replica changes return none. */
export function createPositions({ database, keyRing, log }: Deps) {
  let warnedAt = Number.NEGATIVE_INFINITY;

  return {
    /** The reader of a call that brings these positions: of the primary for most operations. */
    readerOf({ fromReplica }: Operation, positions: string | undefined): Reader {
      return fromReplica
        ? database.readerAt(positions === undefined ? undefined : latest(keyRing, positions))
        : database.readerAt(undefined);
    },

    /**
     * The sealed position of a change that has been committed. Undefined if it is not known: the
     * client then forgets the earlier ones, as it must after a sign-in or a sign-out.
     */
    async ofChange(operation: Operation, caller: Caller): Promise<string | undefined> {
      if (!database.readPosition || !returnsPosition(operation, caller)) return undefined;
      try {
        const position = await within(limitMs, database.readPosition());
        if (!position) throw new Error(`it was not read within ${limitMs} ms`);
        return sealForPurpose(keyRing, purpose, textOf(position), []);
      } catch (error) {
        if (performance.now() - warnedAt > warnEveryMs) {
          warnedAt = performance.now();
          log.warn('a change returns no position: lists are read from the primary', { error });
        }
        return undefined; // The change is committed: its call succeeds.
      }
    },
  };
}

const returnsPosition = (
  { sideEffects, credential, sessionCookie }: Operation,
  caller: Caller,
): boolean =>
  sideEffects &&
  credential !== 'none' &&
  sessionCookie === undefined &&
  clientCallOf(caller) !== undefined;

const textOf = ({ server, lsn }: Position): string => `${server} ${lsn}`;

/** The latest of several positions. Undefined unless all are genuine, and of one server. */
function latest(keyRing: KeyRing, text: string): Position | undefined {
  if (!arePositions(text)) return undefined;
  try {
    return text
      .split(',')
      .map((sealed) => positionIn(openForPurpose(keyRing, purpose, sealed.trim(), [])))
      .reduce((last, next) => {
        if (next.server !== last.server) throw new Error('positions of two servers');
        return next.lsn > last.lsn ? next : last;
      });
  } catch {
    return undefined;
  }
}

function positionIn(text: string): Position {
  const [server = '', lsn = ''] = text.split(' ');
  return { server, lsn: BigInt(lsn) };
}
