import fc from 'fast-check';
import { builtIn, type Grant, keyOfGrant, keyOfPath, type Model } from './model.ts';

// Changes of a tenant: their names, their effect on the model, and their random generation.

type Member = { user: string };
type InGroup = { path: string; user: string };
type GrantFields = Omit<Grant, 'expired'>;

export type Change =
  | ({ operation: 'TenantMembers_Add' | 'TenantMembers_Remove' } & Member)
  | { operation: 'Groups_Save' | 'Groups_Delete'; path: string }
  | ({ operation: 'Groups_AddMember' | 'Groups_RemoveMember' } & InGroup)
  | { operation: 'Roles_Save'; slug: string; permissions: readonly string[] }
  | { operation: 'Roles_Delete'; slug: string }
  | ({ operation: 'Add' | 'Remove' } & GrantFields)
  /** Time passes until the grant expires. */
  | ({ operation: 'expire' } & GrantFields);

/** The outcome of a change. */
export type Verdict = { model: Model; code: 'ok' | 'not_found' | 'failed_precondition' };

export function apply(model: Model, change: Change): Verdict {
  const ok = (changed: Partial<Model> = {}): Verdict => ({
    model: { ...model, ...changed },
    code: 'ok',
  });
  const fail = (code: Verdict['code']): Verdict => ({ model, code });
  switch (change.operation) {
    case 'TenantMembers_Add': {
      if (model.members.has(change.user)) return ok();
      return ok({
        members: plus(model.members, change.user),
        grants: granted(model, {
          type: 'user',
          subject: change.user,
          role: 'member',
          resource: '',
        }),
      });
    }
    case 'TenantMembers_Remove': {
      const within = new Map(
        [...model.within].map(([key, people]) => [key, minus(people, change.user)]),
      );
      return ok({
        members: minus(model.members, change.user),
        within,
        grants: without(model, ({ type, subject }) => type === 'user' && subject === change.user),
      });
    }
    case 'Groups_Save': {
      const key = keyOfPath(change.path);
      return model.groups.has(key)
        ? ok()
        : ok({
            groups: new Map(model.groups).set(key, change.path),
            within: new Map(model.within).set(key, new Set()),
          });
    }
    case 'Groups_Delete': {
      const key = keyOfPath(change.path);
      const others = <Value>(map: ReadonlyMap<string, Value>) =>
        new Map([...map].filter(([other]) => other !== key));
      return ok({
        groups: others(model.groups),
        within: others(model.within),
        grants: without(model, ({ type, subject }) => type === 'group' && subject === key),
      });
    }
    case 'Groups_AddMember':
    case 'Groups_RemoveMember':
      return applyToMembers(model, change);
    case 'Roles_Save':
      return ok({ roles: new Map(model.roles).set(change.slug, [...new Set(change.permissions)]) });
    case 'Roles_Delete': {
      if ([...model.grants.values()].some(({ role }) => role === change.slug))
        return fail('failed_precondition');
      return ok({ roles: new Map([...model.roles].filter(([slug]) => slug !== change.slug)) });
    }
    case 'Add': {
      const { type, subject, role } = change;
      if (type === 'user' && !model.members.has(subject)) return fail('not_found');
      if (type === 'group' && !model.groups.has(keyOfPath(subject))) return fail('not_found');
      return builtIn.has(role) || model.roles.has(role)
        ? ok({ grants: granted(model, change) })
        : fail('not_found');
    }
    case 'Remove':
      return ok({
        grants: new Map([...model.grants].filter(([key]) => key !== keyOfGrant(change))),
      });
    case 'expire':
      return ok({
        grants: new Map(
          [...model.grants].map(([key, grant]) => [
            key,
            { ...grant, expired: grant.expired || key === keyOfGrant(change) },
          ]),
        ),
      });
  }
}

function applyToMembers(
  model: Model,
  { operation, path, user }: { operation: string } & InGroup,
): Verdict {
  const key = keyOfPath(path);
  const people = model.within.get(key);
  const isAdded = operation === 'Groups_AddMember';
  if (isAdded && !(people && model.members.has(user))) return { model, code: 'not_found' };
  if (!people) return { model, code: 'ok' };
  const changed = isAdded ? plus(people, user) : minus(people, user);
  return { model: { ...model, within: new Map(model.within).set(key, changed) }, code: 'ok' };
}

const plus = (people: ReadonlySet<string>, user: string) => new Set([...people, user]);
const minus = (people: ReadonlySet<string>, user: string) =>
  new Set([...people].filter((other) => other !== user));

/** Adds a grant. Granting again revives an expired grant. */
function granted(
  { grants }: Model,
  { type, subject, role, resource }: GrantFields,
): Model['grants'] {
  const grant = {
    type,
    subject: type === 'group' ? keyOfPath(subject) : subject,
    role,
    resource,
    expired: false,
  };
  return new Map(grants).set(keyOfGrant(grant), grant);
}

const without = ({ grants }: Model, isGone: (grant: Grant) => boolean): Model['grants'] =>
  new Map([...grants].filter(([, grant]) => !isGone(grant)));

export const users = ['ada', 'bob', 'cyd', 'dot'] as const;
export const bot = 'bot';
export const subjects = [...users, bot];
export const resources = ['', 'r1', 'r2'] as const;

/**
 * The permissions asked about: permissions that patterns cover or just miss, and patterns
 * themselves.
 */
export const permissions = [
  'app.notes.read',
  'app.notes.write',
  'app.note.read',
  'app.notesx.read',
  'app:notes.read',
  'app.notes.*',
  'app.*',
  '*',
  'iam.groups.read',
  'iam.webhooks.write',
  'iam.groups.*',
  'iam.*',
  'iam.platform.users.read',
  'iam.platform.*',
  'iam.internal.deliver',
] as const;

// Nested, in other spellings, with a common prefix only, and below a group that need not exist.
const path = fc.constantFrom(
  'eng',
  '/Eng',
  'eng/backend',
  'ENG/backend',
  'eng/backend/db',
  'engine',
  'ops',
  'ops/a/b',
);
const user = fc.constantFrom(...users);
const slug = fc.constantFrom('alpha', 'beta');
const role = fc.constantFrom('alpha', 'alpha', 'beta', 'beta', 'member', 'owner');
const pattern = fc.constantFrom(
  'app.notes.read',
  'app.notes.*',
  'app.*',
  '*',
  'app:notes.*',
  'app.note.read',
  'iam.groups.read',
  'iam.groups.*',
  'iam.*',
);
const to = fc.oneof(
  fc.record({ type: fc.constant('user' as const), subject: user }),
  fc.record({ type: fc.constant('group' as const), subject: path }),
  fc.record({ type: fc.constant('bot' as const), subject: fc.constant(bot) }),
);
const grantFields = fc
  .tuple(to, role, fc.constantFrom('', '', ...resources))
  .map(([recipient, roleName, resource]) => ({ ...recipient, role: roleName, resource }));

const named = <Name extends string, Rest>(rest: fc.Arbitrary<Rest>, ...names: Name[]) =>
  fc.tuple(fc.constantFrom(...names), rest).map(([operation, more]) => ({ operation, ...more }));

const inGroup = fc.record({ path, user });
const saved = fc.record({ slug, permissions: fc.array(pattern, { minLength: 1, maxLength: 3 }) });

/** The changes that Access_Plan accepts. */
const plannable: fc.Arbitrary<Change> = fc.oneof(
  {
    weight: 3,
    arbitrary: named(inGroup, 'Groups_AddMember', 'Groups_AddMember', 'Groups_RemoveMember'),
  },
  { weight: 2, arbitrary: named(saved, 'Roles_Save') },
  { weight: 1, arbitrary: named(fc.record({ slug }), 'Roles_Delete') },
  { weight: 1, arbitrary: named(fc.record({ path }), 'Groups_Delete') },
  { weight: 2, arbitrary: named(fc.record({ path }), 'Groups_Save') },
  { weight: 5, arbitrary: named(grantFields, 'Add', 'Add', 'Remove') },
);

const change: fc.Arbitrary<Change> = fc.oneof(
  { weight: 8, arbitrary: plannable },
  { weight: 2, arbitrary: named(fc.record({ path }), 'Groups_Save') },
  {
    weight: 2,
    arbitrary: named(
      fc.record({ user }),
      'TenantMembers_Add',
      'TenantMembers_Add',
      'TenantMembers_Remove',
    ),
  },
  { weight: 1, arbitrary: named(grantFields, 'expire') },
);

/** Changes at the start of every history, so that most later changes find their records. */
const start: readonly Change[] = [
  ...users.slice(0, 3).map((name) => ({ operation: 'TenantMembers_Add', user: name }) as const),
  { operation: 'Groups_Save', path: 'Eng' },
  { operation: 'Groups_Save', path: 'eng/backend' },
  { operation: 'Roles_Save', slug: 'alpha', permissions: ['app.notes.*'] },
];

export type History = { done: readonly Change[]; planned: readonly Change[]; pick: number };

/**
 * Adds a grant and then plans to move it to another resource: a case where a plan easily reports
 * permissions that are neither gained nor lost.
 */
const move = fc.tuple(grantFields, fc.constantFrom(...resources)).map(([grant, resource]) => ({
  before: { operation: 'Add' as const, ...grant },
  planned: [
    { operation: 'Remove' as const, ...grant },
    { operation: 'Add' as const, ...grant, resource },
  ],
}));

/**
 * The changes made, the changes planned and then made, and the choice of the questions asked in
 * detail.
 */
export const history: fc.Arbitrary<History> = fc
  .record({
    done: fc.array(change, { maxLength: 16 }),
    planned: fc.array(plannable, { minLength: 1, maxLength: 5 }),
    moves: fc.array(move, { maxLength: 3 }),
    pick: fc.nat(),
  })
  .map(({ done, planned, moves, pick }) => ({
    done: [...start, ...done, ...moves.map(({ before }) => before)],
    planned: [...moves.flatMap((move) => move.planned), ...planned],
    pick,
  }));
