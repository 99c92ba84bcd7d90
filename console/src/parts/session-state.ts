import { useSyncExternalStore } from 'react';

// Whether the session has ended while the console was open. The views stay as they are, so that
// nothing that was typed is lost.

let hasEnded = false;
const listeners = new Set<() => void>();

export function setSessionEnded(ended: boolean): void {
  if (ended === hasEnded) return;
  hasEnded = ended;
  for (const listener of listeners) listener();
}

const subscribe = (listener: () => void) => {
  listeners.add(listener);
  return () => void listeners.delete(listener);
};

export const useSessionEnded = (): boolean => useSyncExternalStore(subscribe, () => hasEnded);
