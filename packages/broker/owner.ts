// Two installations must never share streams: each would take the other's messages. So a stream
// carries the id of the installation that made it.

/** The installation that a process belongs to. */
export type Owner = {
  id: string;
  /**
   * Whether a stream that carries no id is this installation's. `idAt` reads the message id at a
   * sequence number of the event stream.
   */
  recognises(idAt: (seq: number) => Promise<string | undefined>): Promise<boolean>;
};

/**
 * Something at the broker that this process must not use. The message is one line for an operator.
 * Waiting does not help.
 */
export class BrokerProblem extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'BrokerProblem';
  }
}
