import { bodyOf } from '../../support/answers.ts';
import { startStack, type Topology } from '../../support/harness.ts';
import { newAddress, signUp } from '../../support/people.ts';

export type Verdict = {
  Result: string;
  ExternalID: string;
  UserID: string;
  Code: string;
  Messages: string[];
  Reason: string;
  Params: Record<string, string>;
  Problems: Array<{ Field: string; Rule: string; Params: Record<string, string> }>;
};

/** The password is `U*U`. */
export const bcryptHash = '$2a$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW';

let count = 0;
/** A row of an import that is right. */
export const importedPerson = (fields: object = {}) => ({
  Email: newAddress('imported'),
  EmailVerified: true,
  ExternalID: `old|${process.pid}-${count++}`,
  ...fields,
});

export type Imports = Awaited<ReturnType<typeof startImports>>;

/**
 * An owner and the calls of the suites about imports. The stack is their own: wrong passwords are
 * answered later while there are imported hashes.
 */
export async function startImports(topology: Topology) {
  const stack = await startStack(topology, { BAILIWICK_LIMITS: 'off' });
  const owner = await signUp(stack);
  const send = (rows: readonly object[], more: object = {}, token = stack.platformKey) =>
    stack.call('Users_Import', { Users: rows, ...more }, token);
  const verdicts = async (...request: Parameters<typeof send>) =>
    bodyOf(await send(...request))['Verdicts'] as Verdict[];
  return { stack, owner, send, verdicts, stop: () => stack.stop() };
}
