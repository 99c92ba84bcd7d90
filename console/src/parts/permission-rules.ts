const separate = ['iam.platform.', 'iam.internal.'];

/**
 * Whether held permissions, of which some may end in "*", cover one. As in the service, * and iam.*
 * never include the permissions of the platform.
 */
export const covers = (permissions: readonly string[], permission: string): boolean =>
  permissions.some((one) => {
    if (one === permission) return true;
    if (!one.endsWith('*')) return false;
    const prefix = one.slice(0, -1);
    const area = separate.find((name) => permission.startsWith(name));
    return permission.startsWith(prefix) && (area === undefined || prefix.startsWith(area));
  });
