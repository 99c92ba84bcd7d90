import { type ServiceName, serviceNames } from '@bailiwick/deploy/local/secrets.ts';
import {
  type OwnStack,
  type StackOptions,
  startStack,
  type Topology,
} from '@bailiwick/test/support/harness.ts';
import { newAddress, password } from '@bailiwick/test/support/people.ts';
import { cycle, operation, type Shot } from './driver.ts';

// The measured product: as `npm start` runs it, but without rate limits, which would limit every
// result.

export type Person = { email: string; token: string };

export const startMeasured = (
  topology: Topology,
  environment: Record<string, string> = {},
  options: StackOptions = {},
): Promise<OwnStack> =>
  startStack(
    topology,
    { NODE_ENV: 'production', BAILIWICK_LIMITS: 'off', ...environment },
    options,
  );

/** Users who are signed in, each with a session. */
export async function createPeople(stack: OwnStack, count: number): Promise<Person[]> {
  const people: Person[] = [];
  for (let index = 0; index < count; index++) {
    const email = newAddress();
    const created = await stack.call(
      'Users_Create',
      { User: { Email: email }, Password: password },
      stack.platformKey,
    );
    const { status, body } = await stack.call('Account_Login', {
      Email: email,
      Password: password,
    });
    if (status !== 200)
      throw new Error(
        `no user can sign in: ${JSON.stringify(created.body)} ${JSON.stringify(body)}`,
      );
    people.push({ email, token: String(body['Token']) });
  }
  return people;
}

/** Sign-ins of the users in turn, because sign-ins of one account are serialised. */
export function signIns(people: readonly Person[]): () => Shot {
  const next = cycle(people);
  return () => operation('Account_Login', { Email: next().email, Password: password });
}

/** Each user reads their own record. */
export function reads(people: readonly Person[]): () => Shot {
  const next = cycle(people);
  return () => {
    const { email, token } = next();
    return operation('Users_GetByEmail', { Email: email }, token);
  };
}

/** The processes of a stack. */
export const pidsOf = (stack: OwnStack, names: readonly ServiceName[] = serviceNames): number[] => [
  ...new Set(names.map((name) => stack.pid(name))),
];
