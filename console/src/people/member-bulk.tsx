import type { ItemOf } from '@bailiwick/client/client.ts';
import { Stack, Text } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { HolderField, RoleSelect } from '../grants/grant-dialog.tsx';
import { memberLists } from '../grants/member-groups.tsx';
import { rights } from '../grants/rights.ts';
import type { BulkAction } from '../parts/bulk-bar.tsx';
import { BulkDialog } from '../parts/bulk-dialog.tsx';
import { client } from '../parts/calls.ts';
import { useTexts } from '../parts/texts.tsx';
import { useTenant } from '../shell/routes.tsx';
import { useAccount } from '../shell/session.tsx';
import { nameOf } from './member-texts.ts';

type Member = ItemOf<'TenantMembers_List'>;

type Props = { items: readonly Member[]; onClose: (done: readonly Member[]) => void };

const stale = ['TenantMembers_List', ...memberLists, ...rights] as const;

const subjectOf = ({ Tenant, UserID }: Member) => ({ Tenant, UserID });
const enable = (member: Member) => client.call('TenantMembers_Enable', subjectOf(member));

/** The changes of several members. */
export function useMemberBulk(): BulkAction<Member>[] {
  const { t } = useTexts();
  const { may } = useTenant();
  const { User } = useAccount();
  const isOther = ({ UserID }: Member) => UserID !== User.ID;
  const isIn = ({ Status }: Member) => Status !== 'pending';
  const dialogOf = (Dialog: (props: Props) => ReactNode): BulkAction<Member>['dialog'] =>
    function open(items, onClose) {
      return <Dialog items={items} onClose={onClose} />;
    };
  return [
    {
      text: t('access.addGrant'),
      may: may('iam.grants.write') && may('iam.roles.read'),
      isOffered: isIn,
      dialog: dialogOf(GiveRole),
    },
    {
      text: t('access.addToGroup'),
      may: may('iam.groups.write') && may('iam.groups.read'),
      isOffered: isIn,
      dialog: dialogOf(AddToGroup),
    },
    {
      text: t('people.disable'),
      may: may('iam.users.write'),
      isOffered: (member) => isOther(member) && member.Status === 'active',
      dialog: dialogOf(Disable),
    },
    {
      text: t('people.enable'),
      may: may('iam.users.write'),
      isOffered: (member) => isOther(member) && member.Status === 'disabled',
      dialog: dialogOf(Enable),
    },
    {
      text: t('people.remove'),
      may: may('iam.users.write'),
      isOffered: isOther,
      dialog: dialogOf(Remove),
    },
  ];
}

function Disable(props: Props) {
  const { t } = useTexts();
  const { Name } = useTenant();
  return (
    <BulkDialog
      {...props}
      nameOf={nameOf}
      title={t('people.disableMany')}
      action={t('people.disable')}
      call={(member) => client.call('TenantMembers_Disable', subjectOf(member))}
      undo={enable}
      stale={stale}
      notice={(count) => t('people.disabledMany', { count })}
    >
      {t('people.disableManyAbout', { tenant: Name })}
    </BulkDialog>
  );
}

function Enable(props: Props) {
  const { t } = useTexts();
  return (
    <BulkDialog
      {...props}
      nameOf={nameOf}
      title={t('people.enableMany')}
      action={t('people.enable')}
      isHarmless
      call={enable}
      stale={stale}
      notice={(count) => t('people.enabledMany', { count })}
    >
      {t('people.enableManyAbout')}
    </BulkDialog>
  );
}

function Remove(props: Props) {
  const { t } = useTexts();
  const { Name } = useTenant();
  return (
    <BulkDialog
      {...props}
      nameOf={nameOf}
      title={t('people.removeMany')}
      action={t('people.remove')}
      phrase={Name}
      call={(member) => client.call('TenantMembers_Remove', subjectOf(member))}
      stale={stale}
      notice={(count) => t('people.removedMany', { count })}
    >
      {t('people.removeManyAbout', { tenant: Name })}
    </BulkDialog>
  );
}

function AddToGroup(props: Props) {
  const { t } = useTexts();
  const [group, setGroup] = useState('');
  return (
    <BulkDialog
      {...props}
      nameOf={nameOf}
      title={t('access.addToGroup')}
      action={t('access.addToGroup')}
      isHarmless
      isReady={group !== ''}
      call={(member) => client.call('Groups_AddMember', { ...subjectOf(member), Group: group })}
      stale={stale}
      notice={(count) => t('people.addedMany', { count, group })}
    >
      <Stack gap="sm">
        <HolderField of="groups" value={group} onChange={setGroup} isUnknown={false} />
        <Text size="sm">{t('people.manyAbout')}</Text>
      </Stack>
    </BulkDialog>
  );
}

function GiveRole(props: Props) {
  const { t } = useTexts();
  const [role, setRole] = useState('');
  return (
    <BulkDialog
      {...props}
      nameOf={nameOf}
      title={t('access.addGrant')}
      action={t('access.addGrant')}
      isHarmless
      isReady={role !== ''}
      call={(member) => client.call('Grants_Add', { Grant: { ...subjectOf(member), Role: role } })}
      stale={stale}
      notice={(count) => t('people.grantedMany', { count, role })}
    >
      <Stack gap="sm">
        <RoleSelect value={role} onChange={setRole} />
        <Text size="sm">{t('people.manyAbout')}</Text>
      </Stack>
    </BulkDialog>
  );
}
