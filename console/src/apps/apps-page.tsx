import { Anchor, Button, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { pageOf, useCall } from '../parts/calls.ts';
import { Id } from '../parts/copy.tsx';
import { useCursor } from '../parts/cursor.ts';
import { type Column, CursorList } from '../parts/cursor-list.tsx';
import { Empty } from '../parts/empty.tsx';
import { Icon } from '../parts/icon.tsx';
import { Page } from '../parts/page.tsx';
import { SameByApi } from '../parts/same-by-api.tsx';
import { State } from '../parts/state.tsx';
import { useTexts } from '../parts/texts.tsx';
import { Time } from '../parts/time.tsx';
import { useOwner } from '../shell/owner.ts';
import { type App, type Kind, kindTexts } from './kinds.ts';

/** The apps of a tenant, or of the platform. */
export function AppsPage() {
  const { t } = useTexts();
  const { scope, name, at, may } = useOwner();
  const { cursor, onCursor } = useCursor();
  const request = { ...scope, Page: { Limit: 25, Cursor: cursor } };
  const list = useCall('Apps_List', request, { keepsPrevious: true });
  const add = may('apps.write') && (
    <Button component={Link} to={`${at}/apps/new`} leftSection={<Icon name="plus" />}>
      {t('apps.add')}
    </Button>
  );
  const about = name === '' ? t('apps.aboutPlatform') : t('apps.about', { tenant: name });
  return (
    <Page title={t('apps.apps')} about={about} actions={add}>
      <CursorList
        label={t('apps.apps')}
        columns={useColumns()}
        idOf={({ ID }) => ID}
        page={pageOf<'Apps_List'>(list.data)}
        isChanging={list.isPlaceholderData}
        error={list.error}
        onRetry={() => void list.refetch()}
        cursor={cursor}
        onCursor={onCursor}
        empty={<Empty icon="app" title={t('apps.none')} about={t('apps.noneAbout')} />}
      />
      <SameByApi operation="Apps_List" request={request} />
    </Page>
  );
}

function useColumns(): Column<App>[] {
  const { t } = useTexts();
  const { at } = useOwner();
  return [
    {
      id: 'name',
      header: t('apps.name'),
      cell: ({ ID, Name }) => (
        <Anchor component={Link} to={`${at}/apps/${ID}`} size="sm" fw={500}>
          {Name}
        </Anchor>
      ),
    },
    {
      id: 'kind',
      header: t('apps.kind'),
      isSecondary: true,
      cell: ({ Kind }) => <Text size="sm">{t(kindTexts[Kind as Kind].text)}</Text>,
    },
    { id: 'state', header: t('apps.state'), cell: ({ Active }) => <AppState isActive={Active} /> },
    {
      id: 'client',
      header: t('apps.client'),
      isSecondary: true,
      cell: ({ ID }) => <Id id={ID} />,
    },
    {
      id: 'created',
      header: t('apps.created'),
      isSecondary: true,
      cell: ({ CreatedAt }) => <Time at={CreatedAt} />,
    },
  ];
}

/** Whether an app gets tokens. */
export function AppState({ isActive }: { isActive: boolean }) {
  const { t } = useTexts();
  return (
    <State color={isActive ? 'teal.9' : 'gray.7'}>
      {t(isActive ? 'apps.active' : 'apps.inactive')}
    </State>
  );
}
