import type { ResponseOf } from '@bailiwick/client/client.ts';
import { Button, Text } from '@mantine/core';
import { useCall } from '../parts/calls.ts';
import { usePartCursor } from '../parts/cursor.ts';
import { CursorList } from '../parts/cursor-list.tsx';
import { Icon } from '../parts/icon.tsx';
import { NameCell } from '../parts/name-cell.tsx';
import { PageSection } from '../parts/page-section.tsx';
import { SameByApi } from '../parts/same-by-api.tsx';
import { saveFile } from '../parts/save-file.ts';
import { StateOf, type States } from '../parts/state.tsx';
import type { TextKey } from '../parts/text-keys.ts';
import { useTexts } from '../parts/texts.tsx';
import { Time } from '../parts/time.tsx';

type Row = NonNullable<ResponseOf<'LockReceipts_Get'>['Receipt']>['Rows'][number];

const states: States = {
  dropped: { text: 'platform.rowDropped', color: 'teal.9' },
  ends: { text: 'platform.rowEnds', color: 'gray.7' },
  accepted: { text: 'platform.rowAccepted', color: 'blue.9' },
  waiting: { text: 'platform.rowWaiting', color: 'yellow.9' },
  failed: { text: 'platform.rowFailed', color: 'red.9' },
  unknown: { text: 'platform.rowUnknown', color: 'orange.9' },
  kept: { text: 'platform.rowKept', color: 'gray.7' },
};

const kinds: Readonly<Record<string, TextKey>> = {
  cache: 'platform.holderCache',
  changes: 'platform.holderChanges',
  session: 'platform.holderSession',
  token: 'platform.holderToken',
  bot: 'platform.holderBot',
  app: 'platform.holderApp',
};

/** The receipt of the lock of a user. It is read again until no row changes any more. */
export function UserLock({ receipt }: { receipt: string }) {
  const { t } = useTexts();
  const request = { ID: receipt };
  const { data, error, refetch } = useCall('LockReceipts_Get', request, {
    refreshes: (answer) => answer?.Receipt?.Final !== true,
  });
  const signed = data?.Signed ?? '';
  const save = () => saveFile(new Blob([signed]), `lock-receipt-${receipt}.jws`);
  return (
    <PageSection
      title={t('platform.receipt')}
      description={t('platform.receiptAbout')}
      actions={
        signed !== '' && (
          <Button variant="default" leftSection={<Icon name="download" />} onClick={save}>
            {t('platform.receiptSave')}
          </Button>
        )
      }
    >
      {data?.Receipt?.Final === false && (
        <Text size="sm" role="status">
          {t('platform.receiptOpen')}
        </Text>
      )}
      <CursorList
        label={t('platform.receipt')}
        columns={[
          { id: 'holder', header: t('platform.holder'), cell: (row) => <Holder row={row} /> },
          {
            id: 'state',
            header: t('platform.rowState'),
            cell: (row) => <RowState row={row} />,
          },
          {
            id: 'until',
            header: t('platform.rowUntil'),
            isSecondary: true,
            cell: ({ EndsAt }) => <Time at={EndsAt} />,
          },
          {
            id: 'at',
            header: t('platform.rowAt'),
            isSecondary: true,
            cell: ({ At }) => <Time at={At} />,
          },
        ]}
        idOf={({ Kind, Holder: holder, SessionID }) => [Kind, holder, SessionID].join(' ')}
        page={data?.Receipt && { items: data.Receipt.Rows, next: '' }}
        isChanging={false}
        error={error}
        onRetry={() => void refetch()}
        {...usePartCursor()}
        empty={<Text c="dimmed">{t('platform.receiptEmpty')}</Text>}
      />
      <SameByApi operation="LockReceipts_Get" request={request} />
    </PageSection>
  );
}

function Holder({ row: { Kind, Name, Holder: holder } }: { row: Row }) {
  const { t } = useTexts();
  const kind = kinds[Kind];
  return <NameCell name={Name === '' ? holder : Name} detail={kind ? t(kind) : Kind} />;
}

/** The state of a row, and on narrow screens its end. */
function RowState({ row: { State, EndsAt } }: { row: Row }) {
  const { t } = useTexts();
  return (
    <>
      <StateOf states={states} state={State} />
      {EndsAt && (
        <Text size="sm" component="div" hiddenFrom="sm">
          {t('platform.rowUntil')} <Time at={EndsAt} />
        </Text>
      )}
    </>
  );
}
