import type { JetStreamManager } from 'nats';

// Which messages are new to the present connection and consumer. A broker that ends may forget the
// last acknowledgements, and what it had delivered; its end ends the connection too. A consumer that
// is made again has forgotten the same, and gets another horizon.

/** Knows where a stream ended when the present connection was made. */
export function createHorizon(connections: () => number) {
  let connection: number | undefined;
  let lastSeq = 0;
  let notedAt = new Date(0);
  return {
    /** Reads the end of the stream, once for each connection. */
    async note(manager: () => Promise<JetStreamManager>, stream: string): Promise<void> {
      const current = connections();
      if (connection === current) return;
      const { state } = await (await manager()).streams.info(stream);
      lastSeq = state.last_seq;
      notedAt = new Date();
      connection = current;
    },
    /** When that end was read; undefined unless the message with this number was stored later. */
    passedAt: (seq: number): Date | undefined =>
      connection === connections() && seq > lastSeq ? notedAt : undefined,
  };
}

export type Horizon = ReturnType<typeof createHorizon>;
