import { BailiwickError, type ErrorReason } from '@bailiwick/client/errors.ts';
import { useSyncExternalStore } from 'react';

// Some calls need a recent sign-in or a second factor. The user proves it in a dialog above the
// view, which keeps everything that was typed, and the refused call is repeated.

/** recent: the sign-in is too old. factor: it lacks the second factor. */
export type UnmetRequirement = 'recent' | 'factor';

const requirements: Partial<Record<ErrorReason, UnmetRequirement>> = {
  RECENT_LOGIN_REQUIRED: 'recent',
  FACTOR_REQUIRED: 'factor',
};

/** The proof that a call lacks; undefined for all other errors. */
export const unmetRequirementOf = (error: unknown): UnmetRequirement | undefined =>
  error instanceof BailiwickError ? requirements[error.Reason as ErrorReason] : undefined;

export type ProofRequest = { requirement: UnmetRequirement; settle: (isProven: boolean) => void };

let current: (ProofRequest & { result: Promise<boolean> }) | undefined;
const listeners = new Set<() => void>();
const notify = () => {
  for (const listener of listeners) listener();
};

/** Opens the dialog, or joins the open one. Resolves to false if the user closes it. */
export function askForProof(requirement: UnmetRequirement): Promise<boolean> {
  if (current) return current.result;
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const settle = (isProven: boolean) => {
    current = undefined;
    resolve(isProven);
    notify();
  };
  current = { requirement, settle, result: promise };
  notify();
  return promise;
}

/** Makes a call. If it lacks a proof, asks the user for it and makes the call once more. */
export async function withProof<Answer>(call: () => Promise<Answer>): Promise<Answer> {
  try {
    return await call();
  } catch (error) {
    const requirement = unmetRequirementOf(error);
    if (requirement === undefined || !(await askForProof(requirement))) throw error;
    return call();
  }
}

const subscribe = (listener: () => void) => {
  listeners.add(listener);
  return () => void listeners.delete(listener);
};

/** The proof that the user is asked for at present. */
export const useProofRequest = (): ProofRequest | undefined =>
  useSyncExternalStore(subscribe, () => current);
