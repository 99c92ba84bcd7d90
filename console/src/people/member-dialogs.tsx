import type { ItemOf } from '@bailiwick/client/client.ts';
import { useState } from 'react';
import { rights } from '../grants/rights.ts';
import { ActionDialog } from '../parts/action-dialog.tsx';
import { client } from '../parts/calls.ts';
import { useTexts } from '../parts/texts.tsx';
import { useTenant } from '../shell/routes.tsx';
import { nameOf } from './member-texts.ts';

type Props = { member: ItemOf<'TenantMembers_List'>; onClose: () => void };

const stale = ['TenantMembers_List', ...rights] as const;

type RemoveProps = Props & {
  /** Follows the removal. It loads the members again: here that would end the view of the member. */
  onDone?: () => void;
};

export function RemoveMember({ member, onClose, onDone }: RemoveProps) {
  const { t } = useTexts();
  const { Name } = useTenant();
  const { Tenant, UserID } = member;
  const person = nameOf(member);
  return (
    <ActionDialog
      operation="TenantMembers_Remove"
      request={{ Tenant, UserID }}
      stale={onDone ? rights : stale}
      title={t('people.removeTitle')}
      action={t('people.remove')}
      phrase={person}
      notice={t('people.removed', { person })}
      {...(onDone && { onDone })}
      onClose={onClose}
    >
      {t('people.removeAbout', { person, tenant: Name })}
    </ActionDialog>
  );
}

/** Disables an active member, or enables a disabled one. */
export function SwitchMember(props: Props) {
  const { t } = useTexts();
  const { Name } = useTenant();
  // The member as the dialog was opened: the change shows behind it before it closes.
  const [member] = useState(props.member);
  const { Tenant, UserID, Status } = member;
  const person = nameOf(member);
  const isDisabled = Status === 'disabled';
  const [disable, enable] = ['TenantMembers_Disable', 'TenantMembers_Enable'] as const;
  return (
    <ActionDialog
      operation={isDisabled ? enable : disable}
      request={{ Tenant, UserID }}
      stale={stale}
      title={t(isDisabled ? 'people.enableTitle' : 'people.disableTitle')}
      action={t(isDisabled ? 'people.enable' : 'people.disable')}
      isHarmless={isDisabled}
      notice={t(isDisabled ? 'people.enabled' : 'people.disabledNow', { person })}
      // A directory or the person may have ended the membership: only a disabling from here is undone.
      undo={isDisabled ? undefined : () => client.call(enable, { Tenant, UserID })}
      onClose={props.onClose}
    >
      {t(isDisabled ? 'people.enableAbout' : 'people.disableAbout', { person, tenant: Name })}
    </ActionDialog>
  );
}
