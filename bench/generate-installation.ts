import type { Stack } from '@bailiwick/test/support/harness.ts';
import { rowsOf } from '@bailiwick/test/support/store.ts';
import { analyse, id } from './generate.ts';

// A whole installation, which grows in blocks of a hundred users. Each block has a tenant for
// ninety of them. The tenth ones are members of the first tenant, which is so the largest, with a
// tenth of all people.

export const perBlock = 100;
export const membersPerTenant = 90;
/** Roles of a member: one in the whole tenant, and the others on single resources. */
const grantsPerMember = 11;
export const entriesPerUser = 10;
/** Groups of a tenant, in three levels. */
export const groupsPerTenant = 30;
const attemptsPerUser = 2;

/** The blocks that a growth adds. */
export type Growth = { from: number; blocks: number };

type Database = Pick<Stack, 'databaseUrl'>;

/** The number of a user's tenant; the first one is the largest. */
const tenantNumber = (u: string) =>
  `(case when ${u} % 10 = 0 then 1 else 2 + (${u} - 1) / 100 end)`;
const tenantOf = (u: string) => id('tnt', tenantNumber(u));
const user = (u: string) => id('usr', u);
const name = `given || ' ' || family`;
const email = `'p' || u || '@example.com'`;
const hash = (text: string) => `sha256(convert_to(${text}, 'UTF8'))`;
const days = (count: string) => `now() - (${count}) * interval '1 day'`;

/** The users of the blocks as rows `p`, in order. */
const people = ({ from, blocks }: Growth) => `(
  select u, ('{Ada,Ben,Cleo,Dan,Eva,Finn,Gil,Hana,Ida,Jon}'::text[])[1 + u % 10] || chr(97 + u % 7) as given, 'Family' || (u::bigint * 7919 % 5000) as family
  from generate_series(${from * perBlock + 1}, ${(from + blocks) * perBlock}) u) p`;

/** The tenants of the blocks as rows `t`; with the first block also the largest one. */
const tenants = ({ from, blocks }: Growth) =>
  `generate_series(${from === 0 ? 1 : from + 2}, ${from + blocks + 1}) t`;

/** Tenants except the largest one. */
const usualTenants = ({ from, blocks }: Growth) =>
  `generate_series(${from + 2}, ${from + blocks + 1}) t`;

/**
 * One row for each user, in rounds over all tenants: nine rows of a tenant follow each other, and
 * all of a tenant are as far apart as those of one that works beside others.
 */
const rounds = ({ from, blocks }: Growth, each: number) => `(
  select k, n, p * 9 + d as place, b, u from (
    select k, n, p, d, b, b * 100 + p * 10 + d + 1 as u from (
      select k, k / (100 * ${blocks}) as n, k / (10 * ${blocks}) % 10 as p, k % 10 as d, ${from} + k / 10 % ${blocks} as b
      from generate_series(0, ${blocks * perBlock * each - 1}) k) c) r) p`;

const identity = (growth: Growth): Statements => ({
  'identity.user_account': `insert into identity.user_account (id, email, email_key, email_verified, name, given_name, family_name, picture, locale, status, external_id, metadata, password_hash, last_login_at, created_at, updated_at)
    select ${user('u')}, ${email}, ${email}, true, ${name}, given, family, '', 'en', 'active', '', '{}', h.password_hash, ${days('u % 30')}, ${days('400 - u::float8 / 4000')}, ${days('100')}
    from ${people(growth)} cross join (select password_hash from identity.user_account where password_hash is not null limit 1) h`,
  'identity.session': `insert into identity.session (id, user_id, token_hash, auth_method, provider, ip, user_agent, created_at, last_seen_at, expires_at)
    select ${id('ses', 'u')}, ${user('u')}, ${hash(`'session ' || u`)}, 'password', '', '10.0.0.' || u % 250, 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36', ${days('u % 5')}, ${days('u % 5')}, now() + interval '30 days'
    from ${people(growth)}`,
  'identity.known_network': `insert into identity.known_network (email_key, network, last_success_at)
    select ${email}, '10.' || u % 250 || '.0.0/16', ${days('u % 30')} from ${people(growth)}`,
  'identity.passkey': `insert into identity.passkey (id, user_id, credential_id, public_key, name, sign_count, backup_eligible, backed_up, transports, aaguid, created_at)
    select ${id('psk', 'u')}, ${user('u')}, 'credential-' || u, ${hash('u::text')}, 'Phone', 0, true, true, '{internal}', '', ${days('30')} from ${people(growth)} where u % 5 = 0`,
  'identity.recovery_code': `insert into identity.recovery_code (user_id, code_hash, salt)
    select ${user('u')}, ${hash(`u || ' ' || n`)}, 'salt' from ${people(growth)} cross join generate_series(1, 10) n where u % 10 = 1`,
  'identity.bot': `insert into identity.bot (tenant, id, name, description, active, metadata, created_by, created_at, updated_at)
    select ${id('tnt', 't')}, ${id('bot', 't')}, 'deployer', '', true, '{}', 'nobody', now(), now() from ${tenants(growth)}`,
  'identity.bot_key': `insert into identity.bot_key (tenant, id, bot, name, token_hash, prefix, last4, permissions, allowed_ips, expires_at, rotated_from, rotated_to, created_by, created_at)
    select ${id('tnt', 't')}, ${id('bkk', 't')}, ${id('bot', 't')}, 'key', ${hash(`'key ' || t`)}, 'bwkb_', 'last', '{}', '{}', now() + interval '300 days', '', '', 'nobody', now() from ${tenants(growth)}`,
});

/** Groups g0 to g2, each with three below it and two below each of those. */
const groupKey = (n: string) =>
  `'g' || ${n} / 10 || case when ${n} % 10 = 0 then '' when ${n} % 10 < 4 then '/m' || ${n} % 10 else '/m' || (${n} % 10 - 4) / 2 + 1 || '/n' || ${n} % 10 end`;
/** The key of a path's group, with the keys above it. */
const ancestors = (key: string) =>
  `array(select array_to_string((string_to_array(${key}, '/'))[1:i], '/') from generate_series(1, cardinality(string_to_array(${key}, '/'))) i)`;
const groupColumns =
  '(tenant, id, path, key, ancestor_keys, name, description, external_id, source, metadata, created_at, updated_at)';
const departments = ({ from, blocks }: Growth) =>
  `generate_series(${from}, ${from + blocks - 1}) b`;

const tenancy = (growth: Growth): Statements => ({
  'access.tenant': `insert into access.tenant (id, slug, name, status, settings, metadata, created_by, created_at, updated_at)
    select ${id('tnt', 't')}, 'company-' || t, 'Company ' || t, case when t % 100 = 99 then 'suspended' else 'active' end, '{}', '{}', ${user(`((greatest(t, 2) - 2) * 100 + 1)`)}, ${days('100')}, ${days('100')} from ${tenants(growth)}`,
  'access.tenant_member': `insert into access.tenant_member (tenant, user_id, status, source, joined_at, name_key, last_word_key, email_key, described_at)
    select ${tenantOf('u')}, ${user('u')}, case when u % 100 = 57 then 'disabled' else 'active' end, case when u % 3 = 0 then 'invitation' else 'admin' end, ${days('90 - u::float8 / 20000')}, lower(${name}), lower(family), ${email}, now()
    from ${people(growth)}`,
  'access.group_entry': `insert into access.group_entry ${groupColumns}
    select ${id('tnt', 't')}, ${id('grp', '(t * 100 + n)')}, key, key, ${ancestors('key')}, 'Group ' || n, '', '', 'api', '{}'::jsonb, ${days('90')}, ${days('90')}
    from (select t, n, ${groupKey('n')} as key from ${usualTenants(growth)} cross join generate_series(0, ${groupsPerTenant - 1}) n) g
    union all select ${id('tnt', '1')}, ${id('grp', `(9000000000 + b)`)}, key, key, ${ancestors('key')}, 'Department ' || b, '', '', 'api', '{}'::jsonb, ${days('90')}, ${days('90')}
    from (select b, case when b < 0 then 'staff' else 'staff/d' || b end as key from ${departments({ from: growth.from === 0 ? -1 : growth.from, blocks: growth.blocks + (growth.from === 0 ? 1 : 0) })}) d`,
  'access.group_member': `insert into access.group_member (tenant, group_id, user_id, created_at)
    select ${tenantOf('u')}, case when u % 10 = 0 then ${id('grp', `(9000000000 + (u - 1) / 100)`)} else ${id('grp', `(${tenantNumber('u')} * 100 + u % ${groupsPerTenant})`)} end, ${user('u')}, ${days('90')} from ${people(growth)}`,
  'access.role_entry': `insert into access.role_entry (tenant, id, slug, name, description, permissions, created_at, updated_at)
    select ${id('tnt', 't')}, ${id('rol', '(t * 10 + n)')}, 'role-' || n, 'Role ' || n, '', array['app.part' || n || '.read'], now(), now() from ${tenants(growth)} cross join generate_series(0, 4) n`,
  'access.invitation': `insert into access.invitation (tenant, id, email, email_key, status, roles, groups, inviter_type, invited_by, inviter_narrowed_to, accepted_by, token_hash, expires_at, created_at, updated_at)
    select ${id('tnt', 't')}, ${id('inv', '(t * 10 + n)')}, 'i' || t || '-' || n || '@example.com', 'i' || t || '-' || n || '@example.com', case when n < 7 then 'accepted' when n < 9 then 'expired' else 'pending' end, '{member}', '[]', 'user', 'nobody', '{}', '', ${hash(`'invitation ' || t || ' ' || n`)}, now() + interval '300 days', ${days('90 - n')}, ${days('90')}
    from ${tenants(growth)} cross join generate_series(0, 9) n`,
  'access.daily_count': `insert into access.daily_count (tenant, kind, day, count)
    select ${id('tnt', 't')}, kind, (now() at time zone 'UTC')::date - n, 50 from ${tenants(growth)} cross join generate_series(0, 29) n cross join unnest(array['sign_in', 'denied']) kind`,
  'access.scim_user': `insert into access.scim_user (tenant, id, user_name_key, external_id, email_key, resource, user_id, invitation_id, created_at, updated_at)
    select ${tenantOf('u')}, ${id('sci', 'u')}, ${email}, 'e' || u, ${email}, jsonb_build_object('userName', ${email}, 'externalId', 'e' || u, 'active', true, 'displayName', ${name}), ${user('u')}, '', ${days('90')}, ${days('90')}
    from ${people(growth)} where u % 10 = 0 or (u - 1) / 100 % 10 = 0`,
});

const grantColumns =
  '(tenant, id, subject_type, subject, role, resource, expires_at, created_by, created_at)';

const rights = (growth: Growth): Statements => ({
  'access.grant_entry': `insert into access.grant_entry ${grantColumns}
    select ${tenantOf('u')}, ${id('grt', `k::bigint + ${growth.from * perBlock * grantsPerMember}`)}, 'user', ${user('u')},
      case when n = 0 then 'role-0' else 'role-' || 1 + n % 4 end, case when n = 0 then '' else 'document-' || u || '-' || n end,
      case when n = 9 then now() + interval '200 days' end, 'nobody', ${days('90 - n')}
    from ${rounds(growth, grantsPerMember)} where u % 10 <> 0 or n = 0 or n = 1 and u % 100 <> 0
    union all
    select ${id('tnt', 't')}, ${id('grt', '(5000000000 + t)')}, 'user', ${user(`(case when t = 1 then 10 else (t - 2) * 100 + 1 end)`)}, 'owner', '', null, 'nobody', ${days('90')} from ${tenants(growth)}
    union all
    select ${id('tnt', 't')}, ${id('ggr', '(t * 10 + n)')}, 'group', case when t = 1 then 'staff' else 'g' || n end, 'role-' || 1 + n, '', null, 'nobody', ${days('90')} from ${tenants(growth)} cross join generate_series(0, 2) n
    union all
    select ${id('tnt', 't')}, ${id('bgr', 't')}, 'bot', ${id('bot', 't')}, 'role-0', '', null, 'nobody', ${days('90')} from ${tenants(growth)}`,
});

const actions =
  '{user.signed_in,grant.added,grant.removed,group.member_added,group.saved,role.saved,tenant.updated,tenant.member_added,invitation.created,bot.saved,bot_key.created,webhook.created}';
const operations =
  '{Account_Login,Grants_Add,Grants_Remove,Groups_AddMember,Groups_Save,Roles_Save,Tenants_Update,TenantMembers_Add,TenantInvitations_Create,Bots_Save,BotKeys_Create,Webhooks_CreateEndpoint}';
/** Addresses of a tenant's people. */
const ips = 40;

/** The audit, in the order of time. The hashes form no valid chain. */
const audit = (growth: Growth): Statements => ({
  'access.audit_entry': `insert into access.audit_entry (tenant, id, seq, occurred_at, action, operation, result, code, actor_type, actor_id, credential_id, targets, target_ids, permission, grant_id, ip, user_agent, request_id, trace_id, changes, prev_hash, hash)
    select ${tenantOf('u')}, ${id('aud', `k::bigint + ${growth.from * perBlock * entriesPerUser}`)}, seq,
      ${days('80')} + seq * interval '1 second' * case when u % 10 = 0 then 6 else 7000 end, ('${actions}'::text[])[a], ('${operations}'::text[])[a], case when k % 50 = 7 then 'denied' else 'success' end, case when k % 50 = 7 then 'permission_denied' else '' end,
      'user', ${user('u')}, ${id('ses', 'u')}, jsonb_build_array(jsonb_build_object('Type', 'user', 'ID', target, 'Name', ''), jsonb_build_object('Type', 'role', 'ID', 'role-' || k % 5, 'Name', '')), array[target, 'role-' || k % 5],
      'iam.grants.write', '', '10.0.' || u % ${ips} || '.1', 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36', 'req_' || md5(k::text), md5(k::text), '[{"Field": "Role", "Old": "", "New": "reader"}]',
      '', md5(k::text) || md5(u::text)
    from (select *, case when u % 10 = 0 then b * 100 + n * 10 + place / 9 else n * ${membersPerTenant} + place + 1 end as seq, 1 + (k * 7 + n) % 12 as a, ${user('b * 100 + (u + 10 * n - 1) % 100 + 1')} as target from ${rounds(growth, entriesPerUser)}) e`,
  'access.audit_head': `insert into access.audit_head (tenant, seq, hash)
    select ${id('tnt', 't')}, ${entriesPerUser * membersPerTenant}, '' from ${usualTenants(growth)}
    union all select ${id('tnt', '1')}, ${(growth.from + growth.blocks) * perBlock}, ''
    on conflict (tenant) do update set seq = excluded.seq`,
});

const others = (growth: Growth): Statements => ({
  'notifications.delivery_attempt': `insert into notifications.delivery_attempt (task, attempt, operation, tenant, endpoint, event, type, delivery, status, status_code, error, message, duration_ms, started_at)
    select 'tsk_' || md5((k::bigint + ${growth.from * perBlock * attemptsPerUser})::text), 1, 'Webhooks_Deliver', ${tenantOf('u')}, ${id('whk', tenantNumber('u'))}, ${id('evt', 'k')}, 'grant.added', 'dlv_' || k, case when k % 50 = 7 then 'failed' else 'delivered' end, case when k % 50 = 7 then 500 else 200 end, '', '', 40, ${days('20')} + (n * 10 + place / 9) * interval '1 day' + k % 1000000 * interval '80 ms'
    from ${rounds(growth, attemptsPerUser)}`,
  'notifications.delivery_hour': `insert into notifications.delivery_hour
    select ${id('tnt', 't')}, ${id('whk', 't')}, date_trunc('hour', now()) - h * interval '1 hour', 100, 1, 1, 1000, 50 from ${tenants(growth)} cross join generate_series(0, 47) h`,
  'sso.app_sign_in': `insert into sso.app_sign_in (tenant, app, session_id, place, user_id, scopes, signed_in_at)
    select ${tenantOf('u')}, ${id('app', tenantNumber('u'))}, ${id('ses', 'u')}, ${tenantOf('u')}, ${user('u')}, '{openid}', ${days('u % 5')} from ${people(growth)} where u % 5 = 0`,
});

type Statements = Record<string, string>;

/** How long it took to write the rows of each table, in seconds. */
export type WriteTimes = Array<{ table: string; seconds: number }>;

/**
 * Adds blocks to an installation that has a user with a password, which is everybody's. Three
 * connections write at the same time, with all indexes in place.
 */
export async function grow(database: Database, growth: Growth): Promise<WriteTimes> {
  const writeTimes: WriteTimes = [];
  const write = async (statements: Statements) => {
    for (const [table, statement] of Object.entries(statements)) {
      const began = performance.now();
      await rowsOf(database, statement);
      writeTimes.push({ table, seconds: (performance.now() - began) / 1000 });
    }
  };
  await Promise.all([
    write(audit(growth)),
    write(rights(growth)),
    write({ ...identity(growth), ...tenancy(growth), ...others(growth) }),
  ]);
  return writeTimes;
}

/** `vacuum analyze` of the grown tables. */
export const settleTables = (database: Database, writeTimes: WriteTimes): Promise<void> =>
  analyse(database, ...writeTimes.map(({ table }) => table));

export type TableSize = { table: string; rows: number; table_mb: number; indexes_mb: number };

/** The tables of more than a megabyte, the largest first. */
export const sizesOf = (database: Database): Promise<TableSize[]> =>
  rowsOf<TableSize>(
    database,
    `select n.nspname || '.' || c.relname as table, c.reltuples::float8 as rows, (pg_table_size(c.oid) / 1e6)::float8 as table_mb, (pg_indexes_size(c.oid) / 1e6)::float8 as indexes_mb
     from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where c.relkind = 'r' and n.nspname in ('access', 'identity', 'notifications', 'sso') and pg_total_relation_size(c.oid) > 1e6 order by pg_total_relation_size(c.oid) desc`,
  );
