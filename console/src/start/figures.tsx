import type { ListName, OperationName, RequestOf } from '@bailiwick/client/client.ts';
import { Anchor, Paper, SimpleGrid, Skeleton, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { pageOf, useCall } from '../parts/calls.ts';
import { useTexts } from '../parts/texts.tsx';
import { useTenant } from '../shell/routes.tsx';

// The figures of a tenant. Each is asked for by itself, so one that is not available hides no other.

/** The most that one call returns. A longer list is shown as "200+". */
const most = 200;
const dayMs = 24 * 60 * 60 * 1000;

const permissions = ['users', 'invitations', 'groups', 'bots', 'apps', 'webhooks', 'chat', 'audit'];

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
      {may('iam.bots.read') && <Bots />}
      {may('iam.apps.read') && <Apps />}
      {may('iam.webhooks.read') && <Webhooks />}
      {may('iam.chat.read') && <Chat />}
      {may('iam.audit.read') && <Denied />}
    </SimpleGrid>
  );
}

function Members() {
  const { t } = useTexts();
  const list = useCounted('TenantMembers_List');
  return <Figure title={t('overview.members')} {...list} to="members" />;
}

function Invitations() {
  const { t } = useTexts();
  const list = useCounted('TenantInvitations_List', ({ Status }) => Status === 'pending');
  return <Figure title={t('overview.invitations')} {...list} to="invitations" />;
}

function Groups() {
  const { t } = useTexts();
  return <Figure title={t('overview.groups')} {...useCounted('Groups_ListByTenant')} />;
}

function Bots() {
  const { t } = useTexts();
  return <Figure title={t('overview.bots')} {...useCounted('Bots_List')} to="bots" />;
}

function Apps() {
  const { t } = useTexts();
  return <Figure title={t('overview.apps')} {...useCounted('Apps_List')} />;
}

function Webhooks() {
  const { t } = useTexts();
  const list = useCounted('Webhooks_ListEndpoints');
  const failing = list.items.filter(({ DisabledReason }) => DisabledReason !== '').length;
  return (
    <Figure title={t('overview.webhooks')} {...list} to="webhooks">
      <Failing count={failing} />
    </Figure>
  );
}

function Chat() {
  const { t } = useTexts();
  const list = useCounted('Chat_ListEndpoints');
  const failing = list.items.filter(({ DisabledReason }) => DisabledReason !== '').length;
  return (
    <Figure title={t('overview.chat')} {...list}>
      <Failing count={failing} />
    </Figure>
  );
}

/** The endpoints that the service switched off because their deliveries failed. */
function Failing({ count }: { count: number }) {
  const { t, locale } = useTexts();
  if (count === 0) return undefined;
  return (
    <Text size="sm" c="var(--mantine-color-error)">
      {t('overview.failing', { count: new Intl.NumberFormat(locale).format(count) })}
    </Text>
  );
}

function Denied() {
  const { t } = useTexts();
  // The start of an hour, so that a view that is shown again repeats the same call.
  const From = new Date(Math.floor(Date.now() / 3_600_000) * 3_600_000 - dayMs).toISOString();
  const more = { Filter: { Result: 'denied' as const, From } };
  const list = useCounted('Audit_List', undefined, more);
  const search = { result: 'denied', from: From };
  return <Figure title={t('overview.denied')} {...list} to="audit" search={search} />;
}

type Item<Name extends ListName> = NonNullable<ReturnType<typeof pageOf<Name>>>['items'][number];

/** Counts the items of a list, or some of them, as far as one call returns them. */
function useCounted<Name extends ListName & OperationName>(
  operation: Name,
  counts: (item: Item<Name>) => boolean = () => true,
  more: object = {},
) {
  const { ID } = useTenant();
  const request = { Tenant: ID, Page: { Limit: most }, ...more } as RequestOf<Name>;
  const { data, isPending } = useCall(operation, request, { staleTime: 60_000 });
  const page = pageOf<Name>(data);
  const items = page?.items ?? [];
  return {
    items,
    isPending,
    count: page && items.filter(counts).length,
    hasMore: page !== undefined && page.next !== '',
  };
}

type FigureProps = {
  title: string;
  isPending: boolean;
  /** Absent if it is not available. */
  count: number | undefined;
  hasMore: boolean;
  /** The view below the tenant that shows the items. */
  to?: string;
  search?: object;
  children?: ReactNode;
};

function Figure({ title, isPending, count, hasMore, to, search, children }: FigureProps) {
  const { t, locale } = useTexts();
  const { Slug } = useTenant();
  const shown =
    count === undefined
      ? t('overview.unavailable')
      : `${new Intl.NumberFormat(locale).format(count)}${hasMore ? '+' : ''}`;
  return (
    <Paper withBorder p="md">
      <Text size="sm" c="dimmed">
        {to ? (
          <Anchor
            component={Link}
            to={`/console/t/${Slug}/${to}`}
            {...(search && { search: search as never })}
            inherit
          >
            {title}
          </Anchor>
        ) : (
          title
        )}
      </Text>
      {isPending ? (
        <Skeleton height={32} width={64} mt={4} />
      ) : (
        <Text fz={count === undefined ? 'sm' : 28} fw={650} lh={1.3} data-figure={title}>
          {shown}
        </Text>
      )}
      {children}
    </Paper>
  );
}
