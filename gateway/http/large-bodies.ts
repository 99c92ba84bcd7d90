import type { ServerResponse } from 'node:http';
import { callerNetwork } from '@bailiwick/contract';
import { exhausted } from '@bailiwick/errors';

// Bounds the memory that large bodies hold, as JSON and as forms.

/**
 * Bytes that large bodies may hold from arrival to response, in total and per client network. The
 * second limit stops a client that never finishes its bodies from blocking other networks.
 */
const heldBytes = { total: 64 * 1024 * 1024, perNetwork: 12 * 1024 * 1024 };

/** Nearly every request is smaller. */
export const largeBodyBytes = 64 * 1024;

/**
 * Returns a counter that holds the bytes of each large body until its response is sent. @throws
 * resource_exhausted beyond a limit
 */
export function createHolder({ total, perNetwork }: typeof heldBytes) {
  const heldBy = new Map<string, number>();
  let heldByAll = 0;

  function change(network: string, by: number): void {
    heldByAll += by;
    const bytes = (heldBy.get(network) ?? 0) + by;
    if (bytes === 0) heldBy.delete(network);
    else heldBy.set(network, bytes);
  }

  return (response: ServerResponse, ip: string): ((piece: Uint8Array) => void) => {
    let network = '';
    let size = 0;
    let reservation = 0;

    // Most bodies are small, and cost nothing.
    function begin(): void {
      network = callerNetwork(ip);
      response.once('close', () => {
        change(network, -reservation);
        reservation = 0;
      });
    }

    return (piece) => {
      size += piece.length;
      if (size <= largeBodyBytes || response.closed) return;
      if (network === '') begin();
      const more = size - reservation;
      if (heldByAll + more > total || (heldBy.get(network) ?? 0) + more > perNetwork)
        throw exhausted('too many concurrent large requests, try again', 1);
      reservation += more;
      change(network, more);
    };
  };
}

/** Counts the large bodies of this process. */
export const holdLarge = createHolder(heldBytes);
