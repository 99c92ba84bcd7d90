import type { OperationName, RequestOf } from '@bailiwick/client/client.ts';
import { Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { FormDialog } from '../parts/form-dialog.tsx';
import type { TextKey } from '../parts/text-keys.ts';
import { useTexts } from '../parts/texts.tsx';
import { ReasonFields } from './reason-fields.tsx';

type Act = {
  operation:
    | 'Users_Disable'
    | 'Users_Enable'
    | 'Users_Lock'
    | 'Users_Unlock'
    | 'Users_Delete'
    | 'Users_ResetFactors'
    | 'Users_RevokeSession'
    | 'Users_RevokeAllSessions'
    | 'Users_ConfirmIdentity'
    | 'Users_RemoveIdentity';
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
  lock: {
    operation: 'Users_Lock',
    title: 'platform.lockTitle',
    action: 'platform.lock',
    description: 'platform.lockAbout',
    done: 'platform.lockDone',
    isTyped: false,
  },
  unlock: {
    operation: 'Users_Unlock',
    title: 'platform.unlockTitle',
    action: 'platform.unlock',
    description: 'platform.unlockAbout',
    done: 'platform.unlockDone',
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
  endSession: {
    operation: 'Users_RevokeSession',
    title: 'platform.endSessionTitle',
    action: 'account.end',
    description: 'platform.endSessionAbout',
    done: 'platform.endSessionDone',
    isTyped: false,
  },
  endSessions: {
    operation: 'Users_RevokeAllSessions',
    title: 'platform.endSessionsTitle',
    action: 'account.endAll',
    description: 'platform.endSessionsAbout',
    done: 'platform.endSessionsDone',
    isTyped: false,
  },
  confirmIdentity: {
    operation: 'Users_ConfirmIdentity',
    title: 'platform.confirmIdentityTitle',
    action: 'security.confirm',
    description: 'platform.confirmIdentityAbout',
    done: 'platform.confirmIdentityDone',
    isTyped: false,
  },
  removeIdentity: {
    operation: 'Users_RemoveIdentity',
    title: 'platform.removeIdentityTitle',
    action: 'security.remove',
    description: 'platform.removeIdentityAbout',
    done: 'platform.removeIdentityDone',
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
const stale: readonly OperationName[] = [
  ...lists,
  'Users_Get',
  'Users_ListSessions',
  'Users_ListFactors',
  'Users_ListIdentities',
];

type Props = {
  name: ActName;
  user: { ID: string; Email: string };
  /** The session of the user, or the provider, that the call names too. */
  request?: { ID: string } | { Provider: string };
  /** Follows the act. It loads the user again: here that would fail for one who is deleted. */
  onDone?: () => void;
  onClose: () => void;
};

/** Acts on another user's account, for a reason that this user gets by mail. */
export function UserAct({ name, user, request, onDone, onClose }: Props) {
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
        ...request,
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
          <ReasonFields {...form.getInputProps('reason')} notice={t('platform.actMailed')} />
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
