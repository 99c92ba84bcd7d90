import type { Client } from '../../client/client.ts';
import type { PermissionChange } from '../../client/gen/types.ts';
import { Refusal } from '../failure.ts';
import type { Change } from './changes.ts';
import { type Holder, pathKey, type Rule, type Wanted } from './file.ts';
import { readHolders } from './holders.ts';
import { all, type Names } from './live.ts';
import type { Preview } from './preview.ts';

// The policy of a rights file: permissions that only some may gain by a change.

/** What a rule forbids, for a reader. */
type Planned = { changes: readonly Change[]; preview: Preview; names: Names };

/**
 * The violations of the rules by planned changes, one line each. If the effect of the changes is not
 * known completely, this is a violation too.
 */
export async function findViolations(
  client: Client,
  Tenant: string,
  rules: readonly Rule[],
  { changes, preview, names }: Planned,
): Promise<string[]> {
  if (rules.length === 0) return [];
  if (!preview.complete)
    return ['the policy cannot be checked, because not all changes can be previewed'];
  const concerned = rules
    .map((rule) => ({
      rule,
      gained: preview.Gained.filter(({ Permission }) => concerns(rule.Permission, Permission)),
    }))
    .filter(({ gained }) => gained.length > 0);
  if (concerned.length === 0) return [];
  const holds = await readHolders(client, Tenant, {
    holders: concerned.flatMap(({ rule }) => rule.Only),
    changes,
  });
  return concerned.flatMap(({ rule, gained }) => {
    const forbidden = gained.filter(
      ({ Subject }) => !rule.Only.some((holder) => holds(holder, Subject)),
    );
    return [...new Set(forbidden.map(({ Subject }) => Subject))].map((subject) =>
      describe(
        rule,
        names.get(subject) ?? subject,
        forbidden.filter(({ Subject }) => Subject === subject),
        names,
      ),
    );
  });
}

const within = (pattern: string, permission: string) =>
  pattern === permission || (pattern.endsWith('*') && permission.startsWith(pattern.slice(0, -1)));

/**
 * Whether a rule is about a gained permission. Access_Plan lists Bailiwick's own permissions one by
 * one, and an application's as granted: a gained app.* includes what a rule on app.money.* protects.
 */
const concerns = (ruled: string, gained: string): boolean =>
  within(ruled, gained) || (!ruled.startsWith('iam.') && within(gained, ruled));

/** The number of permissions that a message names. */
const named = 5;

function describe(
  { Permission, Only, Message }: Rule,
  who: string,
  gained: readonly PermissionChange[],
  names: Names,
): string {
  const list = gained
    .slice(0, named)
    .map(({ Permission: one, Resource }) => (Resource === '' ? one : `${one} for ${Resource}`));
  const more = gained.length > named ? ` and ${gained.length - named} more` : '';
  const holders = Only.map(
    ({ kind, subject }) => `${kind.toLowerCase()} ${names.get(subject) ?? subject}`,
  );
  const allowed = holders.length === 0 ? 'no one' : `only ${holders.join(', ')}`;
  const reason = Message === undefined ? '' : `: ${Message}`;
  return `${who} would gain ${list.join(', ')}${more}, and the policy lets ${allowed} gain ${Permission}${reason}`;
}

/**
 * Asserts that a file's rules name permissions, roles and groups that exist: a misspelt permission
 * would protect nothing. @throws Refusal with all problems
 */
export async function assertKnown(client: Client, Tenant: string, wanted: Wanted): Promise<void> {
  const rules = wanted.Policy ?? [];
  if (rules.length === 0) return;
  const request = { Tenant, Page: { Limit: 200 } };
  const permissions = await all(client.list('Roles_ListPermissions', request));
  const roles = await all(client.list('Roles_List', request));
  const groups = await all(client.list('Groups_List', request));
  const slugs = new Set([...roles, ...(wanted.Roles ?? [])].map(({ Slug }) => Slug));
  const paths = new Set([...groups, ...(wanted.Groups ?? [])].map(({ Path }) => pathKey(Path)));
  const isKnown = ({ kind, subject }: Holder) =>
    (kind !== 'Role' || slugs.has(subject)) && (kind !== 'Group' || paths.has(pathKey(subject)));
  const problems = rules.flatMap(({ Permission, Only }, index) => [
    ...(Permission.startsWith('iam.') && !permissions.some(({ Name }) => within(Permission, Name))
      ? [`Policy[${index}].Permission ${Permission} is not a permission of Bailiwick`]
      : []),
    ...Only.filter((holder) => !isKnown(holder)).map(
      ({ kind, subject }) =>
        `Policy[${index}].Only names the ${kind.toLowerCase()} ${subject}, which neither the tenant nor the file has`,
    ),
  ]);
  if (problems.length > 0) throw new Refusal(problems.join('\n'));
}
