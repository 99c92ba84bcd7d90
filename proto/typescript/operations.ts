import type { Operation } from '../operation.ts';

/** The little that the client has to know of operations while it runs. */
export function operationsFile(operations: readonly Operation[]): string {
  const names = operations
    .filter(({ sideEffects }) => !sideEffects)
    .map(({ name }) => `  '${name}',\n`);
  return `/** The operations that change nothing: they may be repeated where it is not known whether they arrived. */
export const withoutSideEffects: ReadonlySet<string> = new Set([
${names.join('')}]);
`;
}
