import { timeOf } from '@bailiwick/contract';
import {
  type Tenant,
  type TenantMember,
  TenantMemberSchema,
  TenantSchema,
  type TenantSettings,
} from '@bailiwick/proto/gen/bailiwick/access/v1/tenants_pb.ts';
import { searchIndex, type TrigramIndex, textKey, trigramEntityIndex } from '@bailiwick/store';
import { create } from '@bufbuild/protobuf';
import { defineEntity, p } from '@mikro-orm/core';
import type { LaterGiver } from '../decisions/delegation.ts';
import { type StoredBranding, toBranding } from './branding.ts';
import { type FactorDemand, factorFields, mergeFactor } from './factor.ts';

/** The settings that a tenant has set. Unset ones are absent. */
export type StoredSettings = {
  factor?: FactorDemand;
  sessionIdleMinutes?: number;
  sessionMaxMinutes?: number;
  recentLogin?: boolean;
  requireSso?: boolean;
  /** Absent = all. */
  allowedMethods?: string[];
  inviteDomains?: string[];
  maxBotKeyDays?: number;
  auditRetentionDays?: number;
  defaultRole?: string;
  appUrl?: string;
  /** The path of a group, without a slash at its beginning. */
  scimGroupParent?: string;
};

export const tenantTrigrams: TrigramIndex = {
  name: 'tenant_trigrams',
  table: 'tenant',
  isOfTenants: false,
  keys: [textKey('name'), textKey('slug')],
};

export const TenantEntity = defineEntity({
  name: 'Tenant',
  tableName: 'tenant',
  properties: {
    id: p.string().primary().columnType('text'),
    slug: p.text(),
    name: p.text(),
    /** active, suspended or deleting. */
    status: p.text(),
    settings: p.json<StoredSettings>(),
    branding: p.json<StoredBranding>().default('{}'),
    metadata: p.json<Record<string, string>>(),
    createdBy: p.text(),
    createdAt: p.datetime(3),
    updatedAt: p.datetime(3),
    /** When a deleted tenant is removed for good. */
    purgeAt: p.datetime(3).nullable(),
    /** Until then, the tenant's owners are exempt from the SSO that it requires. */
    ssoLiftedUntil: p.datetime(3).nullable(),
  },
  uniques: [{ name: 'tenant_slug', properties: ['slug'] }],
  indexes: [
    { name: 'tenant_created_by', properties: ['createdBy'] },
    { name: 'tenant_status', properties: ['status'], where: `status <> 'active'` },
    { name: 'tenant_purge_at', properties: ['purgeAt'], where: 'purge_at is not null' },
    ...[
      `tenant_name on tenant ((${textKey('name')}), id)`,
      `tenant_slug_search on tenant ((${textKey('slug')}), id)`,
    ].map(searchIndex),
    trigramEntityIndex(tenantTrigrams),
  ],
});

export const TenantLogoEntity = defineEntity({
  name: 'TenantLogo',
  tableName: 'tenant_logo',
  properties: {
    tenant: p.string().primary().columnType('text'),
    /** The media type. */
    type: p.text(),
    content: p.blob(),
  },
});

export const memberTrigrams: TrigramIndex = {
  name: 'tenant_member_trigrams',
  table: 'tenant_member',
  isOfTenants: true,
  keys: ['name_key', 'email_key'],
};

export const TenantMemberEntity = defineEntity({
  name: 'TenantMember',
  tableName: 'tenant_member',
  properties: {
    tenant: p.string().primary().columnType('text'),
    userId: p.string().primary().columnType('text'),
    /**
     * active, disabled, or barred. Barred: left while disabled. Such a membership has no grants and
     * keeps the user from rejoining alone.
     */
    status: p.text(),
    /** The cause of a disabled membership: scim, or "" = an administrator. */
    disabledBy: p.text().default(''),
    /** creator, invitation, sso, admin or scim. */
    source: p.text(),
    joinedAt: p.datetime(3),
    /** The keys for a search: of the user's name, of its last word, and of the address. */
    nameKey: p.text().default(''),
    lastWordKey: p.text().default(''),
    emailKey: p.text().default(''),
    /** The time of the user's change that the keys are of; null = they are not known yet. */
    describedAt: p.datetime(3).nullable(),
  },
  indexes: [
    { name: 'tenant_member_user', properties: ['userId', 'tenant'] },
    { name: 'tenant_member_status', properties: ['tenant', 'status'] },
    { name: 'tenant_member_name', properties: ['tenant', 'nameKey', 'userId'] },
    { name: 'tenant_member_last_word', properties: ['tenant', 'lastWordKey', 'userId'] },
    { name: 'tenant_member_email', properties: ['tenant', 'emailKey', 'userId'] },
    { name: 'tenant_member_joined', properties: ['tenant', 'joinedAt', 'userId'] },
    { name: 'tenant_member_source', properties: ['tenant', 'source', 'userId'] },
    {
      name: 'tenant_member_inactive',
      properties: ['tenant', 'status', 'userId'],
      where: `status <> 'active'`,
    },
    {
      name: 'tenant_member_undescribed',
      properties: ['userId'],
      where: 'described_at is null',
    },
    trigramEntityIndex(memberTrigrams),
  ],
});

/**
 * A membership offered by the tenant's users that the user has not accepted. A separate table, so
 * that no query for members can return a pending one.
 */
export const MembershipOfferEntity = defineEntity({
  name: 'MembershipOffer',
  tableName: 'membership_offer',
  properties: {
    tenant: p.string().primary().columnType('text'),
    userId: p.string().primary().columnType('text'),
    status: p.text().$type<'pending' | 'declined'>(),
    /** user or bot. The adder's rights are checked again when the offer is accepted. */
    adderType: p.text(),
    addedBy: p.text(),
    /** The permissions that an adding bot's key was narrowed to; empty = not narrowed. */
    adderNarrowedTo: p.array().columnType('text[]'),
    /** The limit of the adder's session; "" = nothing. */
    adderLimitedTo: p.text().default(''),
    adderVoucher: p.text().default(''),
    createdAt: p.datetime(3),
    updatedAt: p.datetime(3),
  },
  indexes: [{ name: 'membership_offer_user', properties: ['userId', 'tenant'] }],
});

export type TenantRow = {
  id: string;
  slug: string;
  name: string;
  status: string;
  settings: StoredSettings;
  branding: StoredBranding;
  metadata: Record<string, string>;
  createdAt: Date | string;
  updatedAt: Date | string;
};

/** `joinedAt` is null while the membership is pending. */
export type TenantMemberRow = {
  tenant: string;
  userId: string;
  status: string;
  source: string;
  joinedAt: Date | string | null;
};

/**
 * A tenant with a user's membership of it. `heldOff`: whether the tenant demands SSO or a second
 * factor that the user's session lacks.
 */
export type MembershipRow = TenantRow & {
  membership: TenantMemberRow;
  heldOff: boolean;
  ownershipPending: boolean;
};

/** The settings that a member sees of a tenant that demands more of the session. */
function demandsOf({ requireSso, allowedMethods, factor }: StoredSettings): StoredSettings {
  return {
    ...(requireSso === undefined ? {} : { requireSso }),
    ...(allowedMethods && { allowedMethods }),
    ...(factor && { factor: { ...factor, graceDays: 0 } }),
  };
}

/** The tenant in `Tenants_ListMine`. Only an active member sees more than its names. */
export function toOwnTenant({
  membership,
  heldOff,
  ownershipPending,
  ...row
}: MembershipRow): Tenant {
  const isActive = membership.status === 'active';
  const settings = isActive ? demandsOf(row.settings) : {};
  const visibleRow = isActive && !heldOff ? row : { ...row, settings, branding: {}, metadata: {} };
  return { ...toTenant(visibleRow), membership: toTenantMember(membership), ownershipPending };
}

export function toTenant(row: TenantRow): Tenant {
  const { inviteDomains, allowedMethods, factor, ...settings } = row.settings;
  return create(TenantSchema, {
    id: row.id,
    slug: row.slug,
    name: row.name,
    status: row.status,
    settings: {
      ...settings,
      ...factorFields(factor),
      factorGraceDays: factor?.graceDays ?? 0,
      inviteDomains: { items: inviteDomains ?? [] },
      allowedMethods: { items: allowedMethods ?? [] },
    },
    metadata: { items: row.metadata },
    branding: toBranding(row.id, row.branding),
    createdAt: timeOf(row.createdAt),
    updatedAt: timeOf(row.updatedAt),
  });
}

export const toTenantMember = (row: TenantMemberRow): TenantMember =>
  create(TenantMemberSchema, memberFields(row));

/** The fields of a membership, in events and in lists. */
export function memberFields(row: TenantMemberRow) {
  return {
    tenant: row.tenant,
    userId: row.userId,
    // The bar is internal: administrators see a member whom they disabled.
    status: row.status === 'barred' ? 'disabled' : row.status,
    source: row.source,
    ...(row.joinedAt === null ? {} : { joinedAt: timeOf(row.joinedAt) }),
  };
}

/** Merges the settings of a request, at this time, into the stored ones. */
export function mergeSettings(
  stored: StoredSettings,
  input: TenantSettings | undefined,
  now: number,
): StoredSettings {
  const merged: StoredSettings = { ...stored };
  if (input?.requireFactor !== undefined || input?.factorGraceDays !== undefined)
    merged.factor = mergeFactor(stored.factor, input, now);
  if (input?.sessionIdleMinutes !== undefined) merged.sessionIdleMinutes = input.sessionIdleMinutes;
  if (input?.sessionMaxMinutes !== undefined) merged.sessionMaxMinutes = input.sessionMaxMinutes;
  if (input?.recentLogin !== undefined) merged.recentLogin = input.recentLogin;
  if (input?.requireSso !== undefined) merged.requireSso = input.requireSso;
  if (input?.allowedMethods !== undefined) setMethods(merged, input.allowedMethods.items);
  if (input?.inviteDomains !== undefined) merged.inviteDomains = [...input.inviteDomains.items];
  if (input?.maxBotKeyDays !== undefined) merged.maxBotKeyDays = input.maxBotKeyDays;
  if (input?.auditRetentionDays !== undefined) merged.auditRetentionDays = input.auditRetentionDays;
  if (input?.defaultRole !== undefined) merged.defaultRole = input.defaultRole;
  if (input?.appUrl !== undefined) merged.appUrl = input.appUrl;
  if (input?.scimGroupParent !== undefined)
    merged.scimGroupParent = input.scimGroupParent.replace(/^\//, '');
  return merged;
}

function setMethods(settings: StoredSettings, methods: readonly string[]): void {
  if (methods.length === 0) delete settings.allowedMethods;
  else settings.allowedMethods = [...new Set(methods)];
}

/** When a provider stated the groups of a user, from which roles and groups are mapped. */
export const MappingStatementEntity = defineEntity({
  name: 'MappingStatement',
  tableName: 'mapping_statement',
  properties: {
    tenant: p.string().primary().columnType('text'),
    userId: p.string().primary().columnType('text'),
    provider: p.string().primary().columnType('text'),
    statedAt: p.datetime(3),
    /** The first sign-in since then that did not state them. */
    silentSince: p.datetime(3).nullable(),
    /** Who answered for the provider then; null = unknown. */
    giver: p.json<LaterGiver>().nullable(),
  },
  indexes: [
    {
      name: 'mapping_statement_silent',
      properties: ['statedAt'],
      where: 'silent_since is not null',
    },
  ],
});
