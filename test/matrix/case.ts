import type { Operation } from '@bailiwick/contract';
import type { Place, Principal } from './place.ts';
import type { JsonObject } from './requests.ts';

export const outcomes = {
  unauthenticated: { status: 401, code: 'unauthenticated' },
  invalid: { status: 400, code: 'invalid_argument' },
  denied: { status: 403, code: 'permission_denied' },
  not_found: { status: 400, code: 'not_found' },
  ok: { status: 200, code: undefined },
} as const;

export type Outcome = keyof typeof outcomes;

/** One call of the matrix. */
export type Case = { operation: Operation; who: Principal; place: Place; request: JsonObject };
