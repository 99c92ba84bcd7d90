import type { ItemOf } from '@bailiwick/client/client.ts';
import { Code, Stack, Text, Title } from '@mantine/core';
import { useState } from 'react';
import { pageOf, useCall } from '../parts/calls.ts';
import { type Column, CursorList } from '../parts/cursor-list.tsx';
import { useTexts } from '../parts/texts.tsx';
import { Time } from '../parts/time.tsx';
import { useTenant } from '../shell/routes.tsx';

type Notice = ItemOf<'Scim_ListNotices'>;

/** The attributes and values that are not stored. Hidden while there are none. */
export function ScimNoticesSection() {
  const { ID, may } = useTenant();
  return may('iam.audit.read') && <ScimNotices tenant={ID} />;
}

function ScimNotices({ tenant }: { tenant: string }) {
  const { t } = useTexts();
  const [cursor, setCursor] = useState('');
  const request = { Tenant: tenant, Page: { Limit: 25, Cursor: cursor } };
  const list = useCall('Scim_ListNotices', request, { keepsPrevious: true });
  const columns = useColumns();
  const page = pageOf<'Scim_ListNotices'>(list.data);
  if (page?.items.length === 0 && cursor === '') return null;
  return (
    <Stack gap="sm">
      <Title order={2} size="h4">
        {t('signon.scimNotices')}
      </Title>
      <Text size="sm">{t('signon.scimNoticesAbout')}</Text>
      <CursorList
        label={t('signon.scimNotices')}
        columns={columns}
        idOf={({ ID }) => ID}
        page={page}
        isChanging={list.isPlaceholderData}
        error={list.error}
        onRetry={() => void list.refetch()}
        cursor={cursor}
        onCursor={setCursor}
        empty={null}
      />
    </Stack>
  );
}

function useColumns(): Column<Notice>[] {
  const { t } = useTexts();
  return [
    {
      id: 'attribute',
      header: t('signon.scimAttribute'),
      cell: ({ Attribute }) => <Code style={{ overflowWrap: 'anywhere' }}>{Attribute}</Code>,
    },
    {
      id: 'reason',
      header: t('signon.scimReason'),
      cell: ({ Message }) => Message || t('signon.scimUnstored'),
    },
    {
      id: 'resource',
      header: t('signon.scimResource'),
      isSecondary: true,
      cell: ({ ResourceType, ResourceID }) => `${ResourceType} ${ResourceID}`.trim(),
    },
    { id: 'last', header: t('signon.scimLast'), cell: ({ LastAt }) => <Time at={LastAt} /> },
  ];
}
