import type { ItemOf } from '@bailiwick/client/client.ts';
import { Button, Group, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { ActionDialog } from '../parts/action-dialog.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { publicUrl } from '../parts/place.ts';
import { useTexts } from '../parts/texts.tsx';
import { ValuesToCopy } from '../parts/values-to-copy.tsx';

type Props = ItemOf<'TenantInvitations_List'> & { onClose: () => void };

/** Mails an invitation again, and shows its new link to copy. */
export function ResendDialog({ Tenant, Email, Roles, Groups, onClose }: Props) {
  const { t } = useTexts();
  const [token, setToken] = useState('');
  if (token !== '')
    return (
      <Dialog title={t('people.resentTitle')} onClose={onClose}>
        <Stack>
          <Text size="sm">{t('people.resentAbout', { email: Email })}</Text>
          <ValuesToCopy
            values={[{ name: t('people.link'), value: `${publicUrl}/invitation#token=${token}` }]}
          />
          <Group justify="end">
            <Button onClick={onClose}>{t('form.close')}</Button>
          </Group>
        </Stack>
      </Dialog>
    );
  return (
    <ActionDialog
      operation="TenantInvitations_Create"
      request={{ Tenant, Email, Roles, Groups }}
      stale={['TenantInvitations_List']}
      title={t('people.resendTitle')}
      action={t('people.resend')}
      isHarmless
      onDone={({ Token }) => setToken(Token)}
      onClose={onClose}
    >
      {t('people.resendAbout', { email: Email })}
    </ActionDialog>
  );
}
