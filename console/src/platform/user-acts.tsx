import type { OperationName, RequestOf } from '@bailiwick/client/client.ts';
import { Alert, Text, Textarea, TextInput } from '@mantine/core';
import { useState } from 'react';
import { FormDialog } from '../parts/form-dialog.tsx';
import { Icon } from '../parts/icon.tsx';
import type { TextKey } from '../parts/text-keys.ts';
import { useTexts } from '../parts/texts.tsx';

type Act = {
  operation: 'Users_Disable' | 'Users_Enable' | 'Users_Delete' | 'Users_ResetFactors';
  title: TextKey;
  action: TextKey;
  description: TextKey;
  done: TextKey;
  /** Whether the operator types the address first, since it cannot be undone. */
  isTyped: boolean;
};

export const acts = {
  disable: {
    operation: 'Users_Disable',
    title: 'platform.disableTitle',
    action: 'platform.disable',
    description: 'platform.disableAbout',
    done: 'platform.disableDone',
    isTyped: false,
  },
  enable: {
    operation: 'Users_Enable',
    title: 'platform.enableTitle',
    action: 'platform.enable',
    description: 'platform.enableAbout',
    done: 'platform.enableDone',
    isTyped: false,
  },
  resetFactors: {
    operation: 'Users_ResetFactors',
    title: 'platform.factorsTitle',
    action: 'platform.factors',
    description: 'platform.factorsAbout',
    done: 'platform.factorsDone',
    isTyped: false,
  },
  delete: {
    operation: 'Users_Delete',
    title: 'platform.deleteUserTitle',
    action: 'platform.delete',
    description: 'platform.deleteUserAbout',
    done: 'platform.deleteUserDone',
    isTyped: true,
  },
} as const satisfies Record<string, Act>;

export type ActName = keyof typeof acts;

const lists: readonly OperationName[] = ['Users_List', 'Audit_ListByUser'];
const stale: readonly OperationName[] = [...lists, 'Users_Get'];

type Props = {
  name: ActName;
  user: { ID: string; Email: string };
  /** Follows the act. It loads the user again: here that would fail for one who is deleted. */
  onDone?: () => void;
  onClose: () => void;
};

/** Acts on another user's account, for a reason that this user gets by mail. */
export function UserAct({ name, user, onDone, onClose }: Props) {
  const { t } = useTexts();
  // The act stays the same while the user of the view changes by it.
  const [{ operation, title, action, description, done, isTyped }] = useState<Act>(acts[name]);
  const { ID, Email } = user;
  return (
    <FormDialog
      title={t(title)}
      operation={operation as 'Users_Disable'}
      initial={{ reason: '', address: '' }}
      check={({ reason, address }) => ({
        reason: reason.trim() === '' ? t('support.reasonMissing') : null,
        address: isTyped && address.trim() !== Email ? t('confirm.type', { phrase: Email }) : null,
      })}
      toRequest={({ reason }): RequestOf<'Users_Disable'> => ({
        UserID: ID,
        Reason: reason.trim(),
      })}
      stale={onDone ? lists : stale}
      notice={t(done, { person: Email })}
      onDone={() => {
        onClose();
        onDone?.();
      }}
      onClose={onClose}
      submit={t(action)}
      isRed={isTyped}
    >
      {(form) => (
        <>
          <Text size="sm">{t(description, { person: Email })}</Text>
          <Alert color="orange" icon={<Icon name="mail" />}>
            {t('platform.actMailed')}
          </Alert>
          <Textarea
            {...form.getInputProps('reason')}
            label={t('support.reason')}
            description={t('support.reasonAbout')}
            maxLength={500}
            autosize
            minRows={2}
            data-autofocus
          />
          {isTyped && (
            <TextInput
              {...form.getInputProps('address')}
              label={t('confirm.type', { phrase: Email })}
              autoComplete="off"
              spellCheck={false}
            />
          )}
        </>
      )}
    </FormDialog>
  );
}
