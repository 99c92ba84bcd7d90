import type { Operation } from '../operation.ts';

/** The little that the client has to know of operations while it runs. */
export function operationsFile(operations: readonly Operation[]): string {
  const namesOf = (chosen: readonly Operation[]) =>
    chosen.map(({ name }) => `  '${name}',\n`).join('');
  return `/** The operations that change nothing: they may be repeated where it is not known whether they arrived. */
export const withoutSideEffects: ReadonlySet<string> = new Set([
${namesOf(operations.filter(({ sideEffects }) => !sideEffects))}]);

/** The operations that take an Idempotency-Key: with one they may be repeated, too. */
export const withIdempotencyKey: ReadonlySet<string> = new Set([
${namesOf(operations.filter(({ takesIdempotencyKey }) => takesIdempotencyKey))}]);
`;
}
