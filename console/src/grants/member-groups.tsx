import { Select, Text } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useState } from 'react';
import { ActionDialog } from '../parts/action-dialog.tsx';
import { useAll, useCall } from '../parts/calls.ts';
import { CursorList } from '../parts/cursor-list.tsx';
import { DialogButton } from '../parts/dialog-button.tsx';
import { FormDialog } from '../parts/form-dialog.tsx';
import { NameCell } from '../parts/name-cell.tsx';
import { PageSection } from '../parts/page-section.tsx';
import { SameByApi } from '../parts/same-by-api.tsx';
import { useTexts } from '../parts/texts.tsx';
import { useTenant } from '../shell/routes.tsx';
import { rights } from './rights.ts';
import { WhatIf } from './what-if.tsx';

/** The operations that list who is in which group. */
export const memberLists = ['Groups_ListMemberGroups', 'Groups_ListMembers'] as const;

const stale = [...memberLists, ...rights] as const;

/** The groups of a member, which are changed in place. */
export function MemberGroups({ user }: { user: string }) {
  const { t } = useTexts();
  const { ID: Tenant, Slug, may } = useTenant();
  const request = { UserID: user, Page: { Limit: 200 } };
  const { data, error, refetch } = useAll('Groups_ListMemberGroups', request);
  // The list has the person's groups in every tenant whose groups the reader may see.
  const items = data?.filter((group) => group.Tenant === Tenant);
  const mayWrite = may('iam.groups.write');
  return (
    <PageSection
      title={t('access.groups')}
      actions={
        mayWrite && (
          <DialogButton
            text={t('access.addToGroup')}
            dialog={(onClose) => <AddToGroup user={user} onClose={onClose} />}
          />
        )
      }
    >
      <CursorList
        label={t('access.groups')}
        columns={[
          {
            id: 'group',
            header: t('access.group'),
            cell: ({ Path, Name }) => (
              <NameCell
                name={Name || Path}
                to={`/console/t/${Slug}/groups?group=${encodeURIComponent(Path)}`}
                {...(Name !== '' && { detail: Path })}
              />
            ),
          },
        ]}
        idOf={({ ID }) => ID}
        actions={[
          {
            text: t('access.remove'),
            label: ({ Path }) => `${t('access.remove')}: ${Path}`,
            may: mayWrite,
            dialog: ({ Path }, onClose) => (
              <RemoveMember group={Path} user={user} onClose={onClose} />
            ),
          },
        ]}
        page={items && { items, next: '' }}
        isChanging={false}
        error={error}
        onRetry={() => void refetch()}
        cursor=""
        onCursor={() => undefined}
        empty={<Text size="sm">{t('access.inNoGroup')}</Text>}
      />
      <SameByApi operation="Groups_ListMemberGroups" request={request} />
    </PageSection>
  );
}

type DialogProps = { user: string; onClose: () => void };

function AddToGroup({ user, onClose }: DialogProps) {
  const { t } = useTexts();
  const { ID: Tenant } = useTenant();
  const [text, setText] = useState('');
  const [Query] = useDebouncedValue(text.trim().slice(0, 128), 150);
  const search = { Tenant, Query, Sort: 'path', Page: { Limit: 50 } };
  const { data } = useCall('Groups_ListByTenant', search, { keepsPrevious: true });
  const toRequest = ({ group }: { group: string | null }) => ({
    Tenant,
    Group: group ?? '',
    UserID: user,
  });
  return (
    <FormDialog
      onClose={onClose}
      title={t('access.addToGroup')}
      operation="Groups_AddMember"
      initial={{ group: null as string | null }}
      check={({ group }) => ({ group: group === null ? t('access.groupMissing') : null })}
      toRequest={toRequest}
      stale={stale}
      notice={t('access.saved')}
      submit={t('access.addToGroup')}
    >
      {(form) => (
        <>
          <Select
            {...form.getInputProps('group')}
            label={t('access.group')}
            data={data?.Page.Items.map(({ Path }) => Path) ?? []}
            searchable
            onSearchChange={setText}
            filter={({ options }) => options}
            data-autofocus
          />
          {form.values.group !== null && (
            <WhatIf change={{ Groups_AddMember: toRequest(form.values) }} />
          )}
        </>
      )}
    </FormDialog>
  );
}

/** Takes a person out of a group, after it has shown the permissions that they lose. */
export function RemoveMember({ group, user, onClose }: DialogProps & { group: string }) {
  const { t } = useTexts();
  const { ID: Tenant } = useTenant();
  const request = { Tenant, Group: group, UserID: user };
  return (
    <ActionDialog
      operation="Groups_RemoveMember"
      request={request}
      stale={stale}
      title={t('access.removeMember')}
      action={t('access.remove')}
      notice={t('access.memberRemoved', { group })}
      onClose={onClose}
    >
      <WhatIf change={{ Groups_RemoveMember: request }} />
    </ActionDialog>
  );
}
