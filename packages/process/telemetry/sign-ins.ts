import { toServiceError } from '@bailiwick/errors';
import { counter } from './metrics.ts';

type Method = 'password' | 'passkey' | 'email_code' | 'second_factor' | 'oidc' | 'oauth' | 'saml';
type Result = 'success' | 'failure' | 'limited' | 'error';

const signIns = counter<{ method: Method; result: Result }>({
  name: 'bailiwick_sign_ins_total',
  about:
    'Sign-ins by method and result: success, failure (refused), limited (too many attempts), error (of Bailiwick or a provider).',
});

/** Counts a sign-in attempt by its result. */
export async function countSignIn<T>(method: Method, work: () => Promise<T>): Promise<T> {
  try {
    const answer = await work();
    signIns.add({ method, result: 'success' });
    return answer;
  } catch (error) {
    signIns.add({ method, result: resultOf(error) });
    throw error;
  }
}

function resultOf(error: unknown): Result {
  const { code } = toServiceError(error);
  if (code === 'resource_exhausted') return 'limited';
  return code === 'internal' || code === 'unavailable' ? 'error' : 'failure';
}
