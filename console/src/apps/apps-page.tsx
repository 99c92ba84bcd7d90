import { Button, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { Id } from '../parts/copy.tsx';
import type { Column } from '../parts/cursor-list.tsx';
import { Empty } from '../parts/empty.tsx';
import { Icon } from '../parts/icon.tsx';
import { ListView } from '../parts/list-view.tsx';
import { NameCell } from '../parts/name-cell.tsx';
import { Page } from '../parts/page.tsx';
import { State } from '../parts/state.tsx';
import { useTexts } from '../parts/texts.tsx';
import { Time } from '../parts/time.tsx';
import { useOwner } from '../shell/owner.ts';
import { type App, type Kind, kindTexts } from './kinds.ts';

/** The apps of a tenant, or of the platform. */
export function AppsPage() {
  const { t } = useTexts();
  const { scope, name, at, may } = useOwner();
  const add = may('apps.write') && (
    <Button component={Link} to={`${at}/apps/new`} leftSection={<Icon name="plus" />}>
      {t('apps.add')}
    </Button>
  );
  const description = name === '' ? t('apps.aboutPlatform') : t('apps.about', { tenant: name });
  return (
    <Page isList title={t('apps.apps')} description={description} actions={add}>
      <ListView
        operation="Apps_List"
        request={scope}
        label={t('apps.apps')}
        columns={useColumns()}
        idOf={({ ID }) => ID}
        empty={<Empty icon="app" title={t('apps.none')} description={t('apps.noneAbout')} />}
      />
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
      cell: ({ ID, Name }) => <NameCell name={Name} to={`${at}/apps/${ID}`} />,
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
