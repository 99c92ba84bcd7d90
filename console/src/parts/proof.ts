import { BailiwickError, type ErrorReason } from '@bailiwick/client/errors.ts';
import { useSyncExternalStore } from 'react';

// Some calls need a recent sign-in or a second factor. The user proves it in a dialog above the
// view, which keeps everything that was typed, and the refused call is repeated.

/** recent: the sign-in is too old. factor: it lacks the second factor. */
export type Lack = 'recent' | 'factor';

const lacks: Partial<Record<ErrorReason, Lack>> = {
  RECENT_LOGIN_REQUIRED: 'recent',
  FACTOR_REQUIRED: 'factor',
};

/** The proof that a call lacks; undefined for all other errors. */
export const lackOf = (error: unknown): Lack | undefined =>
  error instanceof BailiwickError ? lacks[error.Reason as ErrorReason] : undefined;

export type AskedProof = { lack: Lack; settle: (isProven: boolean) => void };

let asked: (AskedProof & { proven: Promise<boolean> }) | undefined;
const listeners = new Set<() => void>();
const notify = () => {
  for (const listener of listeners) listener();
};

/** Opens the dialog, or joins the open one. Resolves to false if the user closes it. */
export function askForProof(lack: Lack): Promise<boolean> {
  if (asked) return asked.proven;
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const settle = (isProven: boolean) => {
    asked = undefined;
    resolve(isProven);
    notify();
  };
  asked = { lack, settle, proven: promise };
  notify();
  return promise;
}

/** Makes a call. If it lacks a proof, asks the user for it and makes the call once more. */
export async function withProof<Answer>(call: () => Promise<Answer>): Promise<Answer> {
  try {
    return await call();
  } catch (error) {
    const lack = lackOf(error);
    if (lack === undefined || !(await askForProof(lack))) throw error;
    return call();
  }
}

const subscribe = (listener: () => void) => {
  listeners.add(listener);
  return () => void listeners.delete(listener);
};

/** The proof that the user is asked for at present. */
export const useAskedProof = (): AskedProof | undefined =>
  useSyncExternalStore(subscribe, () => asked);
