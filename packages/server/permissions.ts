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
