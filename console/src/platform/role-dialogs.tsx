import { NativeSelect, Stack, Text } from '@mantine/core';
import { ActionDialog } from '../parts/action-dialog.tsx';
import { FormDialog } from '../parts/form-dialog.tsx';
import { useTexts } from '../parts/texts.tsx';
import { useAccount } from '../shell/session.tsx';
import { MailNotice, ReasonFields } from './reason-fields.tsx';

const stale = ['Grants_List', 'Grants_ListByTenant'] as const;

/** The roles that only the platform has. */
const roles = ['platform-support', 'platform-owner'];

type AddProps = { user: { ID: string; Email: string }; onClose: () => void };

/** Makes a user an operator. */
export function AddRole({ user: { ID, Email }, onClose }: AddProps) {
  const { t } = useTexts();
  return (
    <FormDialog
      title={t('platform.makeOperator')}
      operation="Grants_Add"
      initial={{ role: 'platform-support', reason: '' }}
      check={({ reason }) => ({
        reason: reason.trim() === '' ? t('support.reasonMissing') : null,
      })}
      toRequest={({ role, reason }) => ({
        Grant: { Platform: true, UserID: ID, Role: role },
        Reason: reason.trim(),
      })}
      stale={stale}
      notice={t('platform.isOperator', { person: Email })}
      onClose={onClose}
      submit={t('platform.makeOperator')}
    >
      {(form) => (
        <>
          <Text size="sm">{t('platform.makeOperatorAbout', { person: Email })}</Text>
          <NativeSelect {...form.getInputProps('role')} label={t('platform.role')} data={roles} />
          <ReasonFields
            {...form.getInputProps('reason')}
            notice={t('platform.roleMailed')}
            description={undefined}
          />
        </>
      )}
    </FormDialog>
  );
}

type RemoveProps = { grant: { UserID: string; Role: string }; onClose: () => void };

export function RemoveRole({ grant: { UserID, Role }, onClose }: RemoveProps) {
  const { t } = useTexts();
  const { User: own } = useAccount();
  return (
    <ActionDialog
      operation="Grants_Remove"
      request={{ Grant: { Platform: true, UserID, Role } }}
      stale={stale}
      title={t('platform.removeRole')}
      action={t('platform.removeRole')}
      notice={t('platform.roleRemoved')}
      onClose={onClose}
    >
      <Stack gap="sm">
        {t('platform.removeRoleAbout', { role: Role })}
        {UserID !== own.ID && <MailNotice>{t('platform.removalMailed')}</MailNotice>}
      </Stack>
    </ActionDialog>
  );
}
