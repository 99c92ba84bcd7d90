import type { ItemOf } from '@bailiwick/client/client.ts';
import { Anchor, Button, Text } from '@mantine/core';
import { Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { pageOf, useCall } from '../parts/calls.ts';
import { useCursor } from '../parts/cursor.ts';
import { type Column, CursorList } from '../parts/cursor-list.tsx';
import { Empty } from '../parts/empty.tsx';
import { Icon } from '../parts/icon.tsx';
import { ListFilters, NoMatch } from '../parts/list-filters.tsx';
import { useListSearch } from '../parts/list-search.ts';
import { Page } from '../parts/page.tsx';
import { SameByApi } from '../parts/same-by-api.tsx';
import { useTexts } from '../parts/texts.tsx';
import { Time } from '../parts/time.tsx';
import { useTenant } from '../shell/routes.tsx';
import { BotDialog } from './bot-dialog.tsx';
import { StateBadge } from './state-badge.tsx';

type Bot = ItemOf<'Bots_List'>;

/** The bots of a tenant. */
export function BotsPage() {
  const { t } = useTexts();
  const { ID, Slug, Name, may } = useTenant();
  const navigate = useNavigate();
  const [isCreating, setCreating] = useState(false);
  const { cursor, onCursor } = useCursor();
  const { fields, isFiltered, sorting } = useListSearch();
  const request = { Tenant: ID, ...fields, Page: { Limit: 25, Cursor: cursor } };
  const list = useCall('Bots_List', request, { keepsPrevious: true });
  const create = may('iam.bots.write') && (
    <Button leftSection={<Icon name="plus" />} onClick={() => setCreating(true)}>
      {t('bots.create')}
    </Button>
  );
  return (
    <Page title={t('bots.bots')} about={t('bots.about', { tenant: Name })} actions={create}>
      <ListFilters
        label={t('bots.search')}
        choices={[
          {
            name: 'status',
            label: t('bots.state'),
            values: [
              { value: 'active', label: t('bots.active') },
              { value: 'disabled', label: t('bots.disabled') },
            ],
          },
        ]}
      />
      <CursorList
        label={t('bots.bots')}
        columns={useColumns()}
        idOf={({ ID }) => ID}
        page={pageOf<'Bots_List'>(list.data)}
        isChanging={list.isPlaceholderData}
        error={list.error}
        onRetry={() => void list.refetch()}
        cursor={cursor}
        onCursor={onCursor}
        sorting={sorting}
        empty={
          isFiltered ? (
            <NoMatch />
          ) : (
            <Empty icon="bot" title={t('bots.none')} about={t('bots.noneAbout')} />
          )
        }
      />
      <SameByApi operation="Bots_List" request={request} />
      {isCreating && (
        <BotDialog
          onClose={() => setCreating(false)}
          onSaved={({ ID }) => void navigate({ to: `/console/t/${Slug}/bots/${ID}` })}
        />
      )}
    </Page>
  );
}

function useColumns(): Column<Bot>[] {
  const { t } = useTexts();
  const { Slug } = useTenant();
  return [
    {
      id: 'name',
      sort: 'name',
      header: t('bots.name'),
      cell: ({ ID, Name, Description }) => (
        <>
          <Anchor component={Link} to={`/console/t/${Slug}/bots/${ID}`} size="sm" fw={500}>
            {Name}
          </Anchor>
          {Description !== '' && (
            <Text size="xs" c="dimmed" lineClamp={2}>
              {Description}
            </Text>
          )}
        </>
      ),
    },
    {
      id: 'state',
      header: t('bots.state'),
      cell: ({ Active }) => <StateBadge state={Active ? 'active' : 'disabled'} />,
    },
    {
      id: 'used',
      header: t('bots.used'),
      isSecondary: true,
      cell: ({ LastUsedAt }) => (LastUsedAt ? <Time at={LastUsedAt} /> : t('bots.never')),
    },
    {
      id: 'created',
      sort: 'created',
      header: t('bots.created'),
      isSecondary: true,
      cell: ({ CreatedAt }) => <Time at={CreatedAt} />,
    },
  ];
}
