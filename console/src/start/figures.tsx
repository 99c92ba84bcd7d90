import { SimpleGrid } from '@mantine/core';
import { pageOf } from '../parts/calls.ts';
import { sum } from '../parts/sum.ts';
import type { TextKey } from '../parts/text-keys.ts';
import { useTexts } from '../parts/texts.tsx';
import { useTenant } from '../shell/routes.tsx';
import { useApps, useBotCounts, useCounts, useStats } from './counts.ts';
import { type Count, type Course, Figure, Further, shownCount } from './figure.tsx';
import { addStats, levelsOf } from './trends.ts';

// The figures of a tenant. Each service answers for its own, so one that is away hides no other.

const dayMs = 24 * 60 * 60 * 1000;

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

/** The permissions with any of which Tenants_GetCounts answers. */
const counted = ['users', 'invitations', 'groups', 'roles', 'audit'];

/** The figures of a tenant that the user may see. */
export function Figures() {
  const { t } = useTexts();
  const { may } = useTenant();
  if (!permissions.some((area) => may(`iam.${area}.read`))) return undefined;
  return (
    <SimpleGrid
      component="section"
      aria-label={t('overview.figures')}
      cols={{ base: 2, sm: 3 }}
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

/** The changes of a kind of record on each of the last 30 days. */
function useChanges(kind: string): number[] | undefined {
  const { may } = useTenant();
  const { data } = useCounts(counted.some((area) => may(`iam.${area}.read`)));
  return data?.Trends.find(({ Kind }) => Kind === kind)?.Days.map(({ Count }) => Count);
}

/** How a number of records has grown. A number that was not counted to its end has no curve. */
function useGrowth(kind: string, now: Count | undefined): Course | undefined {
  const { t, locale } = useTexts();
  const changes = useChanges(kind);
  if (!changes || now === undefined) return undefined;
  const format = new Intl.NumberFormat(locale, { signDisplay: 'exceptZero' });
  const count = format.format(sum(changes));
  const values = now.HasMore ? [] : levelsOf(now.Value, changes);
  return { values, text: t('overview.grown', { count }) };
}

/** The number of events on each day, and in all. */
function useTotal(key: TextKey, values: readonly number[] | undefined): Course | undefined {
  const { t, locale } = useTexts();
  if (!values || values.length === 0) return undefined;
  const count = new Intl.NumberFormat(locale).format(sum(values));
  return { values, text: t(key, { count }) };
}

function Members() {
  const { t, locale } = useTexts();
  const { data, isPending } = useCounts();
  const { Active, Disabled } = data?.Members ?? {};
  return (
    <Figure
      title={t('overview.members')}
      isPending={isPending}
      count={Active}
      course={useGrowth('members', Active)}
      to="members"
    >
      {Disabled && Disabled.Value > 0 && (
        <Further text={t('overview.disabled', { count: shownCount(Disabled, locale) })} />
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
      course={useTotal('overview.sent', useChanges('invitations'))}
      to="members/invitations"
    />
  );
}

function Groups() {
  const { t } = useTexts();
  const { data, isPending } = useCounts();
  return (
    <Figure
      title={t('overview.groups')}
      isPending={isPending}
      count={data?.Groups}
      course={useGrowth('groups', data?.Groups)}
      to="groups"
    />
  );
}

function Roles() {
  const { t } = useTexts();
  const { data, isPending } = useCounts();
  return (
    <Figure
      title={t('overview.roles')}
      isPending={isPending}
      count={data?.Roles}
      course={useGrowth('roles', data?.Roles)}
      to="roles"
    />
  );
}

function Bots() {
  const { t, locale } = useTexts();
  const { data, isPending } = useBotCounts();
  const { Active, Inactive } = data ?? {};
  return (
    <Figure
      title={t('overview.bots')}
      isPending={isPending}
      count={Active}
      course={useGrowth('bots', Active)}
      to="bots"
    >
      {Inactive && Inactive.Value > 0 && (
        <Further text={t('overview.disabled', { count: shownCount(Inactive, locale) })} />
      )}
    </Figure>
  );
}

function Apps() {
  const { t } = useTexts();
  const { data, isPending } = useApps();
  const count = pageOf<'Apps_List'>(data)?.items.length;
  const total = count === undefined ? undefined : { Value: count, HasMore: false };
  return (
    <Figure
      title={t('overview.apps')}
      isPending={isPending}
      count={total}
      course={useGrowth('apps', total)}
      to="apps"
    />
  );
}

function Endpoints({ area }: { area: 'Webhooks' | 'Chat' }) {
  const { t } = useTexts();
  const { data, isPending } = useStats(area);
  const attempts = addStats(data?.Days).map(({ values }) => sum(values));
  return (
    <Figure
      title={t(area === 'Chat' ? 'overview.chat' : 'overview.webhooks')}
      isPending={isPending}
      count={data && { Value: data.Endpoints?.Total ?? 0, HasMore: false }}
      course={useTotal('overview.attempts', attempts)}
      to={area.toLowerCase()}
    />
  );
}

function Denied() {
  const { t } = useTexts();
  const { data, isPending } = useCounts();
  const refusals = data?.Refusals.map(({ Count }) => Count);
  const today = refusals?.at(-1);
  // The start of the day that was counted.
  const from = new Date(Math.floor(Date.now() / dayMs) * dayMs).toISOString();
  return (
    <Figure
      title={t('overview.denied')}
      isPending={isPending}
      count={today === undefined ? undefined : { Value: today, HasMore: false }}
      course={useTotal('overview.refused', refusals)}
      to="audit"
      search={{ result: 'denied', from }}
    />
  );
}
