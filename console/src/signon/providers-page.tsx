import type { ItemOf } from '@bailiwick/client/client.ts';
import { Button, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
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
import { Emergency } from './emergency.tsx';
import { placeOf } from './place.ts';

type Provider = ItemOf<'Sso_ListProviders'>;

export function ProvidersPage() {
  const { t } = useTexts();
  const owner = useOwner();
  const { scope, name, may } = owner;
  const isPlatform = name === '';
  const add = may('sso.write') && (
    <Button component={Link} to={`${placeOf(owner)}/new`} leftSection={<Icon name="plus" />}>
      {t('signon.addProvider')}
    </Button>
  );
  return (
    <Page
      isList
      title={t(isPlatform ? 'signon.social' : 'signon.sso')}
      description={isPlatform ? t('signon.socialAbout') : t('signon.ssoAbout', { tenant: name })}
      actions={add}
    >
      <ListView
        operation="Sso_ListProviders"
        request={scope}
        label={t('signon.sso')}
        columns={useColumns()}
        idOf={({ ID }) => ID}
        empty={
          <Empty
            icon="key"
            title={t('signon.noProviders')}
            description={t(isPlatform ? 'signon.noSocialAbout' : 'signon.noProvidersAbout')}
          />
        }
      />
      {scope.Tenant !== undefined && may('sso.write') && <Emergency tenant={scope.Tenant} />}
    </Page>
  );
}

function useColumns(): Column<Provider>[] {
  const { t } = useTexts();
  const place = placeOf(useOwner());
  return [
    {
      id: 'name',
      header: t('signon.provider'),
      cell: ({ ID, Name, Kind, Issuer, IdpEntityID }) => (
        <NameCell
          name={Name}
          to={`${place}/${ID}`}
          detail={`${Kind.toUpperCase()} · ${Issuer || IdpEntityID}`}
        />
      ),
    },
    {
      id: 'state',
      header: t('signon.state'),
      cell: ({ Active, Unconfirmed }) =>
        Unconfirmed ? (
          <State color="orange.9">{t('signon.unconfirmed')}</State>
        ) : (
          <State color={Active ? 'teal.9' : 'gray.7'}>
            {t(Active ? 'signon.active' : 'signon.inactive')}
          </State>
        ),
    },
    {
      id: 'used',
      header: t('signon.lastLogin'),
      isSecondary: true,
      cell: ({ LastLoginAt }) => <Time at={LastLoginAt} />,
    },
    {
      id: 'error',
      header: t('signon.lastError'),
      isSecondary: true,
      cell: ({ LastError }) => (
        <Text size="xs" lineClamp={2} lang="en">
          {LastError || '–'}
        </Text>
      ),
    },
  ];
}
