import {
  type Operation,
  operations,
  type Permission,
  permissionDescriptions,
} from '@bailiwick/contract';

/** A permission, its description, and the operations of clients that require it. */
export type DescribedPermission = {
  name: Permission;
  description: string;
  operations: readonly string[];
};

/** Every built-in permission, in the order of the table. */
export const describedPermissions: readonly DescribedPermission[] = [...permissionDescriptions].map(
  ([name, description]) => ({
    name,
    description,
    operations: [...operations.values()]
      .filter((operation) => operation.credential !== 'service' && asksFor(operation, name))
      .map((operation) => operation.name),
  }),
);

function asksFor({ allow }: Operation, permission: Permission): boolean {
  return allow.some((rule) => {
    if (rule.kind === 'tenant' || rule.kind === 'platform') return rule.permission === permission;
    // A rule of kind `handler` is a sentence that contains the permission's name.
    return (
      rule.kind === 'handler' &&
      [...rule.rule.matchAll(/iam(?:\.[a-z]+)+/g)].some(([named]) => named === permission)
    );
  });
}
