import { Anchor, Button, Group, Paper, Stack, Text, Title } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { pageOf, useCall } from '../parts/calls.ts';
import { Icon } from '../parts/icon.tsx';
import { useTexts } from '../parts/texts.tsx';
import { useTenant } from '../shell/routes.tsx';
import { fresh, useBotCounts, useDomains, useEndpoints, useProviders, useStats } from './counts.ts';
import { shownCount } from './figure.tsx';
import { type Notice, noticesOf } from './notices.ts';

/** The endpoints of an area, which are read only if one of them does not deliver. */
function useBadEndpoints(area: 'Webhooks' | 'Chat') {
  const { may } = useTenant();
  const stats = useStats(area, may(`iam.${area.toLowerCase()}.read`));
  const { Failing = 0, Disabled = 0 } = stats.data?.Endpoints ?? {};
  const list = useEndpoints(area, Failing + Disabled > 0);
  return { list: list.data?.Page.Items, calls: [stats, list] };
}

/** The oldest pending invitations: they expire first. */
function usePendingInvitations() {
  const { ID, may } = useTenant();
  const request = { Tenant: ID, Status: 'pending', Sort: 'created', Page: { Limit: 200 } };
  const enabled = may('iam.invitations.read');
  return useCall('TenantInvitations_List', request, { ...fresh, enabled });
}

function useNotices() {
  const { may } = useTenant();
  const webhooks = useBadEndpoints('Webhooks');
  const chat = useBadEndpoints('Chat');
  const bots = useBotCounts(may('iam.bots.read'));
  const providers = useProviders(may('iam.sso.read'));
  const domains = useDomains(may('iam.domains.read'));
  const invitations = usePendingInvitations();
  const calls = [...webhooks.calls, ...chat.calls, bots, providers, domains, invitations];
  const answers = {
    endpoints: {
      ...(webhooks.list && { webhooks: webhooks.list }),
      ...(chat.list && { chat: chat.list }),
    },
    bots: bots.data,
    providers: pageOf<'Sso_ListProviders'>(providers.data)?.items,
    domains: pageOf<'Domain_List'>(domains.data)?.items,
    invitations: pageOf<'TenantInvitations_List'>(invitations.data)?.items,
  };
  const failed = calls.filter(({ error }) => error !== null);
  return {
    notices: noticesOf(answers, Date.now()),
    isIncomplete: failed.length > 0,
    retry: () => Promise.all(failed.map(({ refetch }) => refetch())),
  };
}

/** The things that cannot wait, with the way to each. Nothing if all is well. */
export function Attention() {
  const { t } = useTexts();
  const { notices, isIncomplete, retry } = useNotices();
  if (notices.length === 0 && !isIncomplete) return undefined;
  return (
    <Paper withBorder p="md" component="section" aria-label={t('attention.title')}>
      <Stack gap="xs">
        <Title order={2} size="h5">
          {t('attention.title')}
        </Title>
        <Stack component="ul" gap="xs" p={0} m={0} style={{ listStyle: 'none' }}>
          {notices.map((notice) => (
            <Line key={`${notice.text} ${JSON.stringify(notice.values)}`} notice={notice} />
          ))}
        </Stack>
        {isIncomplete && (
          <Group gap="sm">
            <Text size="sm" c="dimmed">
              {t('attention.incomplete')}
            </Text>
            <Button size="compact-sm" variant="default" onClick={() => void retry()}>
              {t('failure.retry')}
            </Button>
          </Group>
        )}
      </Stack>
    </Paper>
  );
}

function Line({ notice: { icon, text, values, to, search } }: { notice: Notice }) {
  const { t, locale } = useTexts();
  const { Slug } = useTenant();
  const filled =
    'name' in values
      ? values
      : { count: shownCount({ Value: values.count, HasMore: values.hasMore ?? false }, locale) };
  return (
    <Group component="li" gap="sm" wrap="nowrap" align="start">
      <Text component="span" c="orange" lh={1} mt={3}>
        <Icon name={icon} size={18} />
      </Text>
      <Anchor
        component={Link}
        to={`/console/t/${Slug}/${to}`}
        {...(search && { search: search as never })}
        c="var(--mantine-color-text)"
        underline="always"
      >
        {t(text, filled)}
      </Anchor>
    </Group>
  );
}
