import { Group, Paper, Skeleton, Table, Text } from '@mantine/core';
import { ActionDialog } from '../parts/action-dialog.tsx';
import { useCall } from '../parts/calls.ts';
import { DialogButton } from '../parts/dialog-button.tsx';
import { FailureNotice } from '../parts/failure-notice.tsx';
import { Page } from '../parts/page.tsx';
import { usePlatformPermissions } from '../parts/permissions.ts';
import { SameByApi } from '../parts/same-by-api.tsx';
import { State } from '../parts/state.tsx';
import { useTexts } from '../parts/texts.tsx';

/** The keys that encrypt secrets at rest, and their rotation. */
export function KeysPage() {
  const { t, locale } = useTexts();
  const { may } = usePlatformPermissions();
  const { data, error, refetch } = useCall('Keys_Status', {});
  const number = new Intl.NumberFormat(locale);
  return (
    <Page
      title={t('platform.keys')}
      description={t('platform.keysAbout')}
      actions={
        may('iam.platform.keys.write') && (
          <DialogButton
            text={t('platform.rotate')}
            dialog={(onClose) => <Rotate onClose={onClose} />}
          />
        )
      }
    >
      {error && <FailureNotice error={error} onRetry={() => void refetch()} />}
      {!data && !error && <Skeleton height={120} />}
      {data && (
        <>
          <Paper withBorder p={0} style={{ overflowX: 'auto' }}>
            <Table aria-label={t('platform.keys')} verticalSpacing="sm">
              <Table.Thead>
                <Table.Tr>
                  <Table.Th>{t('platform.key')}</Table.Th>
                  <Table.Th>{t('platform.state')}</Table.Th>
                  <Table.Th visibleFrom="sm">{t('platform.dataKeys')}</Table.Th>
                </Table.Tr>
              </Table.Thead>
              <Table.Tbody>
                {data.KeyEncryptionKeys.map((key) => (
                  <Table.Tr key={key.ID}>
                    <Table.Td style={{ overflowWrap: 'anywhere' }}>{key.ID}</Table.Td>
                    <Table.Td>
                      <KeyState {...key} />
                    </Table.Td>
                    <Table.Td visibleFrom="sm">{number.format(key.DataKeys)}</Table.Td>
                  </Table.Tr>
                ))}
              </Table.Tbody>
            </Table>
          </Paper>
          <Text size="sm" c="dimmed">
            {t('platform.keysPending', {
              rewrap: number.format(data.ToRewrap),
              replace: number.format(data.ToReplace),
              reseal: number.format(data.ToReseal),
            })}
          </Text>
        </>
      )}
      <SameByApi operation="Keys_Status" request={{}} />
    </Page>
  );
}

type Key = { Current: boolean; Available: boolean; Removable: boolean };

function KeyState({ Current, Available, Removable }: Key) {
  const { t } = useTexts();
  return (
    <Group gap={4}>
      {Current && <State color="teal.9">{t('platform.keyCurrent')}</State>}
      {!Available && <State color="red.8">{t('platform.keyMissing')}</State>}
      {Removable && <State color="gray.7">{t('platform.keyRemovable')}</State>}
    </Group>
  );
}

function Rotate({ onClose }: { onClose: () => void }) {
  const { t } = useTexts();
  return (
    <ActionDialog
      operation="Keys_Rotate"
      request={{}}
      stale={['Keys_Status']}
      title={t('platform.rotate')}
      action={t('platform.rotate')}
      phrase="rotate"
      notice={({ Queued }) => t('platform.rotateDone', { count: String(Queued) })}
      onClose={onClose}
    >
      {t('platform.rotateAbout')}
    </ActionDialog>
  );
}
