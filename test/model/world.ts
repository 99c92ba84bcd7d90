import type { Principal } from '@bailiwick/access/decisions/rights.ts';
import fc from 'fast-check';

// Random rows of everything that a decision depends on, in two tenants and on the platform, and
// random questions about them. Each model has ids of its own, so that all share one database.

const users = 2;
/** Bot 0 is of the first tenant, bot 1 of the second. */
const bots = 2;
const groupKeys = ['a', 'a/b', 'a/b/c', 'd'];
const ownRoles = ['clerk', 'editor'];
const roles = [
  'owner',
  'admin',
  'member',
  'auditor',
  'platform-owner',
  'platform-support',
  ...ownRoles,
];
const patterns = [
  '*',
  'iam.*',
  'iam.users.*',
  'iam.users.read',
  'iam.platform.*',
  'billing.*',
  'billing.invoices.read',
  'wiki.write',
];
const past = '2020-01-01T00:00:00Z';
const future = '2100-01-01T00:00:00Z';

/** A time limit: none, in the past or in the future. */
const end = fc.constantFrom(null, null, null, past, future);
const place = fc.nat(1);
const somePatterns = fc.subarray(patterns, { maxLength: 3 });
const usually = (common: string, ...others: string[]) =>
  fc.oneof(
    { weight: 8, arbitrary: fc.constant(common) },
    { weight: 1, arbitrary: fc.constantFrom(...others) },
  );

const anyTenant = fc.record({
  status: usually('active', 'suspended', 'deleting'),
  requireSso: fc.constantFrom(true, false, false, false),
  requireFactor: fc.constantFrom('off', 'off', 'any', 'phishing_resistant'),
  factorFrom: fc.constantFrom(past, future),
  ssoLiftedUntil: end,
  roles: fc.tuple(somePatterns, somePatterns),
});

const grant = fc.record({
  /** The tenant; null = the platform. */
  place: fc.constantFrom(0, 0, 1, 1, null),
  subject: fc.oneof(
    fc.record({ type: fc.constant('user' as const), index: fc.nat(users - 1) }),
    fc.record({ type: fc.constant('bot' as const), index: fc.nat(bots - 1) }),
    fc.record({ type: fc.constant('group' as const), index: fc.nat(groupKeys.length - 1) }),
  ),
  role: fc.constantFrom(...roles),
  resource: fc.constantFrom('', '', '', 'doc:1', 'doc:2'),
  expiresAt: end,
});
type Grant = typeof grant extends fc.Arbitrary<infer Value> ? Value : never;

export const world = fc.record({
  tenants: fc.tuple(anyTenant, anyTenant),
  /** Of each user in each tenant; "" = none. */
  memberships: fc.array(usually('active', 'disabled', 'barred', ''), {
    minLength: 2 * users,
    maxLength: 2 * users,
  }),
  states: fc.array(usually('active', 'disabled', 'deleted', 'leaving'), {
    minLength: users + bots,
    maxLength: users + bots,
  }),
  inGroups: fc.uniqueArray(
    fc.record({ place, group: fc.nat(groupKeys.length - 1), user: fc.nat(users - 1) }),
    {
      minLength: 2,
      maxLength: 8,
      selector: ({ place: at, group, user }) => `${at} ${group} ${user}`,
    },
  ),
  grants: fc
    .uniqueArray(grant, {
      minLength: 10,
      maxLength: 30,
      size: 'max',
      selector: ({ place: at, subject, role, resource }) =>
        [at, subject.type, subject.index, role, resource].join(' '),
    })
    .map((grants) => grants.filter(isPossible)),
});
export type World = typeof world extends fc.Arbitrary<infer Value> ? Value : never;

/** A bot has grants in its own tenant and on the platform, a group in its tenant. */
function isPossible({ place: at, subject: { type, index } }: Grant): boolean {
  if (type === 'bot') return at === null || at === index;
  return type === 'user' || at !== null;
}

const userId = (serial: number, index: number) => `usr_${serial}_${index}`;
const botId = (serial: number, index: number) => `bot_${serial}_${index}`;
const tenantId = (serial: number, index: number) => `tnt_${serial}_${index}`;
export const tenantOfBot = (id: string) => id.replace('bot_', 'tnt_');

/** The rows of a model, by table. */
export function rowsOf(model: World, serial: number): Record<string, unknown[]> {
  const times = { created_at: past, updated_at: past };
  const text = { name: '', description: '', metadata: {} };
  const subjects = model.states.map((state, index) => ({
    subject: index < users ? userId(serial, index) : botId(serial, index - users),
    state,
    since: past,
    changed_at: past,
  }));
  return {
    tenant: model.tenants.map(
      ({ status, requireSso, requireFactor, factorFrom, ssoLiftedUntil }, index) => ({
        ...times,
        ...text,
        id: tenantId(serial, index),
        slug: tenantId(serial, index),
        status,
        branding: {},
        settings: {
          ...(requireSso ? { requireSso } : {}),
          ...(requireFactor === 'off'
            ? {}
            : {
                factor: { required: requireFactor, graceDays: 0, from: factorFrom, before: 'off' },
              }),
        },
        created_by: '',
        sso_lifted_until: ssoLiftedUntil,
      }),
    ),
    tenant_member: model.memberships
      .flatMap((status, index) => ({
        tenant: tenantId(serial, index % 2),
        user_id: userId(serial, Math.floor(index / 2)),
        status,
        source: 'admin',
        joined_at: past,
        name_key: '',
        last_word_key: '',
        email_key: '',
        disabled_by: '',
      }))
      .filter(({ status }) => status !== ''),
    subject_state: subjects.filter(({ state }) => state !== 'active'),
    role_entry: model.tenants.flatMap(({ roles: own }, index) =>
      ownRoles.map((slug, at) => ({
        ...times,
        ...text,
        tenant: tenantId(serial, index),
        id: `rol_${slug}`,
        slug,
        permissions: own[at] ?? [],
      })),
    ),
    group_entry: [0, 1].flatMap((index) =>
      groupKeys.map((key, at) => ({
        ...times,
        ...text,
        tenant: tenantId(serial, index),
        id: `grp_${at}`,
        path: key,
        key,
        ancestor_keys: key.split('/').map((_, depth, all) => all.slice(0, depth + 1).join('/')),
        external_id: '',
        source: 'api',
      })),
    ),
    group_member: model.inGroups.map(({ place: at, group, user }) => ({
      tenant: tenantId(serial, at),
      group_id: `grp_${group}`,
      user_id: userId(serial, user),
      created_at: past,
      mapped_by: '',
    })),
    grant_entry: model.grants.map((row, index) => ({
      tenant: row.place === null ? '' : tenantId(serial, row.place),
      id: `grt_${serial}_${index}`,
      subject_type: row.subject.type,
      subject: subjectOf(row, serial),
      role: row.role,
      resource: row.resource,
      expires_at: row.expiresAt,
      created_by: '',
      created_at: past,
      mapped_by: '',
      unasked: false,
    })),
  };
}

function subjectOf({ subject: { type, index } }: Grant, serial: number): string {
  if (type === 'group') return groupKeys[index] ?? '';
  return (type === 'user' ? userId : botId)(serial, index);
}

/** The place of a tenant in the model. */
const session = fc.constantFrom(null, null, 0, 1);
/** 2 = a tenant that does not exist. */
const inTenant = fc.constantFrom(0, 0, 0, 1, 1, 1, 2);
const idOf = (serial: number, index: number | null) =>
  index === null ? '' : tenantId(serial, index);

/** Makes a question about the subjects of a model. */
export type Question = (serial: number) => {
  tenant: string;
  principal: Principal;
  /** Whether the principal itself asks, or another caller. */
  isSelf: boolean;
};

type Answering = { bot: boolean; index: number; narrowedTo: readonly string[] };

function voucherText(serial: number, { bot, index, narrowedTo }: Answering): string {
  const principal = bot
    ? ['bot', botId(serial, index), tenantId(serial, index)]
    : ['user', userId(serial, index), ''];
  return [...principal, ...narrowedTo].join(' ');
}

/** A user asks about the own rights in a session, or another caller asks about the user. */
const aboutUser = fc
  .record({
    index: fc.nat(users - 1),
    inTenant,
    isSelf: fc.boolean(),
    ssoTenant: session,
    limitedTo: fc.constantFrom(null, null, null, 0, 1),
    assurance: fc.constantFrom('', 'aal1', 'aal2', 'phishing_resistant'),
    ownAssurance: fc.constantFrom('', 'aal2', 'phishing_resistant'),
    operator: fc.constantFrom('', '', '', 'usr_operator'),
    /** Who answers for the session's provider, if it is not confirmed. */
    voucher: fc.option(
      fc.record({
        bot: fc.boolean(),
        index: fc.nat(users - 1),
        narrowedTo: fc.oneof(
          { weight: 3, arbitrary: fc.constant([]) },
          { weight: 1, arbitrary: somePatterns },
        ),
      }),
      { freq: 2 },
    ),
  })
  .map(
    (fields): Question =>
      (serial) => {
        const tenant = idOf(serial, fields.inTenant);
        // Such a session is limited to the tenant of its provider.
        const voucher = fields.isSelf && fields.limitedTo !== null ? fields.voucher : null;
        const principal = {
          type: 'user',
          id: userId(serial, fields.index),
          ssoTenant: fields.isSelf ? idOf(serial, fields.ssoTenant) : tenant,
          limitedTo: fields.isSelf ? idOf(serial, fields.limitedTo) : '',
          assurance: fields.isSelf ? fields.assurance : 'phishing_resistant',
          ownAssurance: fields.isSelf ? fields.ownAssurance : '',
          operator: fields.isSelf ? fields.operator : '',
          voucher: voucher ? voucherText(serial, voucher) : '',
        };
        return { tenant, principal, isSelf: fields.isSelf };
      },
  );

/** A bot asks about the own rights with a key, or another caller asks about the bot. */
const aboutBot = fc
  .record({
    index: fc.nat(bots - 1),
    inTenant,
    isSelf: fc.boolean(),
    narrowedTo: fc.oneof(fc.constant([]), somePatterns),
  })
  .map(
    (fields): Question =>
      (serial) => ({
        tenant: idOf(serial, fields.inTenant),
        principal: {
          type: 'bot',
          id: botId(serial, fields.index),
          botTenant: tenantId(serial, fields.index),
          narrowedTo: fields.isSelf ? fields.narrowedTo : [],
          ssoTenant: '',
          limitedTo: '',
          assurance: '',
          ownAssurance: '',
          operator: '',
          voucher: '',
        },
        isSelf: fields.isSelf,
      }),
  );

export const anyQuestion: fc.Arbitrary<Question> = fc.oneof(
  { weight: 2, arbitrary: aboutUser },
  { weight: 1, arbitrary: aboutBot },
);
