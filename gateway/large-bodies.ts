import type { ServerResponse } from 'node:http';
import { exhausted } from '@bailiwick/shared/errors.ts';
import { callerNetwork } from '@bailiwick/shared/limits.ts';

// The bound on the memory that large bodies hold, as JSON and as forms.

/**
 * What large bodies may hold of the process' memory, from their arrival to their answers: all together, and those of one network,
 * so that a client that never ends its bodies keeps no other network's out.
 */
const heldBytes = { total: 64 * 1024 * 1024, perNetwork: 12 * 1024 * 1024 };

/** Larger than what nearly every operation needs. */
export const largeBodyBytes = 64 * 1024;

/** Returns a counter of the bytes of each large body until its answer has been sent. It throws where they become too many. */
export function createHolder({ total, perNetwork }: typeof heldBytes) {
  const heldBy = new Map<string, number>();
  let heldByAll = 0;

  function change(network: string, by: number): void {
    heldByAll += by;
    const held = (heldBy.get(network) ?? 0) + by;
    if (held === 0) heldBy.delete(network);
    else heldBy.set(network, held);
  }

  return (response: ServerResponse, ip: string): ((piece: Uint8Array) => void) => {
    const network = callerNetwork(ip);
    let arrived = 0;
    let held = 0;
    response.once('close', () => {
      change(network, -held);
      held = 0;
    });
    return (piece) => {
      arrived += piece.length;
      if (arrived <= largeBodyBytes || response.closed) return;
      const more = arrived - held;
      if (heldByAll + more > total || (heldBy.get(network) ?? 0) + more > perNetwork)
        throw exhausted('too many large requests at once, try again', 1);
      held += more;
      change(network, more);
    };
  };
}

/** Counts the large bodies of this process. */
export const holdLarge = createHolder(heldBytes);
