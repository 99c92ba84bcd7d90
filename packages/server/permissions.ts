import type { AccessToken } from './verifier.ts';

/** A wildcard never includes these permissions, which are effective on the platform only. */
const platformOnly = ['iam.platform.', 'iam.internal.'];

/** Whether granted permissions, which may end in "*", include a permission. */
export function holds(granted: readonly string[], permission: string): boolean {
  return granted.some(
    (one) =>
      one === permission ||
      (one.endsWith('*') &&
        permission.startsWith(one.slice(0, -1)) &&
        platformOnly.every((prefix) => !permission.startsWith(prefix))),
  );
}

/** Whether the client may use a permission of the subject at all: a scope of the token covers it. */
export const inScope = ({ scope = '' }: Pick<AccessToken, 'scope'>, permission: string): boolean =>
  holds(scope.split(' '), permission);

/**
 * Whether a token allows a permission. The issuer writes the permissions that the subject has
 * within the scope, so both limit the token. A list that was left out leaves the scope.
 */
export function allows(
  token: Pick<AccessToken, 'scope' | 'permissions'>,
  permission: string,
): boolean {
  const { scope = '', permissions } = token;
  if (!permissions) return inScope(token, permission);
  return holds(permissions, permission) && (scope === '' || inScope(token, permission));
}
