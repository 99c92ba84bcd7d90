import { SimpleGrid } from '@mantine/core';
import { pageOf, useCall } from '../parts/calls.ts';
import { useTexts } from '../parts/texts.tsx';
import { useTenant } from '../shell/routes.tsx';
import { Figure, Further, shownCount } from './figure.tsx';

// The figures of a tenant. Each service answers for its own, so one that is away hides no other.

const dayMs = 24 * 60 * 60 * 1000;
const fresh = { staleTime: 60_000 };

const permissions = [
  'users',
  'invitations',
  'groups',
  'roles',
  'bots',
  'apps',
  'webhooks',
  'chat',
  'audit',
];

/** The figures of a tenant that the user may see. */
export function Figures() {
  const { t } = useTexts();
  const { may } = useTenant();
  if (!permissions.some((area) => may(`iam.${area}.read`))) return undefined;
  return (
    <SimpleGrid
      component="section"
      aria-label={t('overview.figures')}
      cols={{ base: 2, sm: 3, md: 4 }}
      spacing="sm"
      verticalSpacing="sm"
    >
      {may('iam.users.read') && <Members />}
      {may('iam.invitations.read') && <Invitations />}
      {may('iam.groups.read') && <Groups />}
      {may('iam.roles.read') && <Roles />}
      {may('iam.bots.read') && <Bots />}
      {may('iam.apps.read') && <Apps />}
      {may('iam.webhooks.read') && <Endpoints area="Webhooks" />}
      {may('iam.chat.read') && <Endpoints area="Chat" />}
      {may('iam.audit.read') && <Denied />}
    </SimpleGrid>
  );
}

/** The counts of access. */
export function useCounts(isEnabled = true) {
  const { ID } = useTenant();
  return useCall('Tenants_GetCounts', { Tenant: ID }, { ...fresh, enabled: isEnabled });
}

function Members() {
  const { t, locale } = useTexts();
  const { data, isPending } = useCounts();
  const disabled = data?.Members?.Disabled;
  return (
    <Figure
      title={t('overview.members')}
      isPending={isPending}
      count={data?.Members?.Active}
      to="members"
    >
      {disabled && disabled.Value > 0 && (
        <Further text={t('overview.disabled', { count: shownCount(disabled, locale) })} />
      )}
    </Figure>
  );
}

function Invitations() {
  const { t } = useTexts();
  const { data, isPending } = useCounts();
  return (
    <Figure
      title={t('overview.invitations')}
      isPending={isPending}
      count={data?.Invitations}
      to="members/invitations"
    />
  );
}

function Groups() {
  const { t } = useTexts();
  const { data, isPending } = useCounts();
  return (
    <Figure title={t('overview.groups')} isPending={isPending} count={data?.Groups} to="groups" />
  );
}

function Roles() {
  const { t } = useTexts();
  const { data, isPending } = useCounts();
  return (
    <Figure title={t('overview.roles')} isPending={isPending} count={data?.Roles} to="roles" />
  );
}

function Bots() {
  const { t, locale } = useTexts();
  const { ID } = useTenant();
  const { data, isPending } = useCall('Bots_GetCounts', { Tenant: ID }, fresh);
  const { Inactive, ExpiringKeys } = data ?? {};
  return (
    <Figure title={t('overview.bots')} isPending={isPending} count={data?.Active} to="bots">
      {Inactive && Inactive.Value > 0 && (
        <Further text={t('overview.disabled', { count: shownCount(Inactive, locale) })} />
      )}
      {ExpiringKeys && ExpiringKeys.Value > 0 && (
        <Further text={t('overview.keys', { count: shownCount(ExpiringKeys, locale) })} isBad />
      )}
    </Figure>
  );
}

/** The number of apps. A tenant has at most 100, so one page has them all. */
export function useAppCount(isEnabled = true) {
  const { ID } = useTenant();
  const request = { Tenant: ID, Page: { Limit: 200 } };
  const { data, isPending } = useCall('Apps_List', request, { ...fresh, enabled: isEnabled });
  return { isPending, count: pageOf<'Apps_List'>(data)?.items.length };
}

function Apps() {
  const { t } = useTexts();
  const { isPending, count } = useAppCount();
  const total = count === undefined ? undefined : { Value: count, HasMore: false };
  return <Figure title={t('overview.apps')} isPending={isPending} count={total} to="apps" />;
}

/** The endpoints of an area and their deliveries. */
export function useStats(area: 'Webhooks' | 'Chat', isEnabled = true) {
  const { ID } = useTenant();
  return useCall(`${area}_GetStats`, { Tenant: ID }, { ...fresh, enabled: isEnabled });
}

function Endpoints({ area }: { area: 'Webhooks' | 'Chat' }) {
  const { t, locale } = useTexts();
  const { data, isPending } = useStats(area);
  const { Total, Failing, Disabled } = data?.Endpoints ?? { Total: 0, Failing: 0, Disabled: 0 };
  const number = (count: number) => ({ count: new Intl.NumberFormat(locale).format(count) });
  return (
    <Figure
      title={t(area === 'Chat' ? 'overview.chat' : 'overview.webhooks')}
      isPending={isPending}
      count={data && { Value: Total, HasMore: false }}
      to={area.toLowerCase()}
    >
      {Failing > 0 && <Further text={t('overview.failingNow', number(Failing))} isBad />}
      {Disabled > 0 && <Further text={t('overview.failing', number(Disabled))} isBad />}
    </Figure>
  );
}

function Denied() {
  const { t } = useTexts();
  const { data, isPending } = useCounts();
  const today = data?.Refusals.at(-1);
  // The start of the day that was counted.
  const from = new Date(Math.floor(Date.now() / dayMs) * dayMs).toISOString();
  return (
    <Figure
      title={t('overview.denied')}
      isPending={isPending}
      count={today && { Value: today.Count, HasMore: false }}
      to="audit"
      search={{ result: 'denied', from }}
    />
  );
}
