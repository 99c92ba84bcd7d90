import type { Client } from '../../client/client.ts';
import { Refusal } from '../failure.ts';
import type { Change } from './changes.ts';
import { type Holder, pathKey, type RightsFile, type Rule } from './file.ts';
import { findGains, type Gain, within } from './gains.ts';
import { isHolder } from './holders.ts';
import { all, type Names } from './live.ts';
import type { Preview } from './preview.ts';
import { readStates, type States, type Subject } from './states.ts';

// The policy of a rights file: permissions that only some may gain by a change.

/** Planned changes, their preview, and the names of the records in them. */
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
  if (changes.length === 0 && preview.Gained.length === 0) return [];
  const permissions = await readPermissions(client, Tenant);
  const states = await readStates(client, Tenant, { changes, ...concernOf(rules, permissions) });
  const gained = allGains(preview, findGains(states, changes, permissions));
  return rules.flatMap((rule) => {
    const forbidden = gained.filter(
      ({ who, Permission }) => concerns(rule.Permission, Permission) && !mayGain(states, rule, who),
    );
    return [...new Set(forbidden.map(({ who }) => keyOf(who)))].map((key) =>
      describe(
        rule,
        forbidden.filter(({ who }) => keyOf(who) === key),
        names,
      ),
    );
  });
}

const readPermissions = async (client: Client, Tenant: string) =>
  (await all(client.list('Roles_ListPermissions', { Tenant, Page: { Limit: 200 } }))).map(
    ({ Name }) => Name,
  );

/** The groups and roles that decide whether a rule is violated. */
function concernOf(rules: readonly Rule[], permissions: readonly string[]) {
  const holders = rules.flatMap(({ Only }) => Only);
  const isRuled = (pattern: string) =>
    [pattern, ...permissions.filter((one) => within(pattern, one))].some((one) =>
      rules.some(({ Permission }) => concerns(Permission, one)),
    );
  return {
    groups: holders.filter(({ kind }) => kind === 'Group').map(({ subject }) => subject),
    isRelevant: (role: string, patterns: readonly string[]) =>
      holders.some(({ kind, subject }) => kind === 'Role' && subject === role) ||
      patterns.some(isRuled),
  };
}

/** The gains that Access_Plan reports, and those that it does not, each once. */
function allGains({ Gained }: Preview, others: readonly Gain[]): Gain[] {
  const reported = Gained.map(({ Subject: subject, ...gain }): Gain => {
    const kind = subject.startsWith('bot_') ? 'Bot' : 'User';
    return { who: { kind, subject }, ...gain, longer: false };
  });
  const byKey = [...others, ...reported].map((gain) => {
    const key = JSON.stringify([keyOf(gain.who), gain.Permission, gain.Resource]);
    return [key, gain] as const;
  });
  return [...new Map(byKey).values()];
}

const keyOf = ({ kind, subject }: Subject) =>
  kind === 'Group' ? `group ${pathKey(subject)}` : subject;

/** A rule of the file before the change counts only holders that are not made by the change itself. */
const mayGain = ({ before, after }: States, { Only, isBase }: Rule, who: Subject): boolean =>
  [after, ...(isBase === true ? [before] : [])].every((state) =>
    Only.some((holder) => isHolder(state, holder, who)),
  );

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
  gained: readonly Gain[],
  names: Names,
): string {
  const list = gained
    .slice(0, named)
    .map(
      ({ Permission: one, Resource, longer }) =>
        `${one}${Resource === '' ? '' : ` for ${Resource}`}${longer ? ' for longer' : ''}`,
    );
  const subjects = gained.slice(0, 1).map(({ who: { kind, subject } }) => {
    const name = names.get(subject) ?? subject;
    return kind === 'Group' ? `group ${name}` : name;
  });
  const more = gained.length > named ? ` and ${gained.length - named} more` : '';
  const holders = Only.map(
    ({ kind, subject }) => `${kind.toLowerCase()} ${names.get(subject) ?? subject}`,
  );
  const allowed = holders.length === 0 ? 'no one' : `only ${holders.join(', ')}`;
  const reason = Message === undefined ? '' : `: ${Message}`;
  return `${subjects.join()} would gain ${list.join(', ')}${more}, and the policy lets ${allowed} gain ${Permission}${reason}`;
}

/**
 * Asserts that a file's rules name permissions, roles and groups that exist: a misspelt permission
 * would protect nothing. @throws Refusal with all problems
 */
export async function assertKnown(client: Client, Tenant: string, file: RightsFile): Promise<void> {
  const rules = file.Policy ?? [];
  if (rules.length === 0) return;
  const request = { Tenant, Page: { Limit: 200 } };
  const permissions = await all(client.list('Roles_ListPermissions', request));
  const roles = await all(client.list('Roles_List', request));
  const groups = await all(client.list('Groups_List', request));
  const slugs = new Set([...roles, ...(file.Roles ?? [])].map(({ Slug }) => Slug));
  const paths = new Set([...groups, ...(file.Groups ?? [])].map(({ Path }) => pathKey(Path)));
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
