import {
  type BuiltInRole,
  hasPermission,
  platformRoles,
  tenantRoles,
} from '@bailiwick/access/permissions/builtin.ts';
import {
  type DescribedPermission,
  describedPermissions,
} from '@bailiwick/access/roles/permission-list.ts';

// Generates docs/permissions.md from the table of permissions, the built-in roles and the options
// of the operations.

const startsWith = (prefix: string) =>
  describedPermissions.filter(({ name }) => name.startsWith(prefix));
const platform = startsWith('iam.platform.');
const internal = startsWith('iam.internal.');
const tenant = describedPermissions.filter(
  (permission) => !platform.includes(permission) && !internal.includes(permission),
);

/** docs/permissions.md. */
export function renderPermissions(): string {
  return `<!-- Generated from packages/contract/permissions.ts by deploy/docs/permissions.ts: change that, then run \`npm run generate\`. -->

# Permissions

\`Roles_ListPermissions {Tenant}\` returns the first table, \`{"Platform": true}\` the second. Permissions that begin with \`iam.\` are
Bailiwick's own. Every other permission belongs to an application: Bailiwick stores it and decides on it (\`Access_Check\`).

A role can contain a pattern that ends in \`*\`, such as \`iam.groups.*\`. Neither \`*\` nor \`iam.*\` includes a permission that begins with
\`iam.platform.\` or \`iam.internal.\`. An operation that several permissions allow is listed with each of them. Its description at
\`/docs\` names further conditions that allow it, such as being its subject. \`iam.rights.follow\` is for [followers](follow.md) and
opens no operation.

## In a tenant

A grant in a tenant gives these permissions in that tenant, a grant on the platform (\`"Platform": true\`) in every tenant.

${renderTable(tenant, [...tenantRoles, ...platformRoles])}
## On the platform

These permissions only count in grants on the platform, and a tenant's roles cannot contain them. A grant on the platform has
\`Platform\` and no tenant:

\`\`\`sh
bailiwick Grants_Add --data '{"Grant":{"Platform":true,"UserID":"usr_…","Role":"platform-support"}}'
\`\`\`

\`Grants_ListByTenant {"Platform": true}\` lists these grants. A caller who can read a tenant's grants sees the platform grants that
count there with \`Grants_ListByTenant {Tenant, "IncludePlatform": true}\`: the subject, the role and the time, but not who granted it.

${renderTable(platform, platformRoles)}
## Inside the product

${renderTable(internal, [])}`;
}

function renderTable(
  permissions: readonly DescribedPermission[],
  roles: readonly BuiltInRole[],
): string {
  const rows = permissions.map(({ name, description, operations }) => {
    const holders = roles.filter((role) => hasPermission(role, name)).map(({ slug }) => slug);
    const calls = operations.map((operation) => `\`${operation}\``);
    return `| \`${name}\` | ${description} | ${holders.join(', ') || '–'} | ${calls.join(', ') || '–'} |`;
  });
  return [
    '| Permission | Allows | Built-in roles | Operations |',
    '| --- | --- | --- | --- |',
    ...rows,
    '',
  ].join('\n');
}
