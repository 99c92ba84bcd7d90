import { pageOf, useCall } from '../parts/calls.ts';
import type { IconName } from '../parts/icon.tsx';
import type { TextKey } from '../parts/text-keys.ts';
import { useTenant } from '../shell/routes.tsx';
import { fresh, useApps, useDomains, useProviders, useStats } from './counts.ts';

type Step = {
  /** Without it the user cannot take the step. */
  permission: string;
  icon: IconName;
  title: TextKey;
  about: TextKey;
  /** The view below the tenant where the step is taken, and the words of its link. */
  to: string;
  go: TextKey;
};

/** In the order in which they build on each other: those of administrators, those of developers. */
const steps = {
  invite: {
    permission: 'iam.invitations.write',
    icon: 'mail',
    title: 'start.invite',
    about: 'start.inviteAbout',
    to: 'members/invitations',
    go: 'start.inviteGo',
  },
  domain: {
    permission: 'iam.domains.write',
    icon: 'globe',
    title: 'start.verify',
    about: 'start.verifyAbout',
    to: 'domains',
    go: 'start.verifyGo',
  },
  signIn: {
    permission: 'iam.sso.write',
    icon: 'login',
    title: 'start.signIn',
    about: 'start.signInAbout',
    to: 'sso/new',
    go: 'start.signInGo',
  },
  directory: {
    permission: 'iam.scim.write',
    icon: 'book',
    title: 'start.directory',
    about: 'start.directoryAbout',
    to: 'scim',
    go: 'start.directoryGo',
  },
  require: {
    permission: 'iam.tenant.write',
    icon: 'shield',
    title: 'settings.requireSso',
    about: 'start.requireAbout',
    to: 'settings',
    go: 'start.requireGo',
  },
  app: {
    permission: 'iam.apps.write',
    icon: 'app',
    title: 'start.app',
    about: 'start.appAbout',
    to: 'apps',
    go: 'start.appGo',
  },
  webhook: {
    permission: 'iam.webhooks.write',
    icon: 'bell',
    title: 'start.webhook',
    about: 'start.webhookAbout',
    to: 'webhooks',
    go: 'start.webhookGo',
  },
} as const satisfies Record<string, Step>;

type StepName = keyof typeof steps;

/** Which steps are done, as far as the user may see it. */
function useDone(): Record<StepName, boolean> {
  const { ID: Tenant, may } = useTenant();
  const one = { Limit: 1 };
  const invitations = useCall(
    'TenantInvitations_List',
    { Tenant, Page: one },
    { ...fresh, enabled: may('iam.invitations.read') },
  );
  const provisioned = useCall(
    'TenantMembers_List',
    { Tenant, Source: 'scim', Page: one },
    { ...fresh, enabled: may('iam.scim.write') && may('iam.users.read') },
  );
  const tenant = useCall('Tenants_Get', { Tenant }, { enabled: may('iam.tenant.write') });
  const domains = pageOf<'Domain_List'>(useDomains(may('iam.domains.read')).data);
  const providers = pageOf<'Sso_ListProviders'>(useProviders(may('iam.sso.read')).data);
  const apps = pageOf<'Apps_List'>(useApps(may('iam.apps.read')).data);
  const { data: stats } = useStats('Webhooks', may('iam.webhooks.read'));
  return {
    invite: (invitations.data?.Page.Items.length ?? 0) > 0,
    domain: domains?.items.some(({ Status }) => Status === 'verified') ?? false,
    signIn: providers?.items.some(({ Active }) => Active) ?? false,
    directory: (provisioned.data?.Page.Items.length ?? 0) > 0,
    require: tenant.data?.Tenant.Settings?.RequireSso ?? false,
    app: (apps?.items.length ?? 0) > 0,
    webhook: (stats?.Endpoints?.Total ?? 0) > 0,
  };
}

export type NextStep = Step & { id: string; isDone: boolean };

/** The steps that the rights of the user allow. */
export function useNextSteps(): NextStep[] {
  const { may } = useTenant();
  const done = useDone();
  return (Object.keys(steps) as StepName[])
    .map((id) => ({ ...steps[id], id, isDone: done[id] }))
    .filter(({ permission }) => may(permission));
}
