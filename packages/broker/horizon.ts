import type { JetStreamManager } from 'nats';

// Which messages are new to the present connection and consumer. A broker that ends may forget the
// last acknowledgements, and what it had delivered; its end ends the connection too. A consumer that
// is made again has forgotten the same, and gets another horizon.

/** Knows where a stream ended when the present connection was made. */
export function createHorizon(connections: () => number) {
  let connection: number | undefined;
  let lastSeq = 0;
  return {
    /** Reads the end of the stream, once for each connection. */
    async note(manager: () => Promise<JetStreamManager>, stream: string): Promise<void> {
      const current = connections();
      if (connection === current) return;
      const { state } = await (await manager()).streams.info(stream);
      lastSeq = state.last_seq;
      connection = current;
    },
    /** Whether the broker has stored the message with this number since then. */
    isBeyond: (seq: number): boolean => connection === connections() && seq > lastSeq,
  };
}

export type Horizon = ReturnType<typeof createHorizon>;
