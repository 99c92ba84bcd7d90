import type { Broker } from '../../broker.ts';

type Listener = (body: string, answer: (body: string) => void) => void;

/** Delivers signals at once, to all listeners of the process, while it is not away. */
export function localBroker() {
  const state = { isAway: false };
  const listeners = new Map<string, Listener[]>();
  const signal = (subject: string, body: string, reply?: string): void => {
    for (const listen of listeners.get(subject) ?? [])
      listen(body, (text) => reply !== undefined && signal(reply, text));
  };
  return {
    state,
    signal: (...signalInput: Parameters<typeof signal>) =>
      state.isAway ? undefined : signal(...signalInput),
    async listen(subject: string, listener: Listener): Promise<void> {
      listeners.set(subject, [...(listeners.get(subject) ?? []), listener]);
    },
    async reach() {
      if (state.isAway) throw new Error('the broker is away');
    },
    connections: () => 1,
    isConnected: () => true,
  } as unknown as Broker & { state: typeof state };
}
