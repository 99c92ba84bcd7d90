import type { UseFormReturnType } from '@mantine/form';
import type { Change, FullTenant } from './tenant-form.tsx';

// The fields of the settings, which are saved together.

export const fieldsOf = ({ Name, Slug, Settings, Metadata }: FullTenant) => ({
  name: Name,
  slug: Slug,
  appUrl: Settings.AppURL,
  metadata: Object.entries(Metadata).map(([key, value]) => `${key}=${value}`),
  // An empty list allows all ways, and so does the full one.
  onlyAccount: Settings.AllowedMethods.length === 1,
  requireSso: Settings.RequireSso,
  factor: Settings.RequireFactor || 'off',
  grace: Settings.FactorGraceDays,
  recentLogin: Settings.RecentLogin,
  idle: Settings.SessionIdleMinutes,
  longest: Settings.SessionMaxMinutes,
  domains: [...Settings.InviteDomains],
  role: Settings.DefaultRole,
  keys: Settings.MaxBotKeyDays,
  audit: Settings.AuditRetentionDays,
});

export type Fields = ReturnType<typeof fieldsOf>;
export type Labels = Readonly<Record<keyof Fields, string>>;

/** The properties of each section of the settings. */
export type SectionProps = {
  tenant: FullTenant;
  form: UseFormReturnType<Fields>;
  labels: Labels;
};

export const changeOf = (fields: Fields, base: FullTenant): Change => ({
  Name: fields.name.trim(),
  Slug: fields.slug.trim(),
  Metadata: Object.fromEntries(fields.metadata.map(entryOf)),
  Settings: {
    AppURL: fields.appUrl.trim(),
    // The stored list stays unless the choice has changed: both full and empty mean all.
    ...(fields.onlyAccount !== fieldsOf(base).onlyAccount && {
      AllowedMethods: fields.onlyAccount ? ['account'] : [],
    }),
    RequireSso: fields.requireSso,
    RequireFactor: fields.factor,
    FactorGraceDays: fields.grace,
    RecentLogin: fields.recentLogin,
    SessionIdleMinutes: fields.idle,
    SessionMaxMinutes: fields.longest,
    InviteDomains: fields.domains,
    DefaultRole: fields.role,
    MaxBotKeyDays: fields.keys,
    AuditRetentionDays: fields.audit,
  },
});

const entryOf = (text: string): [string, string] => {
  const [key = '', ...value] = text.split('=');
  return [key.trim(), value.join('=').trim()];
};

/** The places of the fields in the call. */
export const paths = {
  name: 'Tenant.Name',
  slug: 'Tenant.Slug',
  appUrl: 'Tenant.Settings.AppURL',
  metadata: 'Tenant.Metadata',
  grace: 'Tenant.Settings.FactorGraceDays',
  idle: 'Tenant.Settings.SessionIdleMinutes',
  longest: 'Tenant.Settings.SessionMaxMinutes',
  domains: 'Tenant.Settings.InviteDomains',
  role: 'Tenant.Settings.DefaultRole',
  keys: 'Tenant.Settings.MaxBotKeyDays',
  audit: 'Tenant.Settings.AuditRetentionDays',
} as const satisfies Partial<Record<keyof Fields, string>>;
