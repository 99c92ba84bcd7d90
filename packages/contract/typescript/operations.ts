import type { Operation } from '../operation.ts';

/** The properties of operations that the client needs at run time. */
export function operationsFile(operations: readonly Operation[]): string {
  const namesOf = (chosen: readonly Operation[]) =>
    chosen.map(({ name }) => `  '${name}',\n`).join('');
  return `/** The operations without side effects: they may be retried if it is unknown whether the call arrived. */
export const withoutSideEffects: ReadonlySet<string> = new Set([
${namesOf(operations.filter(({ sideEffects }) => !sideEffects))}]);

/** The operations that accept an Idempotency-Key: with one they may be retried too. */
export const withIdempotencyKey: ReadonlySet<string> = new Set([
${namesOf(operations.filter(({ takesIdempotencyKey }) => takesIdempotencyKey))}]);
`;
}
