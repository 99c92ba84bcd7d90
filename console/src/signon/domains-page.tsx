import type { ItemOf } from '@bailiwick/client/client.ts';
import { Button, Group, Text } from '@mantine/core';
import { useState } from 'react';
import { pageOf, useCall } from '../parts/calls.ts';
import { useCursor } from '../parts/cursor.ts';
import { type Column, CursorList } from '../parts/cursor-list.tsx';
import { Empty } from '../parts/empty.tsx';
import { Icon } from '../parts/icon.tsx';
import { Page } from '../parts/page.tsx';
import { RowAction } from '../parts/row-action.tsx';
import { SameByApi } from '../parts/same-by-api.tsx';
import { State } from '../parts/state.tsx';
import type { TextKey } from '../parts/text-keys.ts';
import { useTexts } from '../parts/texts.tsx';
import { Time } from '../parts/time.tsx';
import { useTenant } from '../shell/routes.tsx';
import {
  ClaimDialog,
  captures,
  DeleteDomain,
  EditDialog,
  RecordDialog,
} from './domain-dialogs.tsx';

type Domain = ItemOf<'Domain_List'>;
type Asked = { what: 'claim' } | { what: 'record' | 'edit' | 'delete'; domain: Domain };

const statuses: Readonly<Record<string, { text: TextKey; color: string }>> = {
  pending: { text: 'signon.pending', color: 'accent.7' },
  verified: { text: 'signon.verified', color: 'teal.9' },
  lapsed: { text: 'signon.lapsed', color: 'red.9' },
  failed: { text: 'signon.failed', color: 'orange.9' },
};

/** The domains of a tenant, with the records that prove them. */
export function DomainsPage() {
  const { t } = useTexts();
  const { ID, Name, may } = useTenant();
  const [asked, setAsked] = useState<Asked>();
  const { cursor, onCursor } = useCursor();
  const request = { Tenant: ID, Page: { Limit: 25, Cursor: cursor } };
  const list = useCall('Domain_List', request, { keepsPrevious: true });
  const mayWrite = may('iam.domains.write');
  const close = () => setAsked(undefined);
  const claim = mayWrite && (
    <Button leftSection={<Icon name="plus" />} onClick={() => setAsked({ what: 'claim' })}>
      {t('signon.addDomain')}
    </Button>
  );
  return (
    <Page
      title={t('signon.domains')}
      about={t('signon.domainsAbout', { tenant: Name })}
      actions={claim}
    >
      <CursorList
        label={t('signon.domains')}
        columns={useColumns(setAsked, mayWrite)}
        idOf={({ ID }) => ID}
        page={pageOf<'Domain_List'>(list.data)}
        isChanging={list.isPlaceholderData}
        error={list.error}
        onRetry={() => void list.refetch()}
        cursor={cursor}
        onCursor={onCursor}
        empty={
          <Empty icon="globe" title={t('signon.noDomains')} about={t('signon.noDomainsAbout')} />
        }
      />
      <SameByApi operation="Domain_List" request={request} />
      {asked?.what === 'claim' && (
        <ClaimDialog onClose={close} onClaimed={(domain) => setAsked({ what: 'record', domain })} />
      )}
      {asked?.what === 'record' && (
        <RecordDialog domain={asked.domain} mayCheck={mayWrite} onClose={close} />
      )}
      {asked?.what === 'edit' && <EditDialog domain={asked.domain} onClose={close} />}
      {asked?.what === 'delete' && <DeleteDomain domain={asked.domain} onClose={close} />}
    </Page>
  );
}

function useColumns(onAsk: (asked: Asked) => void, mayWrite: boolean): Column<Domain>[] {
  const { t } = useTexts();
  return [
    {
      id: 'name',
      header: t('signon.domain'),
      cell: ({ Name }) => (
        <Text size="sm" fw={500}>
          {Name}
        </Text>
      ),
    },
    { id: 'status', header: t('signon.state'), cell: ({ Status }) => <DomainStatus of={Status} /> },
    {
      id: 'capture',
      header: t('signon.capture'),
      isSecondary: true,
      cell: ({ Capture }) => t(captures[Capture] ?? 'signon.captureOff'),
    },
    {
      id: 'checked',
      header: t('signon.checked'),
      isSecondary: true,
      cell: ({ LastCheckedAt }) => <Time at={LastCheckedAt} />,
    },
    {
      id: 'actions',
      header: t('signon.actions'),
      hasHiddenHeader: true,
      cell: (domain) => (
        <Group gap={4} justify="end">
          <Action
            text={t('signon.record')}
            of={domain}
            onClick={() => onAsk({ what: 'record', domain })}
          />
          {mayWrite && (
            <>
              <Action
                text={t('signon.edit')}
                of={domain}
                onClick={() => onAsk({ what: 'edit', domain })}
              />
              <Action
                text={t('signon.delete')}
                of={domain}
                isRed
                onClick={() => onAsk({ what: 'delete', domain })}
              />
            </>
          )}
        </Group>
      ),
    },
  ];
}

type ActionProps = { text: string; of: Domain; isRed?: boolean; onClick: () => void };

const Action = ({ text, of, isRed = false, onClick }: ActionProps) => (
  <RowAction isRed={isRed} aria-label={`${text}: ${of.Name}`} onClick={onClick}>
    {text}
  </RowAction>
);

function DomainStatus({ of }: { of: string }) {
  const { t } = useTexts();
  const known = statuses[of];
  return <State color={known?.color ?? 'gray.7'}>{known ? t(known.text) : of}</State>;
}
